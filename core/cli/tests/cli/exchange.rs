//! Other tools' files: imported, shown, compared, exported.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Dir, TRUTH, simulated};

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../exchange/tests/files")
}

fn file(name: &str) -> String {
    files().join(name).display().to_string()
}

#[test]
fn imported_runs_show_stand_in_the_log_and_come_out_as_they_went_in() {
    let dir = Dir::new();
    let shown = dir.tare(&["import", &file("hyperfine.json"), "--tag", "before"]).finish(0);
    assert!(
        shown.stdout.contains("imported as run ") && shown.stdout.contains("2 cases, 16 samples of hyperfine"),
        "{}",
        shown.stdout
    );
    let shown = dir.tare(&["show", "before"]).finish(0).stdout;
    for said in
        ["seq 10", "nothing taken off, the times are as hyperfine gave them", "measured by hyperfine", "8 launches"]
    {
        assert!(shown.contains(said), "{said} in {shown}");
    }
    assert!(dir.tare(&["log"]).finish(0).stdout.contains("before (from hyperfine)"));
    let document = dir.tare(&["show", "before", "--json"]).finish(0).stdout;
    assert!(document.contains("\"correction\": 0") && document.contains("\"imported\""), "{document}");

    dir.tare(&["export", "before", "--format", "hyperfine", "-o", "out.json"]).finish(0);
    let read = |path: &Path| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    let (theirs, ours) = (read(&files().join("hyperfine.json")), read(&dir.path().join("out.json")));
    for (theirs, ours) in theirs["results"].as_array().unwrap().iter().zip(ours["results"].as_array().unwrap()) {
        assert_eq!(theirs["command"], ours["command"]);
        for figure in ["mean", "stddev", "median", "min", "max"] {
            let (wanted, found) = (theirs[figure].as_f64().unwrap(), ours[figure].as_f64().unwrap());
            assert!((wanted - found).abs() <= 1e-6 * wanted, "{figure}: {found} and not {wanted}");
        }
        assert_eq!(theirs["times"].as_array().unwrap().len(), ours["times"].as_array().unwrap().len());
    }
    // The same file again is the same run.
    let again = dir.tare(&["import", &file("hyperfine.json")]).finish(0).stdout;
    assert!(again.contains("is already there as run "), "{again}");
    dir.tare(&["report", "before", "--html", "page.html"]).finish(0);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("was not measured, and not subtracted"), "{page}");
}

#[test]
fn two_imported_runs_are_compared_without_a_verdict_and_no_gate_trips() {
    let dir = Dir::new();
    let text = fs::read_to_string(files().join("gobench.txt")).unwrap();
    dir.file("old.txt", &text);
    let slower: String = text.replace(" ns/op", "0 ns/op");
    dir.file("new.txt", &slower);
    dir.tare(&["import", "old.txt", "--tag", "old"]).finish(0);
    dir.tare(&["import", "new.txt", "--tag", "new"]).finish(0);
    let shown = dir.tare(&["compare", "old", "new", "--fail-on", "slower"]).finish(0);
    shown.says_once(&["no gate tripped; 3 gates undecided ("]);
    assert!(shown.stdout.contains("both runs were measured by another tool"), "{}", shown.stdout);
    assert!(shown.stdout.starts_with("All 3 benchmarks are without a verdict."), "{}", shown.stdout);
    dir.tare(&["compare", "old", "new", "--fail-on", "inconclusive"]).finish(3);
    dir.tare(&["report", "old", "new", "--html", "page.html"]).finish(0);
    let page = fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("<h1>All 3 benchmarks are without a verdict</h1>"), "{page}");
    // A limit is a gate as well, and what the machine did between the runs isn't known to it either.
    dir.tare(&["compare", "old", "new", "--fail-on", "slower=2%"]).finish(0);
}

