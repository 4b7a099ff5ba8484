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

#[test]
fn what_the_base_hasnt_got_yet_is_only_in_the_candidate() {
    let dir = repository();
    // One calls a function that the base lacks, one doesn't load there.
    dir.file("work.php", &format!("{OLD}function other() {{ return md5('y'); }}\n"));
    dir.file("new.php", "<?php\nfunction fresh() { return md5('z'); }\n");
    let other = "    public function benchOther() { other(); }\n}\n";
    dir.file("bench/WorkBench.php", &BENCH.replace(" }\n", &format!("\n{other}")));
    dir.file(
        "bench/NewBench.php",
        "<?php\nrequire_once __DIR__ . '/../new.php';\nfinal class NewBench { public function benchNew() { fresh(); } }\n",
    );
    dir.commit("more");
    let arguments = ["--benchmarks", "HEAD", "--fail-on", "slower=50%", "--json"];
    let document = dir.compare("HEAD~1", "HEAD", &arguments).finish(0).document();
    assert_eq!(compared(&document.0), ["php/WorkBench::benchWork@HEAD"], "{:#}", document.0);
    let only: Vec<&str> =
        document.0["unpaired"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert!(only.contains(&"WorkBench::benchOther") && only.contains(&"NewBench::benchNew"), "{only:?}");
    let shown = dir.compare("HEAD~1", "HEAD", &["--benchmarks", "HEAD"]).finish(0);
    shown.says_once(&["HEAD~1 fails with the benchmark files of HEAD: Error: Call to undefined function other()"]);
    // The base's files on a candidate that has lost a function: that is a break.
    dir.compare("HEAD", "HEAD~1", &["--benchmarks", "HEAD"]).finish(4);
}

/// Each part, as each node of a fleet, has the files that the comparison was asked for.
#[test]
fn parts_measure_the_lent_benchmarks_too() {
    let dir = repository();
    let stores = ["one", "two"];
    for (store, shard) in stores.iter().zip(["1/2", "2/2"]) {
        dir.compare("HEAD~1", "HEAD", &["--benchmarks", "HEAD", "--shard", shard, "--store", store]).finish(0);
    }
    let document = dir.tare(&["merge", stores[0], stores[1], "--json"]).finish(0).document();
    assert_eq!(compared(&document.0).len(), 2, "{:#}", document.0);
}
