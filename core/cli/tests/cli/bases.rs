//! Cases of one run that are compared with a base, controls, margins; and what of it the documents say.

use serde_json::{Value, json};

use crate::harness::Dir;

#[path = "../../../report/tests/report/schema_check/mod.rs"]
mod schema_check;

/// Three methods, one with parameter sets of its own kind in another class.
fn classes(dir: &Dir) {
    dir.php(
        "SumBench",
        "    public function benchFor(): void { for ($i = 0, $s = 0; $i < 20; $i++) { $s += $i; } }
    public function benchSum(): void { array_sum(range(0, 19)); }
    public function benchOther(): void { md5('x'); }",
    );
    dir.php(
        "SetBench",
        "    public function sets() { return ['md5' => ['md5'], 'sha1' => ['sha1'], 'crc32' => ['crc32']]; }
    /** @ParamProviders(\"sets\") */
    public function benchHash($params): void { hash($params[0], 'x'); }",
    );
}

#[test]
fn methods_are_compared_with_the_one_that_is_named() {
    let dir = Dir::new();
    classes(&dir);
    for base in ["benchFor", "SumBench::benchFor"] {
        let document = dir.run(&["SumBench.php", "--base", base, "--json"]).finish(0).document();
        assert_eq!(document.compared(), [["SumBench", "benchFor", "benchSum"], ["SumBench", "benchFor", "benchOther"]]);
        let bases: Vec<&Value> =
            document.0["comparisons"].as_array().unwrap().iter().map(|pair| &pair["base"]).collect();
        assert_eq!(bases, ["php/SumBench::benchFor"; 2]);
        assert_eq!(document.cases().len(), 3);
    }
}

#[test]
fn sets_are_compared_with_the_one_that_is_named() {
    let dir = Dir::new();
    classes(&dir);
    let document = dir.run(&[".", "--base", "#sha1", "--json"]).finish(0).document();
    assert_eq!(document.compared(), [["SetBench::benchHash", "sha1", "md5"], ["SetBench::benchHash", "sha1", "crc32"]]);
    assert_eq!(document.cases().len(), 6, "the rest is measured beside them");
    let shown = dir.tare(&["show"]).finish(0);
    shown.says_once(&["md5 vs sha1", "crc32 vs sha1"]);
}

#[test]
fn a_mark_in_the_source_makes_a_base_and_runtimes_go_before_it() {
    let dir = Dir::new();
    dir.php(
        "MarkBench",
        "    #[Tare\\Base]
    public function benchOld(): void { md5('x'); }
    public function benchNew(): void { sha1('x'); }",
    );
    let document = dir.run(&[".", "--json"]).finish(0).document();
    assert_eq!(document.compared(), [["MarkBench", "benchOld", "benchNew"]]);
    let document = dir.run(&[".", "--runtime", "a=php", "--runtime", "b=php -n", "--json"]).finish(0).document();
    assert_eq!(document.compared(), [["MarkBench::benchOld", "a", "b"], ["MarkBench::benchNew", "a", "b"]]);
}

#[test]
fn a_base_that_is_not_there_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    classes(&dir);
    for (arguments, message) in [
        (&["--base", "benchFro"][..], "the base `benchFro` is no case of this run"),
        (&["--base", "#md6"], "the base `#md6` is no case of this run"),
        (&["--base", ""], "it is empty; name a method or a set"),
        (&["--base", "benchHash"], "the base `benchHash` has no candidate"),
        (&["--control"], "--control compares a base with itself, and there is no comparison"),
        (&["--fail-on", "slower"], "--fail-on and max-slowdown need something to compare"),
        (&["--fail-on", "inconclusive"], "--fail-on and max-slowdown need something to compare"),
        (&["--fail-on", "slower", "--fail-on", "slower=2%", "--base", "benchFor"], "--fail-on slower is given 2 times"),
        (&["--fail-on", "slwer"], "did you mean `slower`?"),
        (&["--against", "nowhere"], "there is no store at"),
    ] {
        let shown = dir.run(&[&["."], arguments].concat()).finish(2);
        shown.says_once(&[message]).never_says(&["pilot", "panicked"]);
        assert_eq!(shown.stdout, "", "{arguments:?}");
    }
    assert!(!dir.path().join(".tare").exists(), "nothing was measured, and a store was made");
}