#[test]
fn runs_of_another_tool_are_not_compared_with_tares_own() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("");
    dir.run(&["truth.toml", "--runtime", &runtime, "--tag", "own"]).finish(0);
    let cases: serde_json::Value =
        serde_json::from_str(&dir.tare(&["show", "own", "--json"]).finish(0).stdout).unwrap();
    let case = &cases["cases"][0];
    let (name, language) = (case["benchmark"].as_str().unwrap(), case["language"].as_str().unwrap());
    dir.file("a.json", &format!(r#"{{"results":[{{"command":"{name}","mean":1,"times":[1,1.1]}}]}}"#));
    dir.tare(&["import", "a.json", "--tag", "theirs"]).finish(0);
    let shown = dir.tare(&["compare", "own", "theirs"]).finish(0).stdout;
    // Another language's case of the same name isn't the same case.
    assert_ne!(language, "command");
    assert!(shown.contains("only in theirs") || shown.contains("measured by tare and hyperfine"), "{shown}");
    assert!(!shown.contains("slower") && !shown.contains("faster"), "{shown}");
}

#[test]
fn exports_of_a_measured_run_hold_its_launches() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.tare(&["run", "truth.toml", "--runtime", &simulated(""), "--launches", "7", "--budget", "200ms"]).finish(0);
    let document: serde_json::Value = serde_json::from_str(&dir.tare(&["show", "--json"]).finish(0).stdout).unwrap();
    let case = document["cases"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["time"]["estimate"].as_f64().unwrap() > 1.0)
        .unwrap();
    let (benchmark, wanted) = (case["benchmark"].as_str().unwrap(), case["time"]["estimate"].as_f64().unwrap());
    let typical = case["typical"]["estimate"].as_f64().unwrap();

    let text = dir.tare(&["export", "latest", "--format", "gobench"]).finish(0).stdout;
    let bare = benchmark.strip_prefix("Benchmark").unwrap_or(benchmark);
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|fields| fields.len() == 6 && fields[0].trim_start_matches("Benchmark").trim_start_matches('/') == bare)
        .collect();
    assert_eq!(lines.len(), 7, "{text}");
    let column = |at: usize| -> Vec<f64> { lines.iter().map(|fields| fields[at].parse().unwrap()).collect() };
    let mean = column(2).iter().sum::<f64>() / 7.0;
    assert!((mean - wanted).abs() < 1e-9 * wanted.abs(), "{mean} and not {wanted}");
    let mut medians = column(4);
    medians.sort_by(f64::total_cmp);
    assert!((medians[3] - typical).abs() < 1e-9 * typical.abs(), "{} and not {typical}", medians[3]);

    let by_its_reader = dir.tare(&["export", "latest", "--format", "benchstat"]).finish(0).stdout;
    assert_eq!(by_its_reader, text, "benchstat reads gobench");
    for format in ["json", "csv", "markdown", "openmetrics"] {
        let text = dir.tare(&["export", "latest", "--format", format]).finish(0).stdout;
        assert!(text.contains(bare), "{format}: {text}");
    }
    let parquet = dir.tare(&["export", "latest", "--format", "parquet", "-o", "out.parquet"]).finish(0);
    assert_eq!(parquet.stdout, "");
    let bytes = fs::read(dir.path().join("out.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn what_cannot_be_imported_is_told_and_nothing_is_stored() {
    let dir = Dir::new();
    dir.file("bad.json", r#"{"results":[{"command":"a","mean":1,"times":[1,-2]}]}"#);
    dir.tare(&["import", &file("hyperfine.json"), "bad.json"])
        .finish(2)
        .says_once(&["bad.json: results[0].times: -2 is less than no time"]);
    assert!(!dir.store().exists(), "the good file was stored all the same");
    // All of it zeros that take no room on the disk.
    fs::File::create(dir.path().join("large.json")).unwrap().set_len((512 << 20) + 1).unwrap();
    dir.tare(&["import", "large.json"]).finish(2).says_once(&["large.json: more than 512 MiB; import a part of it"]);
    dir.tare(&["import", "nowhere.json"]).finish(2).says_once(&["nowhere.json", "name a file that can be read"]);
    dir.tare(&["import", &file("hyperfine.json"), "--format", "xlsx"])
        .finish(2)
        .says_once(&["there is no such format", "hyperfine"]);
    dir.tare(&["export", "latest", "--format", "csv"]).finish(2);
    dir.tare(&["import", &file("hyperfine.json")]).finish(0);
    dir.tare(&["export", "latest", "--format", "csv", "-o", "no/folder/a.csv"])
        .finish(2)
        .says_once(&["no/folder/a.csv"]);
}
