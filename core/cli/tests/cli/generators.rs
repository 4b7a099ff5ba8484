//! `tare load http --generators`: several processes of this machine, told as one. Nothing here says how long something takes.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::harness::Dir;
use crate::load::{load, request, shown};
use crate::servers::{OK, Server, nobody};

fn generators(document: &Value) -> &Vec<Value> {
    document["generators"].as_array().unwrap_or_else(|| panic!("{document:#}"))
}

fn figures(document: &Value, name: &str) -> Vec<u64> {
    generators(document).iter().map(|generator| generator[name].as_u64().unwrap()).collect()
}

#[test]
fn all_together_send_what_was_asked_for_and_each_is_told() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let document = load(&dir, 0, &[&server.url(), "-n", "500", "-c", "7", "--generators", "3"]);
    assert_eq!((&request(&document)["count"], &request(&document)["failures"]), (&json!(500), &json!({})));
    assert_eq!(request(&document)["connects"], json!(7));
    // Each asks first whether there is anything, and so does who asked for them.
    assert_eq!(server.requests(), 504);
    assert_eq!(figures(&document, "generator"), [1, 2, 3]);
    assert_eq!(figures(&document, "connections"), [3, 2, 2]);
    assert_eq!(figures(&document, "ended").iter().sum::<u64>(), 500);
    for generator in generators(&document) {
        // Both clocks are this machine's.
        let (off, within) = (&generator["clock_offset_s"], &generator["clock_within_s"]);
        let (off, within) = (off.as_f64().unwrap(), within.as_f64().unwrap());
        assert!(within > 0.0 && off.abs() <= within, "{generator}");
    }
    assert_eq!(document["targets"][0]["connections"], 7);
    let stored = dir.tare(&["show", "latest", "--json"]).finish(0).document().0;
    assert_eq!(stored["generators"], document["generators"]);
    let again = document["seed"].to_string();
    dir.tare(&["show", "latest"]).finish(0).says_once(&["3 generators, whose starts lay within", &again]);
    dir.assert_no_process_is_left();
}

#[test]
fn a_schedule_is_kept_by_all_together() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let options = ["--rate", "400", "--duration", "1s", "--warm-up", "0", "-c", "6", "--generators", "3"];
    let document = load(&dir, 0, &[&[server.url().as_str()], &options[..]].concat());
    let of = |name: &str| request(&document)[name].as_u64().unwrap();
    // Together as many are due as with one generator.
    assert_eq!(of("count") + of("dropped"), 400, "{document:#}");
    for generator in generators(&document) {
        let due = generator["ended"].as_u64().unwrap() + generator["dropped"].as_u64().unwrap();
        assert!((133..=134).contains(&due), "{generator}");
    }
}

#[test]
fn targets_take_turns_for_all_and_stages_grow_for_all() {
    let dir = Dir::new();
    let (one, other) = (Server::answering(OK), Server::answering(OK));
    let document =
        load(&dir, 0, &[&one.url(), &other.url(), "--duration", "1s", "-c", "4", "--generators", "2", "--seed", "3"]);
    assert!(document["comparisons"].as_array().is_some_and(|found| !found.is_empty()), "{document:#}");
    let counted = |target: usize| document["targets"][target]["operations"][0]["count"].as_u64().unwrap();
    assert!(counted(0) > 0 && counted(1) > 0);
    assert_eq!(figures(&document, "ended").iter().sum::<u64>(), counted(0) + counted(1), "warm-ups aren't counted");
    let stages =
        ["--rate", "50..200", "--stages", "2", "--for", "1s", "--warm-up", "0", "-c", "4", "--generators", "2"];
    let document = load(&dir, 0, &[&[one.url().as_str()], &stages[..]].concat());
    assert_eq!(document["targets"][0]["stages"].as_array().unwrap().len(), 2, "{document:#}");
    assert_eq!(generators(&document).len(), 2);
}

#[test]
fn what_generators_can_not_do_is_refused() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let refused = |options: &[&str], says: &[&str]| {
        shown(&dir, 2, &[&[server.url().as_str()], options].concat()).says_once(says);
    };
    refused(&["--generators", "0"], &["0 is not in 1..=1000"]);
    refused(&["--generators", "5", "-c", "4"], &["--generators 5", "there are 4"]);
    refused(&["--generators", "2", "--pid", "1"], &["--pid"]);
    refused(&["--on", "slurm"], &["required arguments were not provided: --generators <N>"]);
    let mut elsewhere = dir.tare(&["load", "http", &server.url(), "--on", "slurm", "--generators", "2"]);
    elsewhere.command.env("PATH", "/nowhere");
    elsewhere.finish(2).says_once(&["--on slurm: there is no sbatch here"]);
    assert!(
        !dir.path().join(".tare/fleet").read_dir().is_ok_and(|mut files| files.next().is_some()),
        "what they would have been told is left"
    );
    dir.tare(&["load", ".", "--generators", "2"])
        .finish(2)
        .says_once(&["--generators is of `tare load http`", "--workers"]);
    dir.tare(&["agent", "nowhere.json", "--generator", "1"]).finish(2).says_once(&["nowhere.json"]);
    assert_eq!(server.requests(), 0);
    // A target that isn't there is told as of one.
    shown(&dir, 4, &[&nobody(), "--generators", "2"]).says_once(&["failed refused"]);
    dir.assert_no_process_is_left();
}

#[test]
fn one_that_is_killed_is_named_and_nothing_is_kept_and_a_stop_keeps_what_was_measured() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let arguments = ["load", "http", &server.url(), "-c", "4", "--duration", "600s", "--generators", "2"];
    let asked = server.requests();
    let running = dir.tare(&arguments).start();
    dir.wait_until("the load is under way", || server.requests() > asked + 500);
    let generator = *dir.processes().iter().find(|process| **process != running.id()).unwrap();
    kill_process(Pid::from_raw(generator.cast_signed()).unwrap(), Signal::KILL).unwrap();
    let finished = running.wait();
    assert_eq!(finished.status, Some(4), "{finished}");
    finished.says_once(&["of the load", "is gone: it ended", "part of the requested load was missing"]);
    dir.assert_no_process_is_left();
    let asked = server.requests();
    let running = dir.tare(&arguments).start();
    dir.wait_until("the load is under way", || server.requests() > asked + 500);
    running.signal(Signal::INT);
    let finished = running.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    finished.says_once(&["stopped before its end", "2 generators"]);
    dir.assert_no_process_is_left();
    let log = dir.tare(&["log"]).finish(0);
    log.says_once(&["interrupted"]);
    dir.tare(&["load", "resume"]).finish(2).says_once(&["a load from several generators, which can't be resumed"]);
}