#[test]
fn margins_of_nothing_or_less_are_refused_with_the_reason() {
    let dir = Dir::two_commits();
    for (margin, reason) in [
        ("0%", "a margin of 0; write 0.5% or 2%"),
        ("-1%", "a margin of 0; write 0.5% or 2%"),
        ("0", "it has no % at its end"),
        ("100%", "write 0.5% or 2%"),
        ("some", "it has no % at its end"),
    ] {
        let compared = dir.compare("HEAD~1", "HEAD", &["--margin", margin]).finish(2);
        compared.says_once(&[&format!("invalid value '{margin}' for '--margin <PERCENT>'"), reason]);
        dir.run(&[".", "--margin", margin]).finish(2).says_once(&[reason]);
        dir.file("tare.toml", &format!("[compare]\nmargin = \"{margin}\"\n"));
        dir.run(&["."]).finish(2).says_once(&["tare.toml:2", reason]);
        dir.file("tare.toml", "");
    }
    let document = dir.compare("HEAD~1", "HEAD", &["--margin", "2%", "--json"]).finish(0).document();
    assert_eq!(document.0["comparisons"][0]["margin"], 0.02);
}

/// What a project asks of its comparisons must not keep it from measuring one benchmark alone.
#[test]
fn what_tare_toml_says_of_comparisons_is_for_runs_that_compare() {
    let dir = Dir::new();
    classes(&dir);
    dir.file("tare.toml", "[compare]\nbase = \"benchFor\"\ncontrol = true\nfail-on = [\"slower=50%\"]\n");
    let document = dir.run(&["SumBench.php", "--json"]).finish(0).document();
    assert_eq!(document.compared().len(), 2);
    for (arguments, cases) in [(&["SetBench.php"][..], 3), (&["SumBench.php", "--filter", "benchFor"], 1)] {
        let finished = dir.run(&[arguments, &["--json"]].concat()).finish(0);
        finished.says_once(&["base in tare.toml: ", "Tare compares nothing"]);
        let document = finished.document();
        assert_eq!((document.cases().len(), document.compared().len()), (cases, 0));
    }
    // Runtimes are asked for on the command line: they go before the project's base.
    let document = dir
        .run(&["SumBench.php", "--filter", "benchFor", "--runtime", "a=php", "--runtime", "b=php", "--json"])
        .finish(0)
        .document();
    assert_eq!(document.compared(), [["SumBench::benchFor", "a", "b"]]);
}

#[test]
fn a_control_is_the_base_against_itself_beside_the_rest() {
    let dir = Dir::two_commits();
    for document in [
        dir.compare("HEAD~1", "HEAD", &["--control", "--json"]).finish(0).document(),
        dir.tare(&["show", "--json"]).finish(0).document(),
    ] {
        assert_eq!(document.compared(), [["WorkBench::benchWork", "HEAD~1", "HEAD"]]);
        let controls = document.0["controls"].as_array().unwrap();
        assert_eq!(controls.len(), 1, "{controls:#?}");
        assert_eq!(controls[0]["kind"], "control");
        assert_eq!(controls[0]["base"], "php/WorkBench::benchWork@HEAD~1");
        assert_eq!(controls[0]["candidate"], "php/WorkBench::benchWork@HEAD~1~control");
        assert_eq!(document.cases().len(), 3);
    }
    let without = dir.compare("HEAD~1", "HEAD", &["--json"]).finish(0).document();
    assert!(without.0.get("controls").is_none() && without.0.get("noise_floor").is_none());
    dir.assert_nothing_is_left();
}

#[test]
fn documents_with_comparisons_follow_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../../report/schema/tare.run.schema.json")).unwrap();
    let dir = Dir::two_commits();
    dir.file("tare.toml", "[[limit]]\ncase = \"Work\"\nmax-time = \"1ns\"\n");
    dir.good();
    // On a busy machine the interval of so short a measurement may reach below the limit, which is then undecided.
    let compared = dir.compare("HEAD~1", ".", &["--control", "--json"]).finish_with(&[0, 1]).document();
    assert!(compared.0["unpaired"].is_array() && compared.0["gates"].is_array() && compared.0["controls"].is_array());
    let failing = dir.compare("HEAD~1", ".", &["--json", "--prepare", "exit 1"]).finish(4).document();
    for document in [compared, failing, dir.stored()] {
        assert_eq!(schema_check::violations(&schema, &schema, &document.0, ""), Vec::<String>::new());
        assert_eq!((&document.0["format"], &document.0["version"]), (&json!("tare.run"), &json!(3)));
    }
}
