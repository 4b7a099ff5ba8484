//! A worker that keeps to the protocol passes; each way of breaking it fails the check made for it, with a message
//! that says what came instead, and without a hang.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use tare_conformance::{Check, ConformanceError, KnownFailing, Options, Outcome, Report, run};

fn tests() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn worker(fault: Option<&str>) -> Vec<String> {
    // Without what the interpreter would look for around it: it starts in a third of the time.
    let mut command =
        vec!["python3".to_owned(), "-IS".to_owned(), tests().join("worker.py").to_str().unwrap().to_owned()];
    if let Some(fault) = fault {
        command.extend(["--break".to_owned(), fault.to_owned()]);
    }
    command
}

fn options() -> Options {
    Options { source: Some(tests().join("cases.txt")), ..Options::default() }
}

/// Some of the vectors: each costs the start of an interpreter.
fn only(globs: &[&str]) -> Options {
    Options { only: globs.iter().map(|glob| (*glob).to_owned()).collect(), ..options() }
}

/// For workers that are late on purpose: long enough for a healthy one to start, on a busy machine too.
fn patient(globs: &[&str]) -> Options {
    Options { deadline: Duration::from_secs(4), source: None, ..only(globs) }
}

#[track_caller]
fn replay(fault: &str, options: &Options) -> Report {
    run(&worker(Some(fault)), options).unwrap()
}

fn failed(report: &Report) -> BTreeSet<&str> {
    let failed = report.checks.iter().filter(|check| matches!(check.outcome, Outcome::Failed { .. }));
    failed.map(|check| check.name.as_str()).collect()
}

#[track_caller]
fn check<'a>(report: &'a Report, name: &str) -> &'a Check {
    report.checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("there is no check {name}"))
}

/// What was expected, and what came.
#[track_caller]
fn failure<'a>(report: &'a Report, name: &str) -> (&'a str, &'a str) {
    match &check(report, name).outcome {
        Outcome::Failed { expected, got } => (expected, got),
        other => panic!("{name} should have failed; it is {other:?}"),
    }
}

/// Of the vectors that the globs cover, exactly these fail.
#[track_caller]
fn fails_only(fault: &str, globs: &[&str], names: &[&str]) -> Report {
    let report = replay(fault, &only(globs));
    assert_eq!(failed(&report), names.iter().copied().collect(), "--break {fault}");
    report
}

#[test]
fn a_correct_worker_passes_and_every_vector_is_consumed() {
    let report = run(&worker(None), &options()).unwrap();
    assert_eq!(failed(&report), BTreeSet::new());
    assert!(report.conforms());

    let made: BTreeSet<String> = report
        .checks
        .iter()
        .map(|check| check.name.split(" (").next().unwrap().to_owned())
        .filter(|name| name != "quiet")
        .collect();
    let vectors = tare_conformance::embedded().unwrap().into_iter();
    let replayed: BTreeSet<String> = vectors
        .filter(|vector| vector.replayed)
        .map(|vector| vector.path.trim_end_matches(".json").to_owned())
        .collect();
    assert_eq!(made, replayed);

    for name in ["sessions/kernel (text)", "sessions/source-every-clock (monotonic)", "sessions/source-case", "quiet"] {
        assert_eq!(check(&report, name).outcome, Outcome::Passed, "{name}");
    }
    assert!(matches!(check(&report, "sessions/pause").outcome, Outcome::Skipped(_)));
    assert!(matches!(check(&report, "frames/bad/lone-surrogate").outcome, Outcome::Skipped(_)));
}

#[test]
fn without_a_source_only_its_checks_are_skipped() {
    let globs = ["sessions/source-*", "sessions/clock", "sessions/load-*"];
    let report = run(&worker(None), &Options { source: None, ..only(&globs) }).unwrap();
    assert!(report.conforms());
    for check in &report.checks {
        let skipped = matches!(&check.outcome, Outcome::Skipped(reason) if reason.contains("source"));
        assert_eq!(skipped, check.name.starts_with("sessions/source-"), "{check}");
    }
}

