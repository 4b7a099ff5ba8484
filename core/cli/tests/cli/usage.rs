//! Wrong usage: status 2, one message, nothing on standard output.

use crate::harness::Dir;

#[test]
fn wrong_arguments_are_refused_with_what_would_be_right() {
    let dir = Dir::new();
    dir.good();
    for (arguments, message) in [
        (&["run", "--frobnicate"][..], "unexpected argument '--frobnicate' found"),
        (&["run", ".", "--budget", "5x"], "its unit is not one of ns, us, ms, s, m, h; write 500ms, 2s, 1.5s or 2m"),
        (&["run", ".", "--budget", "5"], "it has no unit; write 500ms, 2s, 1.5s or 2m"),
        (&["run", ".", "--budget", "0s"], "--budget must be more than 0, as in --budget 2s"),
        (&["run", ".", "--timeout", "0ms"], "--timeout must be more than 0, as in --timeout 2s"),
        (&["run", ".", "--precision", "0%"], "--precision must be more than 0 %, as in --precision 1%"),
        (&["run", ".", "--precision", "much"], "invalid value 'much' for '--precision <PERCENT>'"),
        (&["run", ".", "--launches", "0"], "invalid value '0' for '--launches <N>'"),
        (&["run", ".", "--samples", "-1"], "unexpected argument '-1' found"),
        (&["run", ".", "--iterations", "10,auto,10"], "--iterations names 10 calls twice; name each once"),
        (&["run", ".", "--iterations", "some"], "invalid value 'some' for '--iterations"),
        (&["run", ".", "--filter", "("], "the filter `(` is not a regular expression: unclosed group"),
        (&["run", ".", "--runtime", "pph:php8.2"], "there is no language `pph`; did you mean `php`?"),
        (&["run", ".", "--runtime", "a=php", "--runtime", "a=php -n"], "two runtimes are called `a`"),
        (&["run", ".", "--runtime", ""], "the command of a runtime is empty"),
        (&["run", ".", "--cpus", "99999"], "--cpus:"),
        (&["run", ".", "--cpus", "x"], "--cpus:"),
        (&["run", ".", "--tag", "latest"], "\"latest\" can't be a tag"),
        (&["run", ".", "--seed", "9007199254740992"], "--seed must be under 2^53"),
        (&["run", "--resume", "."], "cannot be used with"),
        (&["run", "--resume", "--seed", "1"], "cannot be used with"),
        (&["run", "missing"], "missing: there is no such file or folder"),
        (&["run", ".", "--filter", "nothing-of-that-name"], "no case matches --filter and --group"),
        (&["show", "a", "b", "--json"], "there is no store at"),
        (&["conformance"], "required arguments were not provided"),
        (&["meassure"], "unrecognized subcommand 'meassure'"),
        (&[], "Usage: tare"),
    ] {
        let shown = dir.tare(arguments).finish(2);
        assert_eq!(shown.stdout, "", "{arguments:?}");
        shown.says_once(&[message]).never_says(&["pilot", "panicked"]);
    }
    assert!(!dir.path().join(".tare").exists(), "nothing was measured, and a store was made");
}

#[test]
fn a_clock_that_the_worker_has_not_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    dir.good();
    let shown = dir.run(&[".", "--clock", "sundial"]).finish(2);
    shown.says_once(&["has no clock \"sundial\"", "hrtime, microtime"]).never_says(&["pilot"]);
    // A runtime whose cases the filter leaves out needs no such clock.
    dir.file("bench_other.py", "def bench_other():\n    pass\n");
    let clock = ["--clock", "hrtime"];
    dir.run(&[&[".", "--filter", "GoodBench"], &clock[..]].concat()).finish(0).never_says(&["has no clock"]);
    dir.run(&[&["."], &clock[..]].concat()).finish(2).says_once(&["has no clock \"hrtime\""]);
}

#[test]
fn a_wrong_tare_toml_is_told_with_its_line() {
    let dir = Dir::new();
    dir.good().file("tare.toml", "[run]\nlaunches = 6\nbuget = \"2s\"\n");
    let shown = dir.run(&["."]).finish(2);
    shown.says_once(&["tare.toml:3", "buget"]);
}

#[test]
fn help_and_version_are_answers() {
    let dir = Dir::new();
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"], &["help", "show"]] {
        let shown = dir.tare(arguments).finish(0);
        assert!(!shown.stdout.is_empty() && shown.stderr.is_empty(), "{shown}");
    }
}

/// A full disk: a report that never arrived is no success.
#[test]
fn a_report_that_can_not_be_written_is_a_failure() {
    let dir = Dir::new();
    dir.good();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let list = std::process::Command::new(env!("CARGO_BIN_EXE_tare"))
        .args(["list", "--json"])
        .current_dir(dir.path())
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&list.stderr);
    assert_eq!(list.status.code(), Some(4), "{said}");
    assert!(said.contains("couldn't be written to standard output"), "{said}");
}
