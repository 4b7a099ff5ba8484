//! Real packages, built by the installed Go and driven over the wire. What is asserted is structure, counts and places, never
//! time.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tare_samples::{Failure, FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Enumeration, Finished, Launcher, ProcessLauncher, Ready, ready};

/// For what has to come; never waited for to its end where all is well.
const PATIENCE: Duration = Duration::from_secs(120);
/// For what never comes.
const SHORT: Duration = Duration::from_millis(300);

fn package(name: &str) -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/go/tests/fixtures")).unwrap().join(name)
}

fn go(words: &[&str]) -> RuntimeCommand {
    RuntimeCommand {
        name: "go".to_owned(),
        driver: "go".to_owned(),
        command: words.iter().map(|word| (*word).to_owned()).collect(),
        ..RuntimeCommand::default()
    }
}

fn built(name: &str) -> Ready {
    ready(&go(&["go"]), &package(name), &mut |_| {}).unwrap_or_else(|failure| panic!("{failure}\n{}", failure.stderr))
}

fn launch(ready: &Ready) -> Conversation {
    ProcessLauncher::new(Vec::new(), &[], PATIENCE).launch(&ready.start, 1).unwrap()
}

fn load(ready: &Ready, conversation: &mut Conversation) -> Enumeration {
    conversation.load(&ready.files, None, PATIENCE).unwrap()
}

/// A fresh process of `name` with `benchmark` prepared.
fn prepared(name: &str, benchmark: &str) -> (Conversation, bool) {
    let ready = built(name);
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    let number = found.cases.iter().position(|case| case.benchmark == benchmark).unwrap();
    let prepared = conversation.prepare(number as u64, benchmark, "", None, PATIENCE).unwrap();
    (conversation, prepared.pauses)
}

fn run(conversation: &mut Conversation, subject: &str, iterations: &[u64]) -> Result<tare_frames::Samples, Failure> {
    conversation.run(subject, 0, iterations, PATIENCE)
}

fn finish(mut conversation: Conversation) -> Finished {
    let finished = conversation.finish(PATIENCE).unwrap();
    conversation.close();
    finished
}

fn metric(finished: &Finished, name: &str) -> String {
    finished.reported.metrics.iter().find(|(metric, _)| metric == name).unwrap().1.clone()
}

#[test]
fn every_leaf_is_a_case_at_its_place() {
    let ready = built("measures");
    let mut conversation = launch(&ready);
    assert_eq!(conversation.hello().language, "go");
    assert!(conversation.hello().facts.contains(&("stopped-timer".to_owned(), "cheap".to_owned())));
    let found = load(&ready, &mut conversation);
    conversation.close();
    let names: Vec<_> = found.cases.iter().map(|case| case.benchmark.as_str()).collect();
    for name in [
        "BenchmarkCounts",
        "BenchmarkSubs/size=1/a_name",
        "BenchmarkSubs/size=1/same",
        "BenchmarkSubs/size=1/same#01",
        "BenchmarkSubs/size=2/same#01",
    ] {
        assert!(names.contains(&name), "{name} isn't in {names:?}");
    }
    assert!(!names.contains(&"BenchmarkSubs"), "a benchmark with others in it is no case");
    assert!(!names.contains(&"BenchmarkTagged"));
    let counts = found.cases.iter().find(|case| case.benchmark == "BenchmarkCounts").unwrap();
    assert_eq!((counts.file.as_deref(), counts.line), (package("measures/measures_test.go").to_str(), Some(11)));

    // What one process found, the next ones are told, in the same order.
    let mut conversation = launch(&ready);
    assert_eq!(load(&ready, &mut conversation).cases, found.cases);
    conversation.close();
}

#[test]
fn tags_and_other_build_flags_stand_behind_the_command() {
    let ready = ready(&go(&["env", "GOGC=200", "go", "-tags=extra"]), &package("measures"), &mut |_| {}).unwrap();
    assert!(ready.start.environment.contains(&("GOGC".to_owned(), "200".to_owned())));
    let mut conversation = launch(&ready);
    assert!(conversation.hello().facts.contains(&("GOGC".to_owned(), "200".to_owned())));
    assert!(load(&ready, &mut conversation).cases.iter().any(|case| case.benchmark == "BenchmarkTagged"));
    conversation.close();
}

