//! Comparisons of which one side fails: it is said which, with what the compiler or the parser said, and the other side isn't measured
//! for nothing.

use serde_json::json;

use crate::harness::{Dir, assert_failure};

const BROKEN: &str = "<?php\nfinal class WorkBench { public function benchWork(: void {} }\n";

/// The first commit can't be loaded, the second can.
fn broken_at_first() -> Dir {
    let dir = Dir::repository();
    dir.file("WorkBench.php", BROKEN).commit("broken");
    dir.work(20).commit("mended");
    dir
}

#[test]
fn where_one_side_fails_nothing_is_compared_and_nothing_measured() {
    let dir = broken_at_first();
    for (base, candidate, failing) in [("HEAD~1", "HEAD", "HEAD~1"), ("HEAD", "HEAD~1", "HEAD~1")] {
        for more in [&[][..], &["--fail-on", "slower"], &["--control"]] {
            let shown = dir.compare(base, candidate, more).finish(4);
            shown
                .says_once(&[
                    "failed: WorkBench.php:2",
                    &format!("syntax: {failing}: "),
                    "no case is on both sides, so Tare measured nothing",
                ])
                .never_says(&["pilot", "checkouts"]);
        }
    }
    assert!(!dir.store().exists(), "half a comparison was stored");
    dir.assert_nothing_is_left();
}

#[test]
fn reports_that_others_read_have_the_failure_too() {
    let dir = broken_at_first();
    let shown =
        dir.compare("HEAD~1", "HEAD", &["--json", "--junit", "junit.xml", "--markdown", "summary.md"]).finish(4);
    let document = shown.document();
    assert_eq!((document.cases().len(), document.compared().len()), (0, 0));
    assert_eq!(document.0["failures"].as_array().unwrap().len(), 1);
    assert_failure(
        &document.0["failures"][0],
        &json!({"kind": "syntax", "message": "HEAD~1: ", "file": "WorkBench.php", "line": 2}),
    );
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    assert!(read("junit.xml").contains("WorkBench.php"), "{}", read("junit.xml"));
    assert!(read("summary.md").contains("1 failed"), "{}", read("summary.md"));
}

#[test]
fn what_fails_on_both_sides_is_told_once_with_both_names() {
    let dir = Dir::repository();
    dir.file("WorkBench.php", BROKEN).good().commit("one");
    dir.commit("two");
    let shown = dir.compare("HEAD~1", "HEAD", &[]).finish(4);
    shown.says_once(&["syntax: HEAD~1 and HEAD: "]).never_says(&["not measured"]);
    assert_eq!(dir.stored().compared(), [["GoodBench::benchGood", "HEAD~1", "HEAD"]]);
}

#[test]
fn a_side_that_does_not_build_is_named_with_what_the_compiler_said() {
    let dir = Dir::two_commits();
    let make = dir.path().join("../make.sh");
    dir.file("../make.sh", "grep -q 40 WorkBench.php || { echo 'work.cc:3:5: error: no such luck' >&2; exit 2; }\n");
    dir.file("tare.toml", &format!("[run]\nbuild = \"sh '{}'\"\n", make.display()));
    let built = "the build command of tare.toml ended with exit status: 2";
    let shown = dir.compare("HEAD", "HEAD~1", &[]).finish(4);
    shown.says_once(&[&format!("HEAD~1: {built}"), "work.cc:3:5: error: no such luck"]);
    shown.never_says(&["pilot"]);
    assert!(!dir.store().exists());
    dir.assert_nothing_is_left();
    // The change that adds the benchmarks is the first that can build them: nothing of it is slower than before.
    let shown = dir.compare("HEAD~1", "HEAD", &["--fail-on", "slower"]).finish(0);
    shown.says_once(&[
        &format!("HEAD~1: {built}"),
        "HEAD~1 counts as a revision without benchmarks",
        "only in HEAD: WorkBench::benchWork",
        "no gate tripped",
    ]);
}

/// What a build reads is there with the failure, or isn't there at all: an empty file is neither.
#[test]
fn reports_are_of_a_failure_or_not_there() {
    let dir = Dir::two_commits();
    let files = ["junit.xml", "summary.md"];
    let reports = ["--junit", files[0], "--markdown", files[1]];
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
    let without_report = |arguments: &[&str]| {
        dir.tare(&[arguments, &reports].concat()).finish(2);
        assert_eq!(files.map(read), [None, None], "{arguments:?}");
        // One of before stays as it was.
        dir.file(files[0], "before").file(files[1], "before");
        dir.tare(&[arguments, &reports].concat()).finish(2);
        for file in files {
            assert_eq!(read(file).as_deref(), Some("before"), "{arguments:?}");
            std::fs::remove_file(dir.path().join(file)).unwrap();
        }
    };
    without_report(&["compare", "HEAD~1", "HEAD", "--filter", "nothing-has-this-name"]);
    without_report(&["run", "WorkBench.php", "--fail-on", "slower"]);

    let with_failure = |arguments: &[&str], message: &str| {
        // The end of a longer one doesn't stay.
        for file in files {
            dir.file(file, &"before ".repeat(1000));
        }
        dir.tare(&[arguments, &reports].concat()).finish(4);
        for file in files {
            let report = read(file).unwrap();
            assert!(report.contains(message) && !report.contains("before"), "{file}: {report}");
        }
        let junit = read(files[0]).unwrap();
        assert!(junit.contains("errors=\"1\"") && junit.contains("<error message="), "{junit}");
    };
    dir.file("BrokenBench.php", BROKEN);
    with_failure(&["run", "BrokenBench.php"], "syntax");
    let prepare = ["compare", "HEAD~1", "HEAD", "--prepare", "echo no such luck; exit 3"];
    with_failure(&prepare, "no such luck");
    dir.file("tare.toml", "[run]\nbuild = \"echo no such luck; exit 2\"\n");
    with_failure(&["compare", "HEAD~1", "HEAD"], "no such luck");
    with_failure(&["run", "WorkBench.php"], "no such luck");
    dir.assert_nothing_is_left();
}
