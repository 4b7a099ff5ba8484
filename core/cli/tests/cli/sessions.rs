//! `--session`: comparisons that share one error, counted in the store.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Dir, PATIENCE};

/// A comparison of commands that takes a moment.
const COMMANDS: [&str; 6] = ["exec", "true 1", "true 2", "--budget", "200ms", "--json"];

fn compared(dir: &Dir, more: &[&str]) -> Value {
    dir.tare(&[&COMMANDS[..], more].concat()).finish(0).document().0["session"].take()
}

#[test]
fn comparisons_of_a_session_are_counted_and_each_may_err_less() {
    let dir = Dir::new();
    assert_eq!(compared(&dir, &[]), Value::Null, "each has an error of its own");
    let first = compared(&dir, &["--session", "it's \"work\""]);
    let second = compared(&dir, &["--session", "it's \"work\""]);
    assert_eq!([&first["number"], &second["number"]], [1, 2]);
    assert_eq!((&first["name"], &first["error"]), (&Value::from("it's \"work\""), &Value::from(0.01)));
    let of = |session: &Value, member: &str| session[member].as_f64().unwrap();
    let spent = of(&first, "level") + of(&second, "level");
    assert!((spent + 0.01 * of(&second, "left") - 0.01).abs() < 1e-12, "{first} {second}");
    assert!(of(&second, "level") < of(&first, "level"));
    assert_eq!(compared(&dir, &["--session", "other"])["number"], 1);
    // The store knows it, and says it as it was.
    assert_eq!(dir.tare(&["show", "latest~1", "--json"]).finish(0).document().0["session"], second);
    dir.tare(&["show", "latest~1"]).finish(0).says_once(&["Comparison 2 of session `it's \"work\"`"]);
}

#[test]
fn processes_at_once_spend_different_parts() {
    let dir = Dir::new();
    let running: Vec<_> = (0..3).map(|_| dir.tare(&[&COMMANDS[..], &["--session", "s"]].concat()).start()).collect();
    let number = |finished: crate::harness::Finished| finished.document().0["session"]["number"].as_u64().unwrap();
    let mut numbers: Vec<u64> = running.into_iter().map(|running| number(running.wait())).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn what_is_unchanged_spends_nothing() {
    let dir = Dir::repository();
    dir.work(20).commit("first");
    let same = |more: &[&str]| {
        let all = [&["compare", "HEAD", ".", "--session", "s", "--budget", "100ms", "--json"][..], more].concat();
        dir.tare(&all).finish(0).document().0["session"].take()
    };
    assert_eq!(same(&[]), Value::Null);
    assert_eq!(same(&["--measure", "all"])["number"], 1);
}

#[test]
fn a_run_that_is_gone_on_with_keeps_its_number() {
    let dir = Dir::new();
    let running = dir.tare(&["exec", "true", "sleep 0.02", "--runs", "30", "--session", "s"]).start();
    let until = Instant::now() + PATIENCE;
    while !dir.has_tables() || dir.launches().len() < 3 {
        assert!(Instant::now() < until, "not stored");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    running.signal(Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    dir.tare(&["run", "--resume", "--session", "s"])
        .finish(2)
        .says_once(&["--session can't change when a run is resumed"]);
    let resumed = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
    assert_eq!(resumed.0["session"]["number"], 1);
    assert_eq!(compared(&dir, &["--session", "s"])["number"], 2);
}

#[test]
fn a_session_is_refused_where_it_would_have_no_effect() {
    let dir = Dir::repository();
    dir.work(20).commit("first");
    let refused = |arguments: &[&str], why: &str| {
        let shown = dir.tare(arguments).finish(2);
        assert!(shown.stderr.contains(why), "{arguments:?}: {shown}");
    };
    refused(&["compare", "HEAD", ".", "--session", "s", "--no-store"], "leave --no-store out, or --session");
    refused(&["compare", "HEAD", ".", "--session", "s", "--shard", "1/2"], "measure all of it here");
    refused(&["run", "--session", "s"], "nothing is compared here");
    refused(&["exec", "true", "--session", "s"], "nothing is compared here");
    refused(&["run", "--on", "slurm", "--session", "s"], "measure all of it here");
    refused(
        &["compare", "HEAD", ".", "--serve", "true", "--url", "http://127.0.0.1/", "--session", "s"],
        "--session is for benchmarks",
    );
    refused(&["bisect", "HEAD", ".", "--case", "x", "--session", "s"], "--session isn't for `tare bisect`");
    let long = "x".repeat(4_000);
    for (name, why) in [
        ("", "it is empty"),
        ("  ", "it is empty"),
        (" a", "begins or ends with a space"),
        ("a\u{7}", "isn't seen"),
        ("a\u{202e}b", "isn't seen"),
        (long.as_str(), "4000 characters, and 100 are the most"),
    ] {
        refused(&["exec", "true 1", "true 2", "--session", name], why);
    }
    assert!(!dir.store().exists(), "nothing was begun");
    dir.tare(&["exec", "true", "--budget", "100ms"]).finish(0);
    refused(
        &["compare", "latest", "latest", "--session", "s"],
        "--session has no effect where stored runs are compared",
    );
}