#[test]
fn a_sample_is_the_number_of_calls_that_was_asked_for() {
    for benchmark in ["BenchmarkCounts", "BenchmarkLoops"] {
        for calls in [1, 2, 3, 1000] {
            let (mut conversation, pauses) = prepared("measures", benchmark);
            assert!(!pauses);
            assert_eq!(run(&mut conversation, "case", &[7, calls]).unwrap().elapsed.len(), 2);
            // The scale has the loop of the case, and leaves its figures alone.
            run(&mut conversation, "null", &[5]).unwrap();
            run(&mut conversation, "kernel/text", &[5]).unwrap();
            assert_eq!(metric(&finish(conversation), "calls"), calls.to_string(), "{benchmark}");
        }
    }
}

#[test]
fn stopped_timers_are_counted_in_case_and_scale() {
    for benchmark in ["BenchmarkPauses", "BenchmarkLoopPauses"] {
        let (mut conversation, pauses) = prepared("measures", benchmark);
        assert!(pauses);
        assert_eq!(run(&mut conversation, "case", &[1, 10, 100]).unwrap().pauses, [1, 10, 100], "{benchmark}");
        assert_eq!(run(&mut conversation, "pause", &[1, 10, 100]).unwrap().pauses, [1, 10, 100]);
        assert_eq!(run(&mut conversation, "null", &[10]).unwrap().pauses, Vec::<u64>::new());
        conversation.close();
    }
}

#[test]
fn pairs_before_a_reset_are_not_in_the_time() {
    for benchmark in ["BenchmarkResets", "BenchmarkResetsLate", "BenchmarkNeverStarts"] {
        let (mut conversation, pauses) = prepared("measures", benchmark);
        assert!(!pauses, "{benchmark}");
        let samples = run(&mut conversation, "case", &[100, 100]).unwrap();
        assert_eq!(samples.pauses, [0, 0], "{benchmark}");
        if benchmark == "BenchmarkNeverStarts" {
            assert_eq!(samples.elapsed, [0, 0]);
            assert_eq!(metric(&finish(conversation), "elapsed"), "0");
        } else {
            conversation.close();
        }
    }
}

#[test]
fn parents_live_while_their_leaf_is_measured() {
    let (mut conversation, _) = prepared("measures", "BenchmarkSubs/size=2/same#01");
    run(&mut conversation, "case", &[100]).unwrap();
    let finished = finish(conversation);
    assert_eq!(metric(&finished, "state"), "7", "the parent's deferred function hasn't run");
    assert_eq!(metric(&finished, "size"), "2");
}

#[test]
fn what_a_benchmark_reports_is_passed_on() {
    let (mut conversation, pauses) = prepared("measures", "BenchmarkReports");
    assert!(pauses);
    run(&mut conversation, "case", &[10]).unwrap();
    let counted = run(&mut conversation, "allocations", &[10, 1000]).unwrap();
    // 64 bytes a call; what is allocated while the timer is stopped doesn't count.
    for (i, calls) in [10, 1000].into_iter().enumerate() {
        assert!((calls..calls + 10).contains(&counted.allocations[i]), "{counted:?}");
        assert!((calls * 64..calls * 64 + 4096).contains(&counted.allocated_bytes[i]), "{counted:?}");
    }
    let finished = finish(conversation);
    assert_eq!(finished.reported.bytes, Some(4096));
    assert_eq!(metric(&finished, "widgets/op"), "2.5");
    assert_eq!(metric(&finished, "much"), "1e+300");
}

#[test]
fn figures_that_the_core_would_refuse_are_left_out() {
    let (mut conversation, _) = prepared("measures", "BenchmarkReportsTooMuch");
    run(&mut conversation, "case", &[10]).unwrap();
    let finished = finish(conversation);
    assert_eq!(finished.reported.bytes, None);
    assert_eq!(finished.reported.metrics, [("sane".to_owned(), "1".to_owned())]);
}

