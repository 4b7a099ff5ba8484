//! `tare compare BASE HEAD --benchmarks HEAD`: one side's benchmark files, the code of both.

use serde_json::Value;

use crate::harness::Dir;

const OLD: &str = "<?php\nfunction work() { return md5('x'); }\n";
const BENCH: &str = "<?php\nrequire_once __DIR__ . '/../work.php';\nfinal class WorkBench { public function benchWork() { work(); } }\n";
const MORE: &str = "<?php\nrequire_once __DIR__ . '/../work.php';\nfinal class WorkBench {\n    public function benchWork() { work(); }\n    public function benchData() { strlen(file_get_contents(__DIR__ . '/data.txt')); work(); }\n}\n";

/// A base with one benchmark, and a head with other code, one more benchmark, and what that reads.
fn repository() -> Dir {
    let dir = Dir::repository();
    dir.file("work.php", OLD);
    dir.file("bench/WorkBench.php", BENCH);
    dir.commit("base");
    dir.file("work.php", &OLD.replace("md5('x')", "md5(str_repeat('x', 99))"));
    dir.file("bench/WorkBench.php", MORE);
    dir.file("bench/data.txt", "1");
    dir.commit("head");
    dir
}

fn compared(document: &Value) -> Vec<&str> {
    document["comparisons"].as_array().unwrap().iter().map(|pair| pair["candidate"].as_str().unwrap()).collect()
}

#[test]
fn todays_benchmarks_run_on_yesterdays_code() {
    let dir = repository();
    let document = dir.compare("HEAD~1", "HEAD", &["--json"]).finish(0).document();
    assert_eq!(compared(&document.0).len(), 1, "the new one has nothing to be compared with");
    let shown = dir.compare("HEAD~1", "HEAD", &["--benchmarks", "HEAD", "--json"]).finish(0);
    let document = shown.document();
    assert_eq!(compared(&document.0).len(), 2, "{:#}", document.0);
    // Both have the files of the base.
    let document = dir.compare("HEAD~1", "HEAD", &["--benchmarks", "HEAD~1", "--json"]).finish(0).document();
    assert_eq!(compared(&document.0).len(), 1);
    assert!(document.0["unpaired"].as_array().is_none_or(Vec::is_empty), "{:#}", document.0);
    // The working tree gives its own, as they are.
    dir.file("bench/WorkBench.php", &MORE.replace("benchData", "benchToday"));
    let document = dir.compare("HEAD~1", ".", &["--benchmarks", ".", "--json"]).finish(0).document();
    let cases = compared(&document.0);
    assert!(cases.len() == 2 && cases.iter().any(|case| case.contains("benchToday")), "{cases:?}");
}

#[test]
fn whose_benchmarks_are_measured_has_to_be_one_of_the_sides() {
    let dir = repository();
    dir.compare("HEAD~1", "HEAD", &["--benchmarks", "main"])
        .finish(2)
        .says_once(&["--benchmarks HEAD~1 or --benchmarks HEAD"]);
    dir.compare("HEAD", ".", &["--benchmarks", "HEAD"]).finish(2).says_once(&["measured in place"]);
}
