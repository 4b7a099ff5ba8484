//! Two measurements at once: the second one waits, and says for whom.

use rustix::process::Signal;

use crate::harness::{Dir, Running, TRUTH, simulated};

const WAITING: &str = "two measurements at once would disturb each other";

/// A run that measures until it is ended, and another that waits for it, with its messages in a file.
fn two(dir: &Dir) -> (Running, Running) {
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("");
    let first = dir.tare(&["run", "truth.toml", "--runtime", &runtime, "--launches", "5000"]).start();
    dir.wait_until("the first measures", || dir.launches().len() >= 2);
    let messages = dir.path().join("messages");
    let second = dir.run(&["truth.toml", "--runtime", &runtime, "--tag", "second"]).start_telling(&messages);
    let told =
        format!("waiting for process {} (`tare` in {}", first.id(), dir.path().canonicalize().unwrap().display());
    let said = || std::fs::read_to_string(&messages).unwrap();
    dir.wait_until("the second waits", || said().contains(WAITING));
    assert!(said().contains(&told), "wanted {told:?} in {}", said());
    assert_eq!(said().matches(WAITING).count(), 1);
    (first, second)
}

#[test]
fn the_second_goes_on_when_the_first_is_interrupted_or_killed() {
    for signal in [Signal::INT, Signal::KILL] {
        let dir = Dir::new();
        let (first, second) = two(&dir);
        let stored = dir.launches().into_iter().filter(|launch| launch.0.contains("gaussian")).count();
        assert!(stored >= 1);
        first.signal(signal);
        first.wait();
        let finished = second.wait();
        assert_eq!(finished.status, Some(0), "{finished}");
        dir.tare(&["show", "second", "--json"]).start().wait().document().assert_measured("gaussian");
        dir.assert_no_process_is_left();
    }
}

#[test]
fn who_waits_can_be_interrupted_and_the_first_goes_on() {
    let dir = Dir::new();
    let (mut first, second) = two(&dir);
    second.signal(Signal::INT);
    let finished = second.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    let said = std::fs::read_to_string(dir.path().join("messages")).unwrap();
    assert!(said.contains("interrupted before anything was measured"), "{said}");
    let before = dir.launches().len();
    dir.wait_until("the first goes on", || dir.launches().len() > before);
    assert!(!first.has_ended());
    first.signal(Signal::INT);
    assert_eq!(first.wait().status, Some(130));
    // What waited is a run of which nothing was measured yet, and can be resumed.
    let resumed = dir.tare(&["run", "--resume=second", "--json"]).finish(0).document();
    resumed.assert_measured("gaussian");
}

#[test]
fn a_lock_that_cannot_be_had_is_no_reason_not_to_measure() {
    let dir = Dir::new();
    dir.good();
    let mut command = dir.run(&["."]);
    command.command.env("TARE_LOCK", dir.path().join("nowhere/lock"));
    command.finish(0).says_once(&["another tare that measures now isn't waited for"]);
}