#[test]
fn parallel_and_leaking_benchmarks_are_labelled() {
    let (mut conversation, _) = prepared("measures", "BenchmarkParallel");
    run(&mut conversation, "case", &[1, 500]).unwrap();
    let finished = finish(conversation);
    assert_eq!(metric(&finished, "calls"), "500");
    assert!(finished.reported.labels.contains(&"parallel".to_owned()));
    assert!(!finished.reported.labels.iter().any(|label| label.contains("left")));

    let (mut conversation, _) = prepared("measures", "BenchmarkLeaks");
    run(&mut conversation, "case", &[1, 1]).unwrap();
    // One in the first run that every benchmark has, and one a sample.
    assert!(finish(conversation).reported.labels.contains(&"left 3 goroutines running".to_owned()));
}

#[test]
fn each_sample_has_its_own_clean_up() {
    let (mut conversation, _) = prepared("measures", "BenchmarkCleans");
    run(&mut conversation, "case", &[3, 3, 3]).unwrap();
    assert_eq!(metric(&finish(conversation), "open"), "1");
}

#[test]
fn a_test_main_frames_the_worker() {
    let ended = tempfile::NamedTempFile::new().unwrap();
    let mut ready = built("starts");
    ready.start.environment.push(("STARTS_ENDED".to_owned(), ended.path().to_str().unwrap().to_owned()));
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    let names: Vec<_> = found.cases.iter().map(|case| case.benchmark.as_str()).collect();
    assert_eq!(names, ["BenchmarkState", "BenchmarkReadsInput", "BenchmarkStartsItself", "BenchmarkFolder"]);
    assert!(found.notices.is_empty(), "{:?}", found.notices);
    conversation.prepare(1, "BenchmarkReadsInput", "", None, PATIENCE).unwrap();
    // The request after it is there although the benchmark reads all of standard input.
    run(&mut conversation, "case", &[1, 1]).unwrap();
    assert_eq!(metric(&finish(conversation), "bytes"), "0");
    assert_eq!(fs::read_to_string(ended.path()).unwrap(), "ended", "the end of TestMain has run");
}

#[test]
fn one_that_fails_is_said_and_the_others_are_there() {
    let ready = built("fails");
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    conversation.close();
    let file = package("fails/fails_test.go");
    let said: Vec<_> = found.notices.iter().map(|n| (n.message.as_str(), n.file.as_deref(), n.line)).collect();
    assert_eq!(said[0], ("BenchmarkFatal: at once", file.to_str(), Some(12)));
    assert!(said[1].0.starts_with("BenchmarkPanic: panic: runtime error: index out of range"), "{said:?}");
    assert_eq!((said[1].1, said[1].2), (file.to_str(), Some(17)));
    assert_eq!(said.len(), 2);
    let skipped = found.cases.iter().find(|case| case.benchmark == "BenchmarkSkip").unwrap();
    assert_eq!(skipped.skip.as_deref(), Some("needs another machine"));
    assert!(found.cases.iter().any(|case| case.benchmark == "BenchmarkFine"));
}

#[test]
fn a_sample_that_fails_is_a_fault_and_the_worker_goes_on() {
    for (benchmark, message, line) in [
        ("BenchmarkFatalLater", "BenchmarkFatalLater: no 13", 33),
        ("BenchmarkErrorLater", "BenchmarkErrorLater: wrong", 39),
        ("BenchmarkSkipLater", "BenchmarkSkipLater skipped itself: enough", 45),
        ("BenchmarkPanicLater", "BenchmarkPanicLater: panic: broken at 13", 55),
        ("BenchmarkOddPanicLater", "BenchmarkOddPanicLater: panic: a value that can't be printed", 61),
    ] {
        let (mut conversation, _) = prepared("fails", benchmark);
        for _ in 0..2 {
            run(&mut conversation, "case", &[12]).unwrap();
            let failed = run(&mut conversation, "case", &[1, 13, 1]).unwrap_err();
            assert_eq!((failed.kind, failed.message.as_str(), failed.line), (FailureKind::Exception, message, line));
            assert_eq!(failed.file, package("fails/fails_test.go").to_str().unwrap());
            assert_eq!(failed.stderr.contains("fails.Benchmark"), benchmark.contains("Panic"), "{}", failed.stderr);
        }
        run(&mut conversation, "null", &[12]).unwrap();
        conversation.close();
    }
}

