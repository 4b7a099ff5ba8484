//! PHPBench's assertions: `Assert` in the source, `runner.assert` in phpbench.json, `--assert`. They are about constants, about bounds
//! that no machine comes near, or about simulated subjects: none depends on how long something took.

use std::fs;

use crate::harness::{Dir, Finished, simulated};

/// A benchmark, in line 9 of its file, that asserts this.
fn asserting(assertions: &[&str]) -> Dir {
    let dir = Dir::new();
    let attributes: Vec<String> = assertions.iter().map(|text| format!("#[Bench\\Assert('{text}')]")).collect();
    let text = format!(
        "<?php\n\nuse PhpBench\\Attributes as Bench;\n\nfinal class SumBench\n{{\n    {}\n    #[Bench\\Groups(['sums'])]\n    public function benchSum(): int {{ return array_sum([1, 2, 3]); }}\n}}\n",
        attributes.join(" ")
    );
    dir.file("SumBench.php", &text);
    dir
}

#[test]
fn what_fails_in_the_source_ends_with_status_1_and_is_told_beside_the_gates() {
    let dir = asserting(&["mode(variant.time.avg) < 10 hours", "mean(variant.time.avg) > 10 hours"]);
    let shown = dir.run(&["SumBench.php"]).finish(1);
    shown.says_once(&[
        "gate tripped: SumBench::benchSum, assertion mean(variant.time.avg) > 10 hours",
        "(SumBench.php:9)",
        "assertions: 1 held, 1 failed",
        "exit status 1: 1 gate tripped",
    ]);
    let document = dir.run(&["SumBench.php", "--json"]).finish(1).document();
    assert_eq!(document.0["assertions"], serde_json::json!({"held": 1, "failed": 1, "undecided": 0}));
    let gate = &document.0["gates"][0];
    assert_eq!(
        (&gate["outcome"], &gate["rule"]),
        (&"tripped".into(), &"assertion mean(variant.time.avg) > 10 hours".into())
    );
}

#[test]
fn what_holds_ends_with_status_0_and_is_counted() {
    let dir = asserting(&["mode(variant.time.avg) < 10 hours", "1 ms < 2 ms or false"]);
    dir.run(&["SumBench.php"]).finish(0).says_once(&["assertions: 2 held"]);
    // Nothing is asserted of what is left out.
    let failing = asserting(&["1 ms > 2 ms"]);
    failing.good();
    let document = failing.run(&["SumBench.php", "GoodBench.php", "--filter", "Good", "--json"]).finish(0).document();
    assert_eq!(document.0.get("assertions"), None);
}

#[test]
fn what_cant_be_evaluated_is_refused_before_anything_is_measured() {
    for (text, told) in [
        (
            "mode(variant.tiem.avg) < 1 ms",
            "SumBench.php:9: the assertion `mode(variant.tiem.avg) < 1 ms`, character 6: ",
        ),
        ("mean(variant.mem.final) < 1 mb", "Tare measures memory at its peak only; write variant.mem.peak"),
    ] {
        let dir = asserting(&["1 < 2", text]);
        dir.run(&["SumBench.php"]).finish(2).says_once(&[told]);
        assert!(!dir.store().exists(), "nothing was measured");
    }
    // An attribute that can't be read asserts something, and nobody knows what.
    let dir = Dir::new();
    dir.php("SumBench", "    #[Assert(NoSuchClass::LIMIT)]\n    public function benchSum(): void {}");
    dir.run(&["SumBench.php"]).finish(4).says_once(&["`#[Assert]` cannot be read"]);
}

#[test]
fn the_command_line_goes_before_the_source_and_that_before_phpbench_json() {
    let dir = asserting(&["1 ms > 2 ms"]);
    dir.run(&["SumBench.php", "--assert", "1 < 2"]).finish(0).says_once(&["assertions: 1 held"]);
    dir.run(&["SumBench.php", "--assert", "1 > 2"]).finish(1).says_once(&["assertion 1 > 2", "(--assert)"]);
    dir.run(&["SumBench.php", "--assert", "1 >"])
        .finish(2)
        .says_once(&["character 4: a number or a figure is missing before the end"]);
    dir.good();
    fs::remove_file(dir.path().join("tare.toml")).unwrap();
    dir.file("phpbench.json", "{\n  \"runner.path\": \".\",\n  \"runner.assert\": [\"2 > 1\", \"3 < 2\"]\n}\n");
    let told = dir.run(&[]).finish(1);
    told.says_once(&[
        "GoodBench::benchGood, assertion 3 < 2",
        "(phpbench.json:3)",
        "SumBench::benchSum, assertion 1 ms > 2 ms",
    ]);
    told.says_once(&["assertions: 1 held, 2 failed"]);
}

