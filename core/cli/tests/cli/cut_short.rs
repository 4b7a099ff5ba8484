//! Comparisons that are interrupted or killed in the middle, and resumed.

use std::collections::BTreeMap;

use rustix::process::Signal;

use crate::harness::{Dir, simulated};

const LAUNCHES: usize = 30;
const TRUTH: &str =
    "seed = 1\n[[case]]\nname = \"subject\"\ntime-ns = 1000.0\nnoise = { model = \"gaussian\", spread = 0.001 }\n";

/// A comparison of two commits that is sent the signal once so many launches are stored.
fn cut(dir: &Dir, signal: Signal, stored: usize) -> crate::harness::Finished {
    dir.file("truth.toml", TRUTH).commit("one");
    dir.commit("two");
    let (runtime, launches) = (simulated(""), LAUNCHES.to_string());
    let arguments = [
        "compare",
        "HEAD~1",
        "HEAD",
        "truth.toml",
        "--measure",
        "all",
        "--runtime",
        &runtime,
        "--seed",
        "3",
        "--samples",
        "4",
    ];
    let running = dir.tare(&[&arguments[..], &["--launches", &launches, "--control"]].concat()).start();
    dir.wait_until("launches are stored", || dir.launches().len() >= stored);
    running.signal(signal);
    running.wait()
}

fn launches(dir: &Dir) -> BTreeMap<String, Vec<i64>> {
    let mut ordinals: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (variant, ordinal, ..) in dir.launches() {
        ordinals.entry(variant).or_default().push(ordinal);
    }
    ordinals
}

/// Each of base, candidate and control has the launches of the others.
fn assert_partners_are_level(dir: &Dir) {
    let made = launches(dir);
    assert_eq!(made.len(), 3, "{made:?}");
    let first = made.values().next().unwrap();
    assert_eq!(*first, (0..first.len() as i64).collect::<Vec<_>>());
    assert!(made.values().all(|ordinals| ordinals == first), "{made:?}");
}

/// Goes on, and finds what an uninterrupted comparison would: every pair of launches, those from before among them.
fn resume(dir: &Dir) {
    let before = dir.launches();
    let document = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
    assert_eq!(document.compared(), [["subject", "HEAD~1", "HEAD"]]);
    let pair = &document.0["comparisons"][0];
    assert_eq!(pair["pairs"], LAUNCHES, "{pair:#}");
    assert_eq!(document.0["controls"].as_array().unwrap().len(), 1);
    let after = dir.launches();
    assert!(before.iter().all(|launch| after.contains(launch)), "a stored launch was lost or changed");
    assert_partners_are_level(dir);
    assert_eq!(dir.stored().0["comparisons"], document.0["comparisons"]);
    dir.tare(&["run", "--resume"]).finish(2).says_once(&["no run was interrupted"]);
    dir.assert_nothing_is_left();
}

#[test]
fn an_interrupted_comparison_is_reported_kept_and_gone_on_with() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = Dir::repository();
        let shown = cut(&dir, signal, 6);
        assert_eq!(shown.status, Some(130), "{shown}");
        dir.assert_nothing_is_left();
        let document = dir.stored();
        let id = document.0["id"].as_str().unwrap();
        shown.says_once(&[&format!("interrupted; `tare run --resume={id}` goes on with it")]);
        assert!(document.cases().iter().all(|case| case["status"] == "interrupted"), "{:#}", document.0);
        let pairs = document.0["comparisons"][0]["pairs"].as_u64().unwrap() as usize;
        assert_eq!(pairs, launches(&dir).values().next().unwrap().len());
        assert!(pairs < LAUNCHES, "{pairs}");
        assert_eq!(document.0["comparisons"][0]["verdict"], "inconclusive");
        resume(&dir);
    }
}

#[test]
fn a_killed_comparison_leaves_no_partner_ahead_and_is_gone_on_with() {
    for stored in [3, 7, 20, 40] {
        let dir = Dir::repository();
        cut(&dir, Signal::KILL, stored);
        dir.assert_nothing_is_left();
        for left in dir.temporary_files() {
            // Nobody was there to remove it.
            std::fs::remove_dir_all(left).unwrap();
        }
        assert_partners_are_level(&dir);
        resume(&dir);
    }
}

#[test]
fn revisions_that_moved_on_are_gone_on_with_as_they_were() {
    let dir = Dir::repository();
    cut(&dir, Signal::INT, 6);
    let measured = dir.cached_commits();
    dir.file("truth.toml", &TRUTH.replace("1000.0", "5000.0")).commit("three");
    resume(&dir);
    let mut now = dir.cached_commits();
    let mut then = measured;
    now.sort();
    then.sort();
    assert_eq!(now, then);
}

#[test]
fn a_working_tree_that_changed_is_not_gone_on_with() {
    let dir = Dir::repository();
    dir.file("truth.toml", TRUTH).commit("one");
    let arguments =
        ["compare", "HEAD", ".", "truth.toml", "--measure", "all", "--runtime", &simulated(""), "--launches", "500"];
    let running = dir.tare(&arguments).start();
    dir.wait_until("launches are stored", || dir.launches().len() >= 4);
    running.signal(Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    dir.file("truth.toml", &TRUTH.replace("1000.0", "5000.0"));
    dir.tare(&["run", "--resume"]).finish(2).says_once(&["its sources have changed since"]);
    dir.assert_nothing_is_left();
}

/// Comparisons are stored as they are measured, and what hasn't been is a line.
#[test]
fn a_killed_suite_shows_the_rows_that_it_has() {
    let dir = Dir::repository();
    let case = |number: usize| TRUTH.replace("seed = 1\n", "").replace("subject", &format!("subject{number}"));
    let all: String = (0..8).map(case).collect();
    dir.file("truth.toml", &all).commit("many");
    dir.commit("many again");
    let runtime = simulated("");
    let arguments = ["compare", "HEAD~1", "HEAD", "truth.toml", "--measure", "all", "--lanes", "1"];
    let running = dir.tare(&[&arguments[..], &["--runtime", &runtime]].concat()).start();
    // Two cases take turns at first, with a dozen launches each.
    dir.wait_until("some are measured", || dir.launches().len() >= 60);
    running.signal(Signal::KILL);
    running.wait();
    for left in dir.temporary_files() {
        // Nobody was there to remove it.
        std::fs::remove_dir_all(left).unwrap();
    }
    let shown = dir.tare(&["show"]).finish(0);
    shown.says_once(&["8 benchmarks weren't measured: the run was interrupted"]).never_says(&["too few pairs"]);
    let document = dir.stored();
    let pairs = document.0["comparisons"].as_array().unwrap();
    assert!(!pairs.is_empty() && pairs.iter().all(|pair| pair["pairs"].as_u64() >= Some(6)), "{:#}", document.0);
    assert_eq!(document.cases().len(), 2 * pairs.len());
}
