//! Which benchmarks there are, where they stand, and those that keep others from being found.

use std::fs;
use std::path::Path;

use tare_samples::FailureKind;
use tare_worker::{Ready, ready};

use crate::{PATIENCE, built, go, launch, load, package};

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
    assert_eq!((counts.file.as_deref(), counts.line), (package("measures/measures_test.go").to_str(), Some(12)));

    // What one process found, the next ones are told, in the same order.
    let mut conversation = launch(&ready);
    assert_eq!(load(&ready, &mut conversation).cases, found.cases);
    conversation.close();
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
    let of = |name: &str| said.iter().filter(|(message, _, _)| message.starts_with(name)).collect::<Vec<_>>();
    // The parent, which failed with it, has nothing of its own to say.
    let parent = of("BenchmarkParent");
    assert_eq!((parent.len(), parent[0].0), (1, "BenchmarkParent/child: too young"));
    // Go's own complaint has a place in Go's own source: that of the benchmark is told. Before 1.24 there is no b.Loop.
    let left = of("BenchmarkLeavesLoop");
    let source = package("fails/loop_test.go");
    assert!(left.iter().all(|left| (left.1, left.2) == (source.to_str(), Some(7))), "{left:?}");
    assert_eq!(said.len(), 3 + left.len());
    let skipped = found.cases.iter().find(|case| case.benchmark == "BenchmarkSkip").unwrap();
    assert_eq!(skipped.skip.as_deref(), Some("needs another machine"));
    assert!(found.cases.iter().any(|case| case.benchmark == "BenchmarkFine"));
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
fn a_package_without_benchmarks_is_empty() {
    let ready = built("none");
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    assert!(found.cases.is_empty() && found.notices.is_empty());
    conversation.close();
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

/// A package of its own in a temporary folder.
fn package_of(text: &str) -> (tempfile::TempDir, Ready) {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::canonicalize(folder.path()).unwrap();
    fs::write(source.join("go.mod"), "module example.test/own\n\ngo 1.21\n").unwrap();
    fs::write(source.join("own_test.go"), text).unwrap();
    let made = ready(&go(&["go"]), &source, &mut |_| {}).unwrap();
    (folder, made)
}

#[test]
fn a_package_whose_test_main_ends_well_before_anything_runs_has_opted_out() {
    let text = r"package own

import (
	`os`
	`testing`
)

func TestMain(m *testing.M) { os.Exit(0) }

func BenchmarkA(b *testing.B) {}
"
    .replace('`', "\"");
    let failure_of = |text: &str| {
        let (folder, ready) = package_of(text);
        let mut conversation = launch(&ready);
        let failed = conversation.load(&ready.files, None, PATIENCE).unwrap_err();
        conversation.close();
        (ready.opted_out(&failed), folder)
    };
    let (why, folder) = failure_of(&text);
    let place = fs::canonicalize(folder.path()).unwrap();
    assert!(why.unwrap().starts_with(&format!("{} is left out", place.display())));
    assert_eq!(failure_of(&text.replace("os.Exit(0)", "os.Exit(1)")).0, None);
    // A benchmark that ends the process is one that fails, with whatever status.
    let ends = text.replace("os.Exit(0)", "os.Exit(m.Run())").replace("B) {}", "B) { os.Exit(0) }");
    assert_eq!(failure_of(&ends).0, None);
}

#[test]
fn what_runs_in_parallel_is_told_in_each_process() {
    let text = r"package own

import `testing`

func BenchmarkAlone(b *testing.B) {}

func BenchmarkTogether(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
		}
	})
}
"
    .replace('`', "\"");
    let (_folder, ready) = package_of(&text);
    for _ in 0..2 {
        let mut conversation = launch(&ready);
        let found = load(&ready, &mut conversation);
        conversation.close();
        let told: Vec<_> = found.cases.iter().map(|case| (case.benchmark.as_str(), case.parallel)).collect();
        assert_eq!(told, [("BenchmarkAlone", false), ("BenchmarkTogether", true)]);
    }
}

#[test]
fn what_is_left_out_of_the_list_does_not_run() {
    let text = r"package own

import (
	`os`
	`testing`
)

func BenchmarkA(b *testing.B) {}

func BenchmarkEnds(b *testing.B) { os.Exit(3) }
"
    .replace('`', "\"");
    let (_folder, mut ready) = package_of(&text);
    ready.list_without(&["BenchmarkEnds".to_owned(), "BenchmarkOther".to_owned()]);
    let mut conversation = launch(&ready);
    let found = load(&ready, &mut conversation);
    conversation.close();
    assert_eq!(found.cases.iter().map(|case| case.benchmark.as_str()).collect::<Vec<_>>(), ["BenchmarkA"]);
}
