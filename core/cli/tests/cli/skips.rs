//! Benchmarks that skip themselves, in all launches or in some: what is left out, what is a failure, and what a gate makes of it.
//! The simulated worker's subjects skip themselves in a stated share of launches.

use std::fs;

use crate::harness::{Dir, Finished, simulated};

fn truth(skipping_launches: f64) -> String {
    format!("seed = 1\n[[case]]\nname = \"subject\"\ntime-ns = 1000.0\nskipping-launches = {skipping_launches:?}\n")
}

/// Two commits of a subject that skips itself in such a share of launches in each.
fn commits(base: f64, candidate: f64) -> Dir {
    let dir = Dir::repository();
    dir.file("truth.toml", &truth(base)).commit("base");
    dir.file("truth.toml", &truth(candidate)).file("more", "").commit("candidate");
    dir
}

fn compare(dir: &Dir, arguments: &[&str], status: i32) -> Finished {
    let runtime = simulated("");
    // From this seed a benchmark that skips itself in three launches of ten does so after some.
    let fixed = ["compare", "HEAD~1", "HEAD", "truth.toml", "--runtime", &runtime, "--seed", "12"];
    let enough = ["--launches", "8", "--samples", "8"];
    let finished = dir.tare(&[&fixed[..], &enough, arguments].concat()).finish(status);
    dir.assert_nothing_is_left();
    finished
}

#[test]
fn a_side_that_skips_itself_is_named_and_passes_no_gate() {
    for (base, candidate, code, side) in [(0.0, 1.0, "candidate-skipped", "HEAD"), (1.0, 0.0, "base-skipped", "HEAD~1")]
    {
        let dir = commits(base, candidate);
        let said = format!("{side} skipped itself: not in this launch");
        let document = compare(&dir, &["--json"], 0).document();
        let pair = &document.0["comparisons"][0];
        assert_eq!((&pair["verdict"], &pair["ratio"]), (&"inconclusive".into(), &serde_json::Value::Null), "{pair:#}");
        let warnings = pair["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{pair:#}");
        assert_eq!((&warnings[0]["code"], &warnings[0]["message"]), (&code.into(), &said.as_str().into()), "{pair:#}");
        compare(&dir, &[], 0).says_once(&[&said, "`subject` can't be compared"]).never_says(&["more launches"]);
        let gated = compare(&dir, &["--fail-on", "slower", "--junit", "junit.xml"], 3);
        assert!(gated.stdout.contains("gate undecided: ") && gated.stdout.contains(&said), "{gated}");
        let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
        // The other side, of which there are no samples, hasn't passed.
        let unmeasured = format!("not measured: {side} skipped itself");
        assert!(junit.contains(&format!("<skipped message=\"{unmeasured}\"/>")), "{junit}");
        assert!(document.cases().iter().all(|case| case["status"] == "skipped"), "{:#}", document.0);
        assert!(document.cases().iter().any(|case| case["skipped"] == unmeasured), "{:#}", document.0);
        assert!(gated.stdout.contains("0 measured, 2 skipped"), "{gated}");
        assert!(junit.contains(&said) && !junit.contains("<failure"), "{junit}");
        compare(&dir, &["--fail-on", "slower=50%"], 3);
        compare(&dir, &["--fail-on", "inconclusive"], 3);
        dir.file("tare.toml", "[[limit]]\ncase = \"subject\"\nmax-slowdown = \"10%\"\n");
        compare(&dir, &[], 3);
        dir.file("tare.toml", "");
        // What the store has of it says the same.
        let stored = dir.tare(&["show"]).finish(0);
        assert!(stored.stdout.contains(&said), "{stored}");
    }
}

#[test]
fn the_partner_of_one_that_fails_is_not_told_as_measured() {
    let dir = Dir::repository();
    dir.work(20).commit("works");
    dir.php("WorkBench", "    public function benchWork(): void { throw new LogicException('broken'); }")
        .commit("broken");
    let shown = dir.compare("HEAD~1", "HEAD", &["--junit", "junit.xml"]).finish(4);
    assert!(shown.stdout.contains("0 measured, 1 failed, 1 skipped"), "{shown}");
    let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
    assert!(junit.contains("<skipped message=\"not measured: HEAD failed\"/>"), "{junit}");
    let case = dir.stored().case("WorkBench::benchWork@HEAD~1").clone();
    assert_eq!(
        (&case["status"], &case["skipped"]),
        (&"skipped".into(), &"not measured: HEAD failed".into()),
        "{case:#}"
    );
    dir.assert_nothing_is_left();
}

#[test]
fn what_both_sides_skip_is_left_out_and_decides_no_gate() {
    let dir = commits(1.0, 1.0);
    let document = compare(&dir, &["--fail-on", "slower", "--fail-on", "inconclusive", "--json"], 0).document();
    assert!(document.compared().is_empty() && document.0.get("gates").is_none(), "{:#}", document.0);
    assert!(document.cases().iter().all(|case| case["status"] == "skipped"), "{:#}", document.0);
}

#[test]
fn one_that_skips_itself_after_launches_were_made_has_failed() {
    let dir = commits(0.0, 0.3);
    let document = compare(&dir, &["--fail-on", "slower", "--json"], 4).document();
    let candidate = document.case("subject@HEAD");
    assert_eq!(candidate["status"], "failed", "{candidate:#}");
    assert!(candidate["launches"].as_u64().unwrap() > 0, "{candidate:#}");
    assert_eq!(candidate["failure"]["kind"], "exception");
    assert_eq!(candidate["failure"]["message"], "the benchmark skipped itself after some samples: not in this launch");
}

#[test]
fn stored_runs_of_which_one_skipped_itself_are_told_so() {
    let dir = Dir::repository();
    let run = |share: f64, tag: &str| {
        let runtime = simulated("");
        dir.file("truth.toml", &truth(share));
        let fixed = ["run", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "6", "--samples", "8"];
        dir.tare(&[&fixed[..], &["--tag", tag]].concat()).finish(0);
    };
    run(0.0, "there");
    run(1.0, "gone");
    run(1.0, "still-gone");
    let shown = dir.tare(&["compare", "there", "gone", "--fail-on", "slower"]).finish(3);
    assert!(shown.stdout.contains("gone skipped itself: not in this launch"), "{shown}");
    dir.tare(&["compare", "gone", "there", "--fail-on", "slower"]).finish(3);
    dir.tare(&["compare", "gone", "still-gone", "--fail-on", "slower", "--fail-on", "inconclusive"]).finish(0);
}

#[test]
fn means_are_of_the_cases_that_both_sides_have() {
    let dir = Dir::repository();
    let truth = |skipping: f64| {
        let others: String =
            ["one", "two"].map(|name| format!("[[case]]\nname = \"{name}\"\ntime-ns = 2000.0\n")).concat();
        truth(skipping) + &others
    };
    dir.file("truth.toml", &truth(0.0)).commit("base");
    dir.file("truth.toml", &truth(1.0)).commit("candidate");
    let document = compare(&dir, &["--json"], 0).document().0;
    assert_eq!(document["comparisons"].as_array().map(Vec::len), Some(3), "{document:#}");
    let mean = &document["geometric_means"][0];
    assert_eq!(mean["cases"], 2, "{document:#}");
    for side in ["base", "candidate"] {
        let time = mean[side].as_f64().unwrap();
        assert!((1500.0..2500.0).contains(&time), "{side}: {mean:#}");
    }
    assert!(mean["ratio"].is_object(), "{mean:#}");
    compare(&dir, &[], 0).says_once(&["geometric mean 2 of 3"]);
}
