//! `[[same]]`: cases of several languages under one name of the user's.

use std::fs;
use std::process::Command;

use crate::harness::Dir;

#[test]
fn what_the_user_calls_the_same_is_shown_by_that_name_and_a_slip_of_the_pen_is_kept() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|said| said.status.success()) {
        eprintln!("skipped: there is no python3");
        return;
    }
    let dir = Dir::new();
    let same = |python: &str| {
        let cases = format!("[\"php/GoodBench::benchGood\", \"python/{python}\"]");
        dir.file("tare.toml", &format!("[[same]]\nname = \"doing good\"\ncases = {cases}\n"));
    };
    dir.good().file("bench_well.py", "def bench_well():\n    pass\n");
    same("bench_well");
    let shown = dir.run(&["--markdown", "summary.md"]).finish(0);
    // One name, however many words it has.
    assert!(shown.stdout.lines().any(|line| line.starts_with("doing good  ")), "{shown}");
    assert!(fs::read_to_string(dir.path().join("summary.md")).unwrap().contains("| `doing good` |"));
    let document = dir.stored().0;
    assert_eq!(document["comparisons"][0]["title"], "doing good", "{:#}", document["comparisons"]);

    same("bench_wel");
    let message = "[[same]] doing good: there is no case python/bench_wel";
    dir.run(&[]).finish(0).says_once(&[message]);
    let document = dir.run(&["--json"]).finish(0).document().0;
    assert_eq!(document["notices"][0]["message"], message, "{:#}", document["notices"]);
    // Who leaves cases out needn't hear of it, nor where something else has to be mended.
    dir.run(&["--filter", "Good"]).finish(0).never_says(&[message]);
    dir.file("bench_well.py", "def bench_well(:\n");
    dir.run(&[]).finish(4).never_says(&[message]);
}
