//! What a run gives: documents, variants side by side, selections, and the same turns for the same seed.

use tare_samples::Subject;
use tare_store::{Access, SqliteStore, Store};

use crate::harness::{Dir, TRUTH, simulated};

#[test]
fn a_document_is_all_that_json_prints() {
    let dir = Dir::new();
    dir.good().php("ThrowBench", "    public function benchThrows(): void { echo 'noise'; throw new Exception('x'); }");
    let finished = dir.run(&[".", "--json", "--tag", "first", "--seed", "9"]).finish(4);
    let document = finished.document();
    assert_eq!((&document.0["format"], &document.0["version"]), (&"tare.run".into(), &3.into()));
    assert_eq!((&document.0["seed"], &document.0["tags"][0]), (&9.into(), &"first".into()));
    document.assert_measured("GoodBench::benchGood");
    // The store gives the same figures again.
    let stored = dir.tare(&["show", "first", "--json"]).finish(0).document();
    assert_eq!(stored.0["cases"], document.0["cases"]);
    for (arguments, format) in [(&["list", ".", "--json"][..], "tare.list"), (&["log", "--json"], "tare.log")] {
        assert_eq!(dir.tare(arguments).finish(0).document().0["format"], format);
    }
}

#[test]
fn numbers_of_calls_stand_side_by_side() {
    let dir = Dir::new();
    dir.good();
    let document = dir.run(&[".", "--calls", "10,auto,0", "--json"]).finish(0).document();
    for label in ["10 calls", "auto", "no loop"] {
        let id = format!("GoodBench::benchGood*{label}");
        document.assert_measured(&id);
        assert_eq!(document.case(&id)["label"], label);
    }
    assert_eq!(document.case("GoodBench::benchGood*10 calls")["iterations"], 10);
    assert_eq!(document.case("GoodBench::benchGood*no loop")["iterations"], 0);
    assert!(document.case("GoodBench::benchGood*auto")["iterations"].as_u64().unwrap() > 10);
    let shown = dir.tare(&["show"]).finish(0);
    let header: Vec<&str> =
        shown.stdout.lines().next().unwrap().split("  ").map(str::trim).filter(|s| !s.is_empty()).collect();
    assert_eq!(header, ["10 calls", "auto", "no loop"], "{shown}");
}

#[test]
fn samples_that_were_asked_for_are_made_in_every_launch() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    // Many seeds: whichever of case and null comes first in its round, neither may be left out.
    for seed in 0..12 {
        let seed = seed.to_string();
        let arguments = ["truth.toml", "--json", "--seed", &seed, "--runtime", &simulated("")];
        let document = dir.run(&arguments).finish(0).document();
        for case in ["gaussian", "nothing"] {
            document.assert_measured(case);
            assert_eq!(document.case(case)["samples"], 2, "seed {seed}");
        }
    }
}

#[test]
fn filters_and_groups_select() {
    let dir = Dir::new();
    dir.php(
        "GroupBench",
        r#"    /** @Groups({"fast"}) */
    public function benchFast(): void {}
    /** @Groups({"slow", "odd"}) */
    public function benchSlow(): void {}
    public function benchNone(): void {}"#,
    );
    let listed = |arguments: &[&str]| -> Vec<String> {
        let document = dir.tare(&[&["list", "GroupBench.php", "--json"], arguments].concat()).finish(0).document();
        document
            .cases()
            .iter()
            .map(|case| case["benchmark"].as_str().unwrap()["GroupBench::bench".len()..].to_owned())
            .collect()
    };
    assert_eq!(listed(&[]), ["Fast", "Slow", "None"]);
    assert_eq!(listed(&["--group", "fast"]), ["Fast"]);
    assert_eq!(listed(&["--group", "fast", "--group", "odd"]), ["Fast", "Slow"]);
    assert_eq!(listed(&["--filter", "Slow|None"]), ["Slow", "None"]);
    assert_eq!(listed(&["--filter", "Slow|None", "--group", "slow"]), ["Slow"]);
    let document = dir.run(&["GroupBench.php", "--filter", "::benchF", "--json"]).finish(0).document();
    assert_eq!(document.cases().len(), 1);
    document.case("GroupBench::benchFast");
}

/// The order of turns in each round that both runs have, of every variant and launch.
fn turns(dir: &Dir, tag: &str) -> Vec<Vec<(u32, Subject)>> {
    let store = SqliteStore::open(dir.store(), Access::ReadOnly).unwrap();
    let run = store.resolve(tag).unwrap();
    let variants = store.run(&run).unwrap().variants;
    let launches = variants.iter().flat_map(|stored| store.launches(&run, &stored.variant.id).unwrap());
    launches
        .map(|launch| {
            let early = launch.turns.into_iter().filter(|turn| turn.round < 2);
            early.map(|turn| (turn.round, turn.subject)).collect()
        })
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_order_of_turns_and_another_another() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    for (tag, seed) in [("one", "5"), ("two", "5"), ("other", "6")] {
        let arguments = ["run", "truth.toml", "--launches", "3", "--samples", "40", "--seed", seed, "--tag", tag];
        dir.tare(&[&arguments[..], &["--runtime", &simulated("")]].concat()).finish(0);
    }
    let one = turns(&dir, "one");
    assert_eq!(one.len(), 6);
    assert!(one.iter().all(|launch| launch.iter().any(|(_, subject)| *subject == Subject::Case)));
    assert_eq!(one, turns(&dir, "two"));
    assert_ne!(one, turns(&dir, "other"));
    let first = |launch: &Vec<(u32, Subject)>| launch[0].1.clone();
    assert!(one.iter().any(|launch| first(launch) != first(&one[0])), "the order is random");
}

#[test]
fn the_log_counts_cases_and_not_what_they_are_measured_on() {
    let dir = Dir::new();
    dir.good().php("OtherBench", "    public function benchOther(): void { md5('x'); }");
    dir.run(&[".", "--calls", "10,20", "--runtime", "a=php", "--runtime", "b=php", "--control"]).finish(0);
    let run = &dir.tare(&["log", "--json"]).finish(0).document().0["runs"][0];
    assert_eq!(run["cases"], 2, "{run:#}");
    assert!(dir.stored().cases().len() > 2, "they have several variants each");
}

#[test]
fn what_both_runs_measured_otherwise_is_not_told_as_if_one_lacked_it() {
    let dir = Dir::new();
    dir.good().php("OtherBench", "    public function benchOther(): void { md5('x'); }");
    dir.run(&[".", "--calls", "10", "--tag", "before"]).finish(0);
    dir.run(&[".", "--calls", "20", "--filter", "Good", "--tag", "after"]).finish(0);
    let shown = dir.tare(&["compare", "before", "after"]).finish(0);
    shown.says_once(&[
        "only in after: GoodBench::benchGood (php, 20 calls)\n",
        "only in before: GoodBench::benchGood (php, 10 calls), OtherBench::benchOther\n",
    ]);
}
