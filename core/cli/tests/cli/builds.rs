//! `[run] build`: interrupted, and resumed.

use rustix::process::Signal;

use crate::harness::{Dir, TRUTH, simulated};

fn with_build(command: &str) -> Dir {
    let dir = Dir::new();
    dir.good().file("tare.toml", &format!("[run]\nbuild = {command:?}\n"));
    dir
}

#[test]
fn an_interruption_ends_the_build_with_all_that_it_started() {
    for (signal, command) in [(Signal::INT, "run"), (Signal::TERM, "run"), (Signal::INT, "list")] {
        let dir = with_build("sleep 1000 & touch ../begun; sleep 1000; touch ../over");
        let begun = dir.path().join("../begun");
        let running = dir.tare(&[command, "."]).start();
        dir.wait_until("the build begins", || begun.exists());
        running.signal(signal);
        let finished = running.wait();
        assert_eq!(finished.status, Some(130), "{finished}");
        finished.never_says(&["the build command of tare.toml ended", "pilot"]);
        dir.assert_no_process_is_left();
        assert!(!dir.store().exists() && !dir.path().join("../over").exists());
    }
}

#[test]
fn a_build_that_fails_says_what_it_printed() {
    let dir = with_build("echo looking around; printf 'work.cc:3:5: \\033[31merror\\n' >&2; exit 2");
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&[
        "building: ",
        "the build command of tare.toml ended with exit status: 2",
        "work.cc:3:5: \\u{1b}[31merror",
        "mend it, or change `build` in [run]",
    ]);
    assert!(!dir.store().exists());
}

#[test]
fn what_is_gone_on_with_is_built_only_where_it_is_gone() {
    let dir = Dir::new();
    let build = "echo built >> ../builds; test -e truth.toml || cp ../truth.toml .".to_owned();
    std::fs::write(dir.path().join("../truth.toml"), TRUTH).unwrap();
    dir.file("tare.toml", &format!("[run]\nbuild = {build:?}\n"));
    let builds = || std::fs::read_to_string(dir.path().join("../builds")).unwrap().lines().count();
    let running = dir.tare(&["run", "truth.toml", "--runtime", &simulated(""), "--launches", "400"]).start();
    dir.wait_until("launches are stored", || dir.launches().len() >= 4);
    running.signal(Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    assert_eq!(builds(), 1);

    let resume = || {
        let running = dir.tare(&["run", "--resume"]).start();
        let before = dir.launches().len();
        dir.wait_until("more launches are stored", || dir.launches().len() > before);
        running.signal(Signal::INT);
        assert_eq!(running.wait().status, Some(130));
    };
    resume();
    assert_eq!(builds(), 1, "it was built again though all was there");
    // Another build would give launches that don't belong with the others; but what isn't there has to be made.
    std::fs::remove_file(dir.path().join("truth.toml")).unwrap();
    resume();
    assert_eq!(builds(), 2);
}

#[test]
fn a_slip_of_the_pen_is_told_before_anything_is_built() {
    let dir = Dir::new();
    dir.good().file("tare.toml", "[run]\nbuild = \"echo built > built\"\n");
    let twice = ["--fail-on", "slower", "--fail-on", "slower=2%"];
    for (wrong, said) in [(&["--cpus", "100000"][..], "--cpus"), (&twice, "--fail-on slower is given 2 times")] {
        let shown = dir.run(wrong).finish(2);
        shown.says_once(&[said]).never_says(&["building"]);
        assert!(!dir.path().join("built").exists(), "{shown}");
    }
    dir.run(&[]).finish(0);
    assert!(dir.path().join("built").exists());
}
