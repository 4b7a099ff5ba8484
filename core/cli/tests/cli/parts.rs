//! Parts of a suite, measured by themselves, and the run that is made of them.

use std::collections::BTreeSet;

use crate::harness::{Dir, Finished, simulated};

const CASES: usize = 12;

/// Twelve subjects; `case05` takes `ns`.
fn truth(dir: &Dir, ns: f64) {
    let case = |at: usize| {
        let time = if at == 5 { ns } else { 100.0 + at as f64 };
        format!(
            "[[case]]\nname = \"case{at:02}\"\ntime-ns = {time}\nnoise = {{ model = \"gaussian\", spread = 0.001 }}\n"
        )
    };
    dir.file("truth.toml", &format!("seed = 1\n{}", (0..CASES).map(case).collect::<String>()));
}

fn part(dir: &Dir, shard: &str, store: &str, more: &[&str]) -> Finished {
    let (a, b) = (simulated("").replace("sim=", "a="), simulated("").replace("sim=", "b="));
    let all = ["run", "truth.toml", "--runtime", &a, "--runtime", &b, "--samples", "3", "--launches", "6", "--control"];
    dir.tare(&[&all[..], &["--shard", shard, "--store", store], more].concat()).finish(0)
}

fn cases(finished: &Finished) -> Vec<String> {
    let document = finished.document();
    document.cases().iter().map(|case| case["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn parts_have_every_case_once_and_become_one_run() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    for number in 1..=3 {
        part(&dir, &format!("{number}/3"), &format!("part{number}"), &[]);
    }
    let merged = dir.tare(&["merge", "part1", "part2", "part3", "--tag", "whole", "--json"]).finish(0);
    let (found, distinct) = (cases(&merged), cases(&merged).into_iter().collect::<BTreeSet<_>>());
    // Each on two runtimes, and the control.
    assert_eq!((found.len(), distinct.len()), (3 * CASES, 3 * CASES));
    let document = merged.document();
    assert_eq!(document.0["comparisons"].as_array().unwrap().len(), CASES);
    assert_eq!(document.0["geometric_means"][0]["cases"], CASES);
    // In the order of the sources, whichever part had them.
    let benchmark = |id: &String| id.split_once('@').unwrap().0.to_owned();
    assert!(found.iter().map(benchmark).is_sorted(), "{found:?}");
    assert_eq!(dir.stored().0["tags"], serde_json::json!(["whole"]));
    // The parts stay where they were.
    dir.tare(&["log", "--store", "part2", "--json"]).finish(0);
}

#[test]
fn a_part_that_is_missing_ends_with_status_4_and_keeps_what_is_there() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    part(&dir, "1/3", "one", &[]);
    part(&dir, "3/3", "three", &[]);
    let merged = dir.tare(&["merge", "one", "three"]).finish(4);
    merged.says_once(&["exit status 4: the suite isn't whole: part 2/3 is missing"]).never_says(&["not measured"]);
    assert!(dir.stored().cases().len() < 3 * CASES);
}

#[test]
fn the_same_part_twice_and_parts_of_other_suites_are_refused() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    part(&dir, "1/2", "one", &[]);
    part(&dir, "1/2", "again", &[]);
    part(&dir, "2/2", "margin", &["--margin", "3%"]);
    part(&dir, "2/3", "three", &[]);
    let refused = |stores: &[&str], says: &str| {
        dir.tare(&[&["merge"], stores].concat()).finish(2).says_once(&[says]);
    };
    refused(&["one", "again"], "part 1/2 is there twice: run");
    refused(&["one", "margin"], "are no parts of one suite: the setting `margin` is 0.005 there and 0.03 here");
    refused(&["one", "three"], "are no parts of one suite: the number of parts is 2 there and 3 here");
    truth(&dir, 999.0);
    part(&dir, "2/2", "other", &[]);
    refused(&["one", "other"], "are no parts of one suite: the content of the sources is");
    assert!(!dir.store().exists(), "nothing is stored of what is refused");
}

#[test]
fn parts_in_the_store_of_the_whole_are_replaced_by_it() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    for shard in ["1/2", "2/2", "2/2"] {
        part(&dir, shard, ".tare", &[]);
    }
    let merged = dir.tare(&["merge", ".tare", "--tag", "whole"]).finish(0);
    merged.says_once(&["part 2/2 was measured more than once in .tare"]);
    let runs = dir.tare(&["log", "--json"]).finish(0).document();
    // The one that was left out stays.
    assert_eq!(runs.0["runs"].as_array().unwrap().len(), 2, "{:#}", runs.0);
}

#[test]
fn what_took_long_before_is_divided_by_that() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    // A whole run of one case with many launches is the history.
    let sim = simulated("");
    dir.tare(&["run", "truth.toml", "--runtime", &sim, "--samples", "3", "--launches", "2"]).finish(0);
    let long = ["run", "truth.toml", "--runtime", &sim, "--samples", "3", "--launches", "300", "--filter", "case05"];
    dir.tare(&long).finish(0);
    let of = |shard: &str| {
        let run =
            ["run", "truth.toml", "--runtime", &sim, "--samples", "3", "--launches", "2", "--shard", shard, "--json"];
        cases(&dir.tare(&run).finish(0))
    };
    let (one, two) = (of("1/2"), of("2/2"));
    assert_eq!(one.len() + two.len(), CASES);
    let alone = if one.len() == 1 { &one } else { &two };
    assert_eq!(alone, &["simulated/case05"], "{one:?} {two:?}");
}

#[test]
fn a_shard_that_cannot_be_is_refused() {
    let dir = Dir::new();
    truth(&dir, 105.0);
    let sim = simulated("");
    let refused = |options: &[&str], says: &str| {
        dir.tare(&[&["run", "truth.toml", "--runtime", &sim], options].concat()).finish(2).says_once(&[says]);
    };
    refused(&["--shard", "13/13"], "--shard 13/13: there are 12 cases, so at most 12 parts");
    refused(&["--shard", "1/2", "--interleave"], "--shard divides a suite, and --interleave");
    refused(&["--shard", "3/2"], "write which part of how many, as 2/5");
    dir.tare(&["merge", "nowhere"]).finish(2).says_once(&["there is no store at"]);
}