#[test]
fn each_broken_rule_fails_the_checks_made_for_it() {
    fails_only(
        "duplicates",
        &["frames/bad/duplicate-*"],
        &["frames/bad/duplicate-key", "frames/bad/duplicate-frame", "frames/bad/duplicate-unknown-key"],
    );
    fails_only("loads-twice", &["*load*"], &["sessions/load-twice", "sessions/source-load-twice"]);
    fails_only("silent-about-files", &["sessions/*load*"], &["sessions/load-of-a-missing-file"]);
    fails_only("after-finish", &["sessions/*finish*"], &["sessions/nothing-after-finish"]);
    fails_only(
        "believes-everything",
        &["sessions/prepare-*", "sessions/source-*"],
        &[
            "sessions/prepare-of-no-case",
            "sessions/source-no-such-case",
            "sessions/source-wrong-benchmark",
            "sessions/source-wrong-parameters",
        ],
    );
    let report = fails_only("talks", &["sessions/clock", "sessions/source-case"], &["quiet"]);
    assert_eq!(failure(&report, "quiet").1, "on standard error `measured\\n`, first in sessions/clock");
    fails_only(
        "answers-empty-lines",
        &["sessions/empty-lines", "sessions/carriage-returns"],
        &["sessions/empty-lines"],
    );
    fails_only("reports-warm", &["sessions/warm", "sessions/null"], &["sessions/warm"]);
}

#[test]
fn what_user_code_prints_is_its_own_affair() {
    let report = replay("talks", &only(&["sessions/source-case"]));
    assert_eq!(failed(&report), BTreeSet::new());
}