/// A subject that takes 1000 ns, within a thousandth.
fn simulated_run(assertion: &str, more: &[&str], status: i32) -> Finished {
    let dir = Dir::new();
    dir.file(
        "truth.toml",
        "seed = 1\n[[case]]\nname = \"subject\"\ntime-ns = 1000.0\nnoise = { model = \"gaussian\", spread = 0.001 }\n",
    );
    let runtime = simulated("");
    let fixed = ["run", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "8", "--samples", "8"];
    dir.tare(&[&fixed[..], &["--assert", assertion], more].concat()).finish(status)
}

#[test]
fn an_interval_on_both_sides_of_the_limit_is_undecided() {
    simulated_run("mean(variant.time.avg) < 1.1 us", &[], 0).says_once(&["assertions: 1 held"]);
    simulated_run("mean(variant.time.avg) < 0.9 us", &[], 1).says_once(&["assertions: 1 failed"]);
    simulated_run("mode(variant.time.avg) < 0.9 us +/- 20%", &[], 0).says_once(&["assertions: 1 held"]);
    let open = "mean(variant.time.avg) = 1000 ns";
    simulated_run(open, &[], 0).says_once(&["gate undecided: ", "too uncertain to decide", "assertions: 1 undecided"]);
    simulated_run(open, &["--fail-on", "inconclusive"], 3).says_once(&["exit status 3: 1 gate undecided"]);
    // PHPBench's revolutions are the calls that were asked for.
    simulated_run("mean(variant.time.net) > 9 us and max(variant.time.revs) = 10", &["--calls", "10"], 0);
    simulated_run("mean(variant.time.net) > 9 us", &[], 1);
    simulated_run(
        "rstdev(variant.time.avg) < 50 and stdev(variant.time.avg) < 500 ns and min(variant.time.avg) > 0.5",
        &[],
        0,
    );
}

#[test]
fn a_baseline_is_what_the_candidate_is_compared_with() {
    let dir = Dir::repository();
    let truth = |nanoseconds: f64| {
        format!(
            "seed = 1\n[[case]]\nname = \"subject\"\ntime-ns = {nanoseconds:?}\nnoise = {{ model = \"gaussian\", spread = 0.001 }}\n"
        )
    };
    dir.file("truth.toml", &truth(1000.0)).commit("base");
    dir.file("truth.toml", &truth(1200.0)).commit("candidate");
    let runtime = simulated("");
    let compare = |base: &str, assertion: &str, status| {
        let fixed = ["compare", base, "HEAD", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "8"];
        dir.tare(&[&fixed[..], &["--samples", "8", "--assert", assertion]].concat()).finish(status)
    };
    let slower = "mode(variant.time.avg) <= mode(baseline.time.avg) +/- 10%";
    compare("HEAD~1", slower, 1).says_once(&["assertions: 1 failed", "× the base's"]);
    compare("HEAD~1", "mean(variant.time.avg) <= mean(baseline.time.avg) +/- 30%", 0)
        .says_once(&["assertions: 1 held"]);
    compare("HEAD~1", "percent_diff(mean(baseline.time.avg), mean(variant.time.avg)) < 5", 1);
    dir.file("readme", "the same code").commit("nothing");
    // Code that is called the same doesn't break a rule that allows no difference.
    compare("HEAD~1", "mode(variant.time.avg) <= mode(baseline.time.avg)", 0);
    // Without a comparison it isn't judged, and that is said.
    let fixed = ["run", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "8", "--samples", "8"];
    let alone = dir.tare(&[&fixed[..], &["--assert", slower]].concat()).finish(0);
    alone.says_once(&["is not judged: it needs a baseline, and this run has no comparison"]);
}

#[test]
fn memory_that_an_assertion_is_about_is_weighed() {
    let dir = asserting(&[]);
    dir.run(&["SumBench.php", "--assert", "max(variant.mem.peak) > 10 gb"]).finish(1).says_once(&["bytes (--assert)"]);
    dir.run(&["SumBench.php", "--assert", "mode(variant.mem.peak) < 10 gb"])
        .finish(0)
        .says_once(&["assertions: 1 held"]);
}

#[test]
fn assertions_are_stored_and_judged_in_stored_comparisons() {
    let dir = asserting(&["mean(variant.time.avg) > 10 hours"]);
    for tag in ["old", "new"] {
        dir.run(&["SumBench.php", "--tag", tag]).finish(1);
    }
    dir.tare(&["compare", "old", "new"]).finish(1).says_once(&["assertions: 1 failed", "(SumBench.php:9)"]);
    dir.tare(&["compare", "old", "new", "--assert", "1 < 2"]).finish(0).says_once(&["assertions: 1 held"]);
}
