//! Python files with benchmarks or tests of one name: told apart by their files. And what is told of one that crashes.

use serde_json::json;

use crate::harness::Dir;

const LIST: &str =
    "def test_insert(benchmark):\n    benchmark(list)\n\n\ndef test_only_list(benchmark):\n    benchmark(list)\n";
const SET: &str = "def test_insert(benchmark):\n    benchmark(set)\n";
const BENCH: &str = "def bench_insert():\n    set()\n";

/// Names of what `tare list` finds.
fn names(dir: &Dir, arguments: &[&str]) -> Vec<String> {
    let document = dir.tare(&[&["list", "--json"], arguments].concat()).finish(0).document();
    let mut names: Vec<String> =
        document.cases().iter().map(|case| case["benchmark"].as_str().unwrap().to_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn namesakes_in_several_files_are_measured_each_under_its_file() {
    let dir = Dir::new();
    dir.file("test_list.py", LIST).file("test_set.py", SET).file("bench_a.py", BENCH).file("below/bench_b.py", BENCH);
    dir.run(&["."]).finish(0).never_says(&["has the name of another"]);
    let stored = dir.stored();
    let all = [
        "bench_a::bench_insert",
        "bench_b::bench_insert",
        "test_list::test_insert",
        "test_only_list",
        "test_set::test_insert",
    ];
    for name in all {
        stored.assert_measured(name);
    }
    assert_eq!(stored.cases().len(), all.len());
    // Either form of a name can be asked for.
    assert_eq!(names(&dir, &[".", "--filter", "^test_insert$"]), [all[2], all[4]]);
    assert_eq!(names(&dir, &[".", "--filter", "^test_set::test_insert$"]), [all[4]]);
}

#[test]
fn files_of_one_name_are_told_apart_by_their_paths_and_the_sets_of_a_test_stay_together() {
    let dir = Dir::new();
    let with_sets = |sets: &str| {
        format!(
            "import pytest\n\n\n@pytest.mark.parametrize('n', {sets})\ndef test_insert(benchmark, n):\n    benchmark(range, n)\n"
        )
    };
    dir.file("lists/test_insert.py", &with_sets("[1, 2]")).file("sets/test_insert.py", &with_sets("[2, 3]"));
    let (lists, sets) = ("lists/test_insert::test_insert", "sets/test_insert::test_insert");
    assert_eq!(names(&dir, &["."]), [lists, lists, sets, sets]);
    assert_eq!(names(&dir, &["lists"]), ["test_insert", "test_insert"]);
}

#[test]
fn both_sides_of_a_comparison_have_one_set_of_names() {
    let dir = Dir::repository();
    dir.file("test_set.py", SET).commit("base");
    dir.file("test_list.py", LIST).commit("candidate");
    let compared = || {
        let document = dir.compare("HEAD~1", "HEAD", &["--json"]).finish(0).document().0;
        let pairs = document["comparisons"].as_array().unwrap();
        assert_eq!(pairs.len(), 1, "{document:#}");
        let id = |end: &str| pairs[0][end].as_str().unwrap().split_once('@').unwrap().0.to_owned();
        assert_eq!(id("base"), id("candidate"));
        id("base")
    };
    assert_eq!(compared(), "python/test_set::test_insert");

    // A file that is renamed has no namesake.
    dir.git(&["rm", "--quiet", "test_list.py"]);
    dir.commit("one file");
    dir.git(&["mv", "test_set.py", "test_sets.py"]);
    dir.commit("renamed");
    assert_eq!(compared(), "python/test_insert");
}

/// A set-up that prepares one call: what the source fixes and the command line asks for as well is asked of the worker, and no more.
#[test]
fn a_number_of_calls_that_the_source_fixes_too_is_not_exceeded() {
    let dir = Dir::new();
    let body = "def test_drain(benchmark):\n    benchmark.pedantic(list.pop, setup=lambda: (([1],), {}), rounds=3)\n";
    dir.file("test_drain.py", body);
    for calls in [&["--calls", "1"][..], &[]] {
        dir.run_calibrated(&[&["test_drain.py"], calls].concat()).finish(0);
        dir.stored().assert_measured("test_drain");
    }
    dir.run(&["test_drain.py", "--calls", "7"]).finish(4).says_once(&["prepares one call, and 7 were asked for"]);
}

/// Who is ended by a signal has no words of its own: Python says where it was, and the user's innermost line is the failure's place.
#[test]
fn a_crash_in_an_extension_is_told_at_the_users_line() {
    let dir = Dir::new();
    let body = "import ctypes\n\n\ndef read_nowhere():\n    return ctypes.string_at(0)\n\n\ndef bench_crash():\n    read_nowhere()\n";
    dir.file("bench_crash.py", body).file("bench_a.py", BENCH);
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&[
        "failed: bench_crash bench_crash.py:5 signal: the process was ended by signal 11 (SIGSEGV): Fatal Python error",
    ]);
    let stored = dir.stored();
    stored.assert_failed("bench_crash", &json!({"kind": "signal", "file": "bench_crash.py", "line": 5}));
    stored.assert_measured("bench_insert");
}

/// The file mentions what the filter asks for, and has no benchmark that is called so.
#[test]
fn a_file_that_the_filter_leaves_out_may_fail_to_load() {
    let dir = Dir::new();
    let broken = "import nowhere_to_be_found\n\ndef test_other(benchmark):\n    benchmark(test_insert)\n";
    dir.file("test_set.py", SET).file("test_broken.py", broken);
    dir.run(&[".", "--filter", "test_insert"]).finish(0).never_says(&["nowhere_to_be_found"]);
    dir.run(&[".", "--filter", "test_other|test_insert"])
        .finish(4)
        .says_once(&["No module named 'nowhere_to_be_found'"]);
    dir.run(&["."]).finish(4).says_once(&["No module named 'nowhere_to_be_found'"]);
}