#[test]
fn an_enumeration_that_doesnt_repeat_itself_is_seen() {
    let report = replay("pid-in-names", &only(&["sessions/source-case"]));
    assert_eq!(
        check(&report, "sessions/source-enumeration").outcome,
        Outcome::Passed,
        "there is nothing to compare yet"
    );
    let (expected, got) = failure(&report, "sessions/source-case");
    assert!(expected.starts_with("the 4 cases of the first process"), "{expected}");
    assert_eq!(got, "another case 0");

    let report = replay("miscounts", &only(&["sessions/source-case"]));
    let (_, got) = failure(&report, "sessions/source-enumeration");
    assert!(got.contains(r#""cases": 5"#) && got.ends_with("after 4 cases"), "{got}");
    assert!(matches!(&check(&report, "sessions/source-case").outcome, Outcome::Skipped(_)));
}

#[test]
fn replies_are_held_to_the_protocol() {
    let runs = only(&["sessions/clock", "sessions/two-requests", "sessions/ids-*", "sessions/end-of-input-after-*"]);
    let report = replay("fractions", &runs);
    assert!(failure(&report, "sessions/clock").1.contains("`elapsed` must be an array of integers"));
    let report = replay("negative", &runs);
    assert!(failure(&report, "sessions/clock").1.contains("`elapsed` must be an array of integers"));
    let report = replay("wrong-id", &runs);
    assert!(failure(&report, "sessions/ids-are-echoed").1.contains(r#""id": 8"#));
    let report = replay("two-replies", &runs);
    let (expected, got) = failure(&report, "sessions/end-of-input-after-requests");
    assert!(expected.starts_with(r#"{"frame":"loaded""#) && got.contains("samples"), "{expected}; {got}");
    assert!(failed(&report).contains("sessions/two-requests"));
    let report = replay("says-more", &runs);
    assert!(failed(&report).contains("sessions/end-of-input-after-hello"));
}

#[test]
fn the_end_of_a_worker_is_checked() {
    let globs = ["sessions/end-of-input-after-hello", "sessions/clock"];
    let report = replay("wrong-status", &only(&globs));
    assert_eq!(failure(&report, "sessions/end-of-input-after-hello").1, "exit status: 4");
    assert_eq!(check(&report, "sessions/clock").outcome, Outcome::Passed);
    let report = replay("lingers", &patient(&globs));
    assert_eq!(failure(&report, "sessions/end-of-input-after-hello").1, "it still runs");
    assert_eq!(check(&report, "sessions/clock").outcome, Outcome::Passed);
}

#[test]
fn a_worker_that_dies_is_noticed_before_the_deadline() {
    // With a deadline that no test would live to see: what is found here is found by watching the process.
    let globs = ["sessions/clock", "frames/bad/garbage"];
    let options = Options { deadline: Duration::from_secs(100_000), ..only(&globs) };
    let report = replay("half-a-frame", &options);
    let (_, got) = failure(&report, "sessions/clock");
    assert!(got.starts_with("it has ended (exit status: 3), in the middle of the line `{"), "{got}");
    let report = replay("dies-of-faults", &options);
    assert_eq!(failure(&report, "frames/bad/garbage").1, "it has ended (exit status: 2)");
    assert_eq!(check(&report, "sessions/clock").outcome, Outcome::Passed);
    let report = replay("exits-at-once", &options);
    let (_, got) = failure(&report, "sessions/hello");
    assert_eq!(got, "it has ended (exit status: 1); on standard error: `no runtime\\n`");
}

#[test]
fn without_a_proper_hello_there_is_one_failure_and_nothing_else_is_tried() {
    let late = Options { deadline: Duration::from_secs(1), ..options() };
    for (fault, options, part) in [
        ("garbage", options(), "isn't UTF-8"),
        ("endless-line", options(), "a reply of more than 16777216 bytes, which begins `xxx"),
        ("flood", options(), r#"`{"frame":"ready""#),
        ("incomplete-hello", options(), "the key `clocks` is missing"),
        ("later-wire", options(), r#""wire": 2"#),
        ("never-hello", late.clone(), "no answer in time"),
        ("closes-the-wire", late.clone(), "no answer in time"),
        ("ignores-the-wire", late, "no answer in time"),
    ] {
        let report = replay(fault, &options);
        let (_, got) = failure(&report, "sessions/hello");
        assert!(got.contains(part), "--break {fault}: {got}");
        assert!(!got.contains('\u{1b}'), "a control character in {got}");
        let others = report.checks.iter().filter(|check| check.name != "sessions/hello" && check.name != "quiet");
        for check in others {
            assert!(matches!(&check.outcome, Outcome::Skipped(reason) if reason.contains("hello")), "{check}");
        }
        assert!(!report.conforms());
    }
}

#[test]
fn a_worker_that_stops_listening_is_given_up() {
    let report = replay("deaf", &patient(&["sessions/clock", "frames/bad/too-long"]));
    assert_eq!(failure(&report, "sessions/clock").1, "no answer in time");
    let (expected, got) = failure(&report, "frames/bad/too-long");
    assert!(expected.starts_with("to take the request `{\"frame\":\"finish\""), "{expected}");
    assert!(got.starts_with("it doesn't read its input: "), "{got}");
    let report = replay("hangs-on-kernels", &patient(&["sessions/kernel"]));
    assert_eq!(failure(&report, "sessions/kernel (text)").1, "no answer in time");
}

#[test]
fn a_command_that_cant_be_started_fails_the_check_for_hello() {
    let report = run(&["/nonexistent/worker".to_owned()], &options()).unwrap();
    let (expected, got) = failure(&report, "sessions/hello");
    assert_eq!(expected, "a worker");
    assert!(got.starts_with("/nonexistent/worker can't be started: "), "{got}");
    assert_eq!(failed(&report).len(), 1);
}

#[test]
fn a_plain_command_is_no_worker() {
    let report = run(&["cat".to_owned()], &Options { deadline: Duration::from_millis(200), ..options() }).unwrap();
    assert!(failed(&report).contains("sessions/hello"));
    let report = run(&["true".to_owned()], &options()).unwrap();
    assert_eq!(failure(&report, "sessions/hello").1, "it has ended (exit status: 0)");
}

#[test]
fn known_failures_are_run_and_reported_when_they_pass() {
    let list =
        "frames/bad/duplicate-*  the reader keeps the last\nsessions/clock done meanwhile\nsessions/no-such-* x\n";
    let options = Options {
        known_failing: KnownFailing::parse(list).unwrap(),
        ..only(&["sessions/clock", "frames/bad/duplicate-*"])
    };
    let report = replay("duplicates", &options);
    let known = Outcome::KnownFailing { reason: "the reader keeps the last".to_owned() };
    assert_eq!(check(&report, "frames/bad/duplicate-key").outcome, known);
    assert_eq!(check(&report, "frames/bad/duplicate-id").outcome, Outcome::UnexpectedlyPassing);
    assert_eq!(check(&report, "sessions/clock").outcome, Outcome::UnexpectedlyPassing);
    assert_eq!(report.unmatched, ["sessions/no-such-*"]);
    assert_eq!(failed(&report), BTreeSet::new());
    assert!(!report.conforms(), "an entry that should go is a fault of the list");

    let exact = "frames/bad/duplicate-[kfu]* globs have no classes\n";
    let options = Options { known_failing: KnownFailing::parse(exact).unwrap(), ..options };
    assert_eq!(failed(&replay("duplicates", &options)).len(), 3);
}

#[test]
fn what_cant_be_checked_at_all_is_an_error() {
    assert!(matches!(run(&[], &options()), Err(ConformanceError::NoCommand)));
    let options = Options { source: Some(tests().join("no such source")), ..options() };
    let error = run(&worker(None), &options).unwrap_err();
    assert!(error.to_string().contains("no such source"), "{error}");
}

#[test]
fn a_check_reads_well() {
    let failed = Check {
        clause: "2.4".to_owned(),
        name: "sessions/garbage".to_owned(),
        outcome: Outcome::Failed { expected: "a fault".to_owned(), got: "no answer in time".to_owned() },
    };
    let expected =
        "FAILED   sessions/garbage (PROTOCOL 2.4)\n         expected: a fault\n         got:      no answer in time";
    assert_eq!(failed.to_string(), expected);
}