#[test]
fn a_process_that_ends_says_what_it_said() {
    for (benchmark, said) in [
        ("BenchmarkPanicElsewhereLater", "in a goroutine of its own"),
        ("BenchmarkExitLater", "leaving"),
        ("BenchmarkDeadlockLater", "deadlock"),
    ] {
        let (mut conversation, _) = prepared("fails", benchmark);
        let failed = run(&mut conversation, "case", &[13]).unwrap_err();
        assert_eq!(failed.kind, FailureKind::Exit, "{failed}");
        assert!(format!("{}{}", failed.stdout, failed.stderr).contains(said), "{failed:?}");
    }
    let (mut conversation, _) = prepared("fails", "BenchmarkHangsLater");
    let failed = conversation.run("case", 0, &[13], SHORT).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Timeout);
}

#[test]
fn names_that_change_are_no_benchmark_to_measure() {
    let ready = built("fails");
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    let number = found.cases.iter().position(|case| case.benchmark.starts_with("BenchmarkNamesChange/")).unwrap();
    let name = found.cases[number].benchmark.clone();
    let failed = conversation.prepare(number as u64, &name, "", None, PATIENCE).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Provider);
    assert!(failed.remedy.contains("same names"));
    conversation.close();
}

#[test]
fn what_cannot_be_built_says_where() {
    let tell = &mut |_: &str| {};
    let failed = ready(&go(&["go"]), &package("broken"), tell).unwrap_err();
    assert_eq!((failed.kind, failed.line), (FailureKind::Load, 6), "{failed}");
    assert_eq!(failed.file, package("broken/broken_test.go").to_str().unwrap());
    let failed = ready(&go(&["go"]), &package("unparsable"), tell).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Syntax, "{failed}");
    assert!(failed.file.ends_with("unparsable_test.go") && failed.line > 0, "{failed}");
    let failed = ready(&go(&["no-such-go"]), &package("measures"), tell).unwrap_err();
    assert_eq!(failed.kind, FailureKind::Runtime);
    let failed = ready(&go(&["false"]), &package("measures"), tell).unwrap_err();
    assert!(failed.message.contains("no go command that works"), "{failed}");
}

#[test]
fn a_package_without_benchmarks_is_empty() {
    let ready = built("none");
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    assert!(found.cases.is_empty() && found.notices.is_empty());
    conversation.close();
}

#[test]
fn an_unchanged_package_is_not_built_again_and_a_changed_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/changing\n\ngo 1.21\n").unwrap();
    let write = |body: &str| {
        let text = format!("package changing\n\nimport \"testing\"\n\nfunc Benchmark{body}(b *testing.B) {{}}\n");
        fs::write(source.join("changing_test.go"), text).unwrap();
    };
    let mut builds = 0;
    let mut binary = || {
        ready(&go(&["go"]), &source, &mut |_| builds += 1)
            .map(|ready| (ready.start.command[0].clone(), builds))
            .unwrap()
    };
    write("One");
    let (first, count) = binary();
    assert_eq!(count, 1);
    // As if it had been built long ago: the measurement that begins now keeps it.
    let age = |path: &str| {
        let file = fs::File::open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60)).unwrap();
    };
    age(&first);
    assert_eq!(binary(), (first.clone(), 1));
    write("Other");
    let (second, count) = binary();
    assert_eq!(count, 2);
    assert_ne!(first, second);
    assert!(Path::new(&first).is_file(), "a measurement under way keeps its binary");
    age(&first);
    fs::write(source.join("more.go"), "package changing\n").unwrap();
    assert_eq!(binary().1, 3);
    assert_eq!(binary().1, 3);
    assert!(!Path::new(&first).exists(), "nobody has used it for long");
}

