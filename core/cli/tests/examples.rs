//! The examples in several languages build and are measured, from a copy, with what is installed.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let goal = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            // What somebody built there is none of ours.
            true if entry.file_name() == "build" || entry.file_name() == ".tare" => {}
            true => copy(&entry.path(), &goal),
            false => drop(std::fs::copy(entry.path(), goal).unwrap()),
        }
    }
}

/// Runs `tare` in a copy of the example and gives its document.
fn tare(example: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("examples").join(example), folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_tare"))
        .args(arguments)
        .current_dir(folder.path())
        .env("TARE_LOCK", folder.path().join("measuring.lock"))
        .output()
        .unwrap();
    let [told, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{example}: {}\n{said}{told}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The server of example 5 checks itself, with either clock; it is ended by its own id.
#[test]
fn the_tick_clock_server_does_what_it_has_to() {
    let output =
        Command::new("php").arg("check.php").current_dir(root().join("examples/05-tick-clock")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.ends_with(" passed, 0 failed\n"), "{said}");
}

#[test]
fn four_languages_are_compared_case_by_case() {
    let document = tare(
        "02-four-languages",
        &["run", "--json", "--no-store", "--launches", "1", "--samples", "4", "--budget", "50ms"],
    );
    assert_eq!(document["failures"], Value::Array(vec![]));
    let of = |key: &str| document[key].as_array().unwrap().clone();
    assert_eq!(of("cases").len(), 16);
    assert!(of("cases").iter().all(|case| case["status"] == "ok"), "{}", document["cases"]);
    let side = |comparison: &Value, side: &str| comparison[side].as_str().unwrap().to_owned();
    let pairs: Vec<(String, String)> =
        of("comparisons").iter().map(|pair| (side(pair, "base"), side(pair, "candidate"))).collect();
    for (base, candidates) in [
        ("php/FourBench::benchSha256#64", ["go/BenchmarkSha256/64", "cpp/BM_Sha256#64", "python/bench_sha256#64"]),
        ("php/FourBench::benchParseJson", ["go/BenchmarkParseJson", "cpp/BM_ParseJson", "python/bench_parse_json"]),
        ("php/FourBench::benchSort", ["go/BenchmarkSort", "cpp/BM_Sort", "python/bench_sort"]),
    ] {
        for candidate in candidates {
            assert!(pairs.contains(&(base.to_owned(), candidate.to_owned())), "{base} and {candidate}: {pairs:?}");
        }
    }
    assert_eq!(pairs.len(), 12);
    let sorting = of("cases").into_iter().find(|case| case["id"] == "cpp/BM_Sha256#64").unwrap();
    assert_eq!(sorting["reported"]["bytes"], 64);
}

/// What the experiment read, for C++ and for the system itself.
#[test]
fn the_nanosecond_is_measured_in_every_way() {
    let document = tare("04-clocks", &["clock", "--json", "--runtime", "g++"]);
    let of = |key: &str, runtime: &str| -> Vec<Value> {
        let rows = document[key].as_array().unwrap().iter();
        rows.filter(|row| row["runtime"] == runtime).cloned().collect()
    };
    let steady = of("clocks", "g++").into_iter().find(|row| row["clock"] == "steady_clock").unwrap();
    assert!(steady["back_to_back_ns"]["median"].is_f64(), "{steady:#}");
    for (runtime, refused) in [("native", 1), ("g++", 0)] {
        let waits = of("waits", runtime);
        for (call, requested) in [("yield", 0), ("sleep", 1), ("sleep", 0), ("sleep", -1)] {
            let row = waits.iter().find(|row| row["call"] == call && row["requested_ns"] == requested);
            assert!(row.is_some(), "{call} {requested} of {runtime}: {waits:#?}");
        }
        let unavailable = waits.iter().filter(|row| row["status"] == "unavailable").count();
        assert_eq!(unavailable, refused, "nanosleep refuses a negative time, sleep_for doesn't: {waits:#?}");
    }
}

/// The whole of example 6, with few operations: a server of its own, four mixes, each suite.
#[test]
fn a_key_value_store_is_under_load_in_four_mixes() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("bash")
        .arg(root().join("examples/06-key-value/run"))
        .arg("--json")
        .env("TARE", env!("CARGO_BIN_EXE_tare"))
        .env("TARE_LOCK", folder.path().join("measuring.lock"))
        .env("OPERATIONS", "100")
        .env("RUNTIMES", "a=php b=php")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("skipped:") {
        eprintln!("{}", said.trim());
        return;
    }
    assert!(output.status.success(), "{}\n{said}", output.status);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let targets = document["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 16, "two suites, four mixes, two runtimes");
    for target in targets {
        let operations = target["operations"].as_array().unwrap();
        let done: u64 = operations.iter().map(|operation| operation["count"].as_u64().unwrap()).sum();
        assert_eq!((done, &target["workers"]), (400, &4.into()), "{target:#}");
        assert!(
            operations.iter().all(|operation| operation["failures"] == Value::Object(Default::default())),
            "{target:#}"
        );
    }
}
