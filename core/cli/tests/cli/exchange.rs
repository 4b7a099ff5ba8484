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
    for said in [
        "seq 10",
        "overhead subtracted: nothing, these are the times of hyperfine",
        "measured by hyperfine",
        "8 processes",
    ] {
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
fn what_cannot_be_imported_costs_itself_and_is_told() {
    let dir = Dir::new();
    dir.tare(&["export", "latest", "--format", "csv"]).finish(2);
    dir.file("bad.json", r#"{"results":[{"command":"a","mean":1,"times":[1,-2]}]}"#);
    dir.tare(&["import", "bad.json"])
        .finish(4)
        .says_once(&["bad.json: a failed: its entry can't be read: results[0].times: -2 is below 0"]);
    dir.file("cut.json", "{\"results\":[\n{\"command\":\"a\",");
    dir.file("cut.xml", "<phpbench>\n<suite");
    dir.tare(&["import", "cut.json", &file("jmh.json"), "cut.xml"]).finish(2).says_once(&[
        "cut.json:2:15: not valid JSON",
        "cut.xml:2:1: not valid XML",
        "jmh.json imported as run",
        "the other files are imported as 1 run",
    ]);
    // All of it zeros that take no room on the disk.
    fs::File::create(dir.path().join("large.json")).unwrap().set_len((512 << 20) + 1).unwrap();
    dir.tare(&["import", "large.json"]).finish(2).says_once(&["large.json: more than 512 MiB; import a part of it"]);
    dir.tare(&["import", "nowhere.json"]).finish(2).says_once(&["nowhere.json", "name a file that can be read"]);
    dir.tare(&["import", &file("hyperfine.json"), "--format", "xlsx"])
        .finish(2)
        .says_once(&["there is no such format", "hyperfine"]);
    dir.tare(&["import", &file("hyperfine.json")]).finish(0);
    dir.tare(&["export", "latest", "--format", "csv", "-o", "no/folder/a.csv"])
        .finish(2)
        .says_once(&["no/folder/a.csv"]);
}

fn criterion(dir: &Dir, folder: &str, time: f64) {
    let figure = |low: f64, point: f64, high: f64| {
        format!(
            r#"{{"confidence_interval":{{"confidence_level":0.95,"lower_bound":{low},"upper_bound":{high}}},"point_estimate":{point},"standard_error":0.1}}"#
        )
    };
    let file = |name: &str, text: &str| {
        let path = dir.path().join("target/criterion").join(folder).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let (time, scatter) = (figure(time - 1.0, time, time + 1.0), figure(0.1, 0.2, 0.3));
    if folder.ends_with("change") {
        return file("estimates.json", &format!(r#"{{"mean":{time},"median":{time}}}"#));
    }
    file(
        "estimates.json",
        &format!(r#"{{"mean":{time},"median":{time},"median_abs_dev":{scatter},"std_dev":{scatter}}}"#),
    );
    file("sample.json", r#"{"iters":[1,2],"times":[10,20]}"#);
    let id = folder.rsplit_once('/').unwrap().0;
    file("benchmark.json", &format!(r#"{{"group_id":"fib","full_id":"{id}"}}"#));
}

#[test]
fn a_folder_of_criterion_is_one_run_whose_columns_are_its_baselines() {
    let dir = Dir::new();
    for (folder, time) in [("fib/10/new", 130.0), ("fib/10/base", 140.0), ("fib/20/new", 230.0), ("fib/20/base", 240.0)]
    {
        criterion(&dir, folder, time);
    }
    criterion(&dir, "fib/10/change", -0.03);
    // A folder that links to itself has no end.
    std::os::unix::fs::symlink("..", dir.path().join("target/criterion/fib/loop")).unwrap();
    let imported = dir.tare(&["import", "target/criterion", "--tag", "all"]).finish(0);
    assert!(imported.stdout.starts_with("target/criterion/fib imported as run "), "{}", imported.stdout);
    assert!(imported.stdout.contains(": 4 cases, 8 samples of criterion"), "{}", imported.stdout);
    let shown = dir.tare(&["show", "all"]).finish(0).stdout;
    let heads: Vec<&str> = shown.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["base", "new"], "{shown}");
    let row = shown.lines().find(|line| line.starts_with("fib/20")).unwrap();
    assert!(row.contains("240.0 ns") && row.contains("230.0 ns"), "{shown}");
    // The same files in another order are the same run, and what changed is no time.
    let named: Vec<String> = ["fib/20/new", "fib/10/change", "fib/10/new", "fib/20/base", "fib/10/base"]
        .map(|folder| format!("target/criterion/{folder}/estimates.json"))
        .to_vec();
    let words: Vec<&str> = ["import"].into_iter().chain(named.iter().map(String::as_str)).collect();
    let again = dir.tare(&words).finish(0);
    again.says_once(&["fib/10/change/estimates.json: it holds the change between two runs, and no times"]);
    assert!(again.stdout.contains("is already there as run "), "{}", again.stdout);
    again.never_says(&["--tag"]);
    let tagged = dir.tare(&[&words[..], &["--tag", "late"]].concat()).finish(0);
    tagged.says_once(&["--tag late has no effect: the run that has this file has other tags; name the run by its id"]);
    dir.tare(&["import", "target/criterion/fib/10/change/estimates.json"]).finish(2).says_once(&["and no times"]);

    // Alone on each side, the baselines of a benchmark are compared.
    for side in ["base", "new"] {
        let named = format!("target/criterion/fib/10/{side}/estimates.json");
        dir.tare(&["import", &named, "--tag", side]).finish(0);
    }
    let compared = dir.tare(&["compare", "base", "new"]).finish(0).stdout;
    assert!(compared.contains("-7.14 %") && !compared.contains("only in"), "{compared}");
}

#[test]
fn imports_are_paired_by_content_whatever_calls_their_tool_chose() {
    let dir = Dir::new();
    let go = |calls: u32, x: f64, y: f64| {
        format!("BenchmarkX-8 {calls} {x} ns/op\nBenchmarkX-8 {calls} {x}1 ns/op\nBenchmarkY-4 {calls} {y} ns/op\n")
    };
    dir.file("old.txt", &go(100, 12.5, 3.5)).file("new.txt", &go(110, 12.5, 7.0));
    for side in ["old", "new"] {
        dir.tare(&["import", &format!("{side}.txt"), "--tag", side]).finish(0);
    }
    let compared = dir.tare(&["compare", "old", "new"]).finish(0).stdout;
    assert!(!compared.contains("only in"), "{compared}");
    // One line says nothing of how far it may be off; its ratio is shown all the same.
    let row = compared.lines().find(|line| line.contains("BenchmarkY")).unwrap();
    assert!(row.contains("2.00×") && !row.contains("±"), "{compared}");
}