#[test]
fn a_new_file_that_is_embedded_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/embedding\n\ngo 1.21\n").unwrap();
    for (name, package, embedded) in [
        ("own.go", "embedding", "own/*.txt"),
        ("in_test.go", "embedding", "in"),
        ("out_test.go", "embedding_test", "o*/*"),
    ] {
        let text = format!("package {package}\n\nimport \"embed\"\n\n//go:embed {embedded}\nvar Files embed.FS\n");
        fs::write(source.join(name), text.replace("Files", if name == "in_test.go" { "Inner" } else { "Files" }))
            .unwrap();
    }
    for folder in ["own", "in/deep", "out"] {
        fs::create_dir_all(source.join(folder)).unwrap();
        fs::write(source.join(folder).join("first.txt"), "first").unwrap();
    }
    let mut builds = 0;
    let mut count = || {
        ready(&go(&["go"]), &source, &mut |_| builds += 1).unwrap_or_else(|failure| panic!("{failure:?}"));
        builds
    };
    assert_eq!(count(), 1);
    for (i, name) in ["own/second.txt", "in/deep/second.txt", "out/second.txt"].into_iter().enumerate() {
        fs::write(source.join(name), "second").unwrap();
        assert_eq!(count(), i + 2, "{name}");
        assert_eq!(count(), i + 2, "{name}");
    }
}

#[test]
fn what_the_go_command_gives_no_account_of_is_built_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/unlisted\n\ngo 1.21\n").unwrap();
    fs::write(source.join("a_test.go"), "package unlisted\n").unwrap();
    let mut builds = 0;
    for count in 1..3 {
        // `go list` doesn't know this flag of `go test`.
        let ready = ready(&go(&["go", "-cpu=1"]), &source, &mut |_| builds += 1).unwrap();
        assert!(Path::new(&ready.start.command[0]).is_file());
        assert_eq!(builds, count);
    }
}

#[test]
fn one_that_ends_or_hangs_its_process_is_named_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/ends\n\ngo 1.21\n").unwrap();
    let text = r#"package ends

import (
	"os"
	"testing"
)

func BenchmarkBefore(b *testing.B) {}

func BenchmarkExits(b *testing.B) { os.Exit(3) }

func BenchmarkSubs(b *testing.B) {
	b.Run("fine", func(b *testing.B) {})
	b.Run("stuck", func(b *testing.B) { <-make(chan bool) })
	b.Run("fine too", func(b *testing.B) {})
}

func BenchmarkEndsAfterSubs(b *testing.B) {
	b.Run("sub", func(b *testing.B) {})
	os.Exit(4)
}

func BenchmarkAfter(b *testing.B) {
	if os.Getenv("TARE_LEAVE_OUT") != "" {
		b.Fatal("the worker's own")
	}
}
"#;
    fs::write(source.join("ends_test.go"), text).unwrap();
    let mut ready = ready(&go(&["go"]), &source, &mut |_| {}).unwrap();
    assert_eq!(ready.leave_out(), None);
    for (benchmark, line) in [("BenchmarkExits", 10), ("BenchmarkSubs/stuck", 14), ("BenchmarkEndsAfterSubs", 18)] {
        let mut conversation = launch(&ready);
        let failed = conversation.load(&ready.files, None, PATIENCE).unwrap_err();
        conversation.close();
        assert_eq!(failed.kind, FailureKind::Exit, "{failed}");
        let left_out = ready.leave_out().unwrap();
        assert_eq!((left_out.benchmark.as_str(), left_out.line), (benchmark, line));
        assert_eq!(Path::new(&left_out.file), source.join("ends_test.go"));
    }
    let mut names = Vec::new();
    for _ in 0..2 {
        let mut conversation = launch(&ready);
        let found = load(&ready, &mut conversation);
        conversation.close();
        assert!(found.notices.is_empty(), "{:?}", found.notices);
        names.push(found.cases.into_iter().map(|case| case.benchmark).collect::<Vec<_>>());
        assert_eq!(ready.leave_out(), None);
    }
    assert_eq!(names[0], ["BenchmarkBefore", "BenchmarkSubs/fine", "BenchmarkSubs/fine_too", "BenchmarkAfter"]);
    assert_eq!(names[0], names[1]);
}
