//! The documents against their contract.

use crate::{fixtures, schema_check};
use serde_json::{Value, json};
use tare_report::{Layout, list_document, log_document, run_document};
use tare_results::{RunView, SessionView};
use tare_samples::{Failure, FailureKind, Likeness, Outcome};
use tare_statistics::BetweenRuns;

fn parsed(view: &RunView) -> Value {
    serde_json::from_str(&run_document(view, Layout::Compact)).expect("a document is JSON")
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn against_schema(document: &Value) -> Vec<String> {
    let schema: Value =
        serde_json::from_str(include_str!("../../schema/tare.run.schema.json")).expect("the schema is JSON");
    schema_check::violations(&schema, &schema, document, "")
}

#[test]
fn every_run_follows_the_schema() {
    let plain = [
        fixtures::suite(),
        fixtures::troubled(),
        fixtures::modes(),
        fixtures::magnitudes(),
        fixtures::hostile(),
        fixtures::disturbed(),
        fixtures::tails(),
        crate::between_runs::with(BetweenRuns { standard: 0.008, freedom: 4.0, runs: 0 }),
    ];
    let session = SessionView { name: "a".to_owned(), number: 12, level: 8e-5, error: 0.01, left: 0.89 };
    let mut counted = fixtures::methods();
    counted.comparisons.session = Some(session);
    let document = parsed(&counted);
    let members = json!({ "name": "a", "number": 12, "level": 8e-5, "error": 0.01, "left": 0.89 });
    assert_eq!(document["session"], members);
    assert_eq!(against_schema(&document), Vec::<String>::new());
    let compared = [fixtures::controlled(0.0008), fixtures::several(), fixtures::methods(), fixtures::outlier()];
    for view in plain.into_iter().chain(compared) {
        assert_eq!(against_schema(&parsed(&view)), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_the_contract_forbids() {
    let good = parsed(&fixtures::troubled());
    let failed = good["cases"].as_array().unwrap().iter().position(|case| case["status"] == "failed").unwrap();
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        against_schema(&document)
    };
    assert_eq!(broken(&|d| d["version"] = json!(1)), ["/version: 1 is not 3"]);
    assert_eq!(broken(&|d| d["cases"][1]["time"]["unit"] = json!("µs")), ["/cases/1/time/unit: \"µs\" is not \"ns\""]);
    assert_eq!(broken(&|d| d["cases"][1]["raw"]["low"] = Value::Null), ["/cases/1/raw/low: null is no \"number\""]);
    let failure = good["cases"][failed]["failure"].clone();
    assert!(!broken(&|d| d["cases"][1]["failure"] = failure.clone()).is_empty());
    assert!(!broken(&|d| drop(d["cases"][failed].as_object_mut().unwrap().remove("failure"))).is_empty());
    assert!(!broken(&|d| drop(d["cases"][1].as_object_mut().unwrap().remove("time"))).is_empty());
}

#[test]
fn what_a_call_costs_and_what_it_typically_takes() {
    let cases = parsed(&fixtures::tails())["cases"].clone();
    assert_eq!((&cases[0]["time"]["estimate"], &cases[0]["typical"]["estimate"]), (&json!(16_480.0), &json!(9_983.0)));
    assert_eq!(
        (&cases[0]["typical"]["differs_by"], &cases[0]["facts"][0]["code"]),
        (&json!("dear-calls"), &json!("outliers"))
    );
    assert_eq!(members(&cases[1]["typical"]), ["estimate", "low", "high"]);
    // Nothing says how far the only sample may be off.
    assert_eq!(members(&cases[4]["time"]), ["estimate", "confidence", "unit"]);
}

#[test]
fn members_stand_in_the_order_of_the_contract() {
    let document = parsed(&fixtures::suite());
    let top = ["format", "version", "id", "started", "tags", "machine", "policy", "seed", "cases", "comparisons"];
    assert_eq!(members(&document)[..top.len()], top);
    let case = &document["cases"][1];
    let contract = [
        "id",
        "benchmark",
        "parameters",
        "runtime",
        "status",
        "iterations",
        "launches",
        "samples",
        "raw",
        "time",
        "typical",
        "overhead",
        "uncertainty",
        "statistics",
        "memory",
        "warnings",
        "facts",
    ];
    assert_eq!(members(case)[..contract.len()], contract);
    assert_eq!(members(&case["runtime"])[..3], ["name", "language", "version"]);
    assert_eq!(members(&case["time"]), ["estimate", "low", "high", "confidence", "unit"]);
    assert_eq!(document["comparisons"], json!([]));
    assert_eq!(case["id"], "php/HashBench::benchHash#adler32");
    assert_eq!(case["parameters"], json!({"name": "adler32", "values": {"name": "'adler32'"}}));
    assert_eq!(case["time"]["estimate"], json!(65.934));
}

#[test]
fn figures_that_do_not_exist_are_left_out() {
    let document = parsed(&fixtures::troubled());
    let cases = document["cases"].as_array().unwrap();
    let with = |status: &str| cases.iter().find(|case| case["status"] == status).unwrap();
    for status in ["failed", "skipped", "interrupted"] {
        for figure in ["iterations", "launches", "samples", "raw", "time", "overhead", "statistics", "memory"] {
            assert_eq!(with(status).get(figure), None, "{figure} of a case that {status}");
        }
        assert_eq!(with(status).get("failure").is_some(), status == "failed");
    }
    assert_eq!(with("skipped")["skipped"], "needs ext-sodium");
    assert_eq!(with("failed")["failure"]["kind"], "exception");

    let mut view = fixtures::suite();
    let summary = view.variants[1].summary.as_mut().unwrap();
    summary.time.estimate = f64::NAN;
    summary.statistics.mean = f64::INFINITY;
    let case = &parsed(&view)["cases"][1];
    assert_eq!(case.get("time"), None);
    assert_eq!(case["statistics"].get("mean"), None);
    assert_eq!(case["statistics"]["median"], json!(65.934));
}

#[test]
fn a_failure_after_some_launches_keeps_their_figures() {
    let mut view = fixtures::suite();
    view.variants[1].outcome =
        Outcome::Failed(Failure::new(FailureKind::Signal, "killed by SIGKILL", "look at the memory limit"));
    let document = parsed(&view);
    assert_eq!(against_schema(&document), Vec::<String>::new());
    assert_eq!(document["cases"][1]["status"], "failed");
    assert_eq!(document["cases"][1]["launches"], 8);
}

#[test]
fn hostile_text_survives_the_round_trip() {
    let view = fixtures::hostile();
    let text = run_document(&view, Layout::Pretty);
    assert!(text.chars().all(|c| c == '\n' || !c.is_ascii_control()), "control characters must be escaped");
    let document: Value = serde_json::from_str(&text).unwrap();
    let name = view.variants[0].variant.case.parameters.name.clone().unwrap();
    assert_eq!(document["cases"][0]["parameters"]["name"], json!(name));
    assert_eq!(document, parsed(&view), "layout changes nothing but blanks");
}

#[test]
fn the_list_says_what_was_found_and_what_was_not() {
    let view = fixtures::troubled();
    let cases: Vec<_> = view.variants.iter().map(|v| v.variant.case.clone()).collect();
    let text = list_document(&cases, &view.notices, &view.file_failures, Layout::Compact);
    assert_eq!(text.lines().count(), 1);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&document["format"], &document["version"]), (&json!("tare.list"), &json!(1)));
    assert_eq!(document["cases"].as_array().unwrap().len(), cases.len());
    assert_eq!(document["cases"][1]["file"], "benchmarks/HashBench.php");
    assert_eq!(document["failures"][0]["line"], 17);
    assert_eq!(document["notices"][0]["level"], "warning");
}

#[test]
fn the_log_has_a_run_a_row() {
    let document: Value = serde_json::from_str(&log_document(&fixtures::log(), Layout::Pretty)).unwrap();
    assert_eq!((&document["format"], &document["version"]), (&json!("tare.log"), &json!(1)));
    assert_eq!(
        document["runs"][1],
        json!({"id": "20260301-142207-7c1e", "started": "2026-03-01T14:22:07Z", "tags": ["hashes"], "cases": 20, "failed": 2,
            "state": "complete", "git": {"branch": "main", "commit": "4f2a9be07d31c0ffee", "dirty": true}})
    );
}

#[test]
fn comparisons_follow_the_contract() {
    let document = parsed(&fixtures::controlled(0.0008));
    let comparisons = document["comparisons"].as_array().unwrap();
    let contract =
        ["base", "candidate", "ratio", "verdict", "margin", "minimum_detectable_effect", "pairs", "confirmed"];
    for comparison in comparisons {
        assert_eq!(members(comparison)[..contract.len()], contract);
    }
    let slower = &comparisons[2];
    let wanted = json!({"base": "HashBench::benchHash crc32@main", "candidate": "HashBench::benchHash crc32@feature/faster-hash",
            "ratio": {"estimate": 1.0102, "low": 1.0102 - 0.0011, "high": 1.0102 + 0.0011, "confidence": 0.99},
            "verdict": "slower", "margin": 0.005, "minimum_detectable_effect": 0.005 + 1.4 * 0.0011, "pairs": 20,
            "confirmed": true, "kind": "live", "title": "HashBench::benchHash crc32",
            "labels": {"base": "main", "candidate": "feature/faster-hash"}, "verdict_about": "time", "rests_on": "time",
            "flag": {"first": "slower", "pairs": 8, "p_value": 0.000_31}, "warnings": []});
    // Through text, as the document went.
    assert_eq!(*slower, serde_json::from_str::<Value>(&wanted.to_string()).unwrap());
    let ids: Vec<&Value> = document["cases"].as_array().unwrap().iter().map(|case| &case["id"]).collect();
    assert!(ids.contains(&&slower["base"]) && ids.contains(&&slower["candidate"]), "ids lead to cases");
    let undefined = &comparisons[0];
    assert_eq!((&undefined["ratio"], &undefined["minimum_detectable_effect"]), (&Value::Null, &Value::Null));
    assert_eq!(undefined["warnings"][0]["code"], "base-below-resolution");
    assert_eq!(members(&undefined["warnings"][0]), ["code", "severity", "message", "remedy"]);
    assert_eq!(undefined["warnings"][0]["severity"], "void", "there is no ratio");
    assert_eq!(comparisons[1].get("flag"), None);
}

/// The ratio is that of expected costs; that of typical calls stands beside it, and the bound beside `same`.
#[test]
fn typical_calls_stand_beside_expected_costs() {
    let document = parsed(&fixtures::of_two_estimands());
    let comparisons = document["comparisons"].as_array().unwrap();
    let same = &comparisons[0];
    assert_eq!((&same["verdict"], &same["rests_on"], &same["within"]), (&json!("same"), &json!("time"), &json!(0.014)));
    assert!(same["typical"]["high"].as_f64() < same["ratio"]["high"].as_f64());
    let tailed = &comparisons[1];
    assert_eq!(
        (&tailed["verdict"], &tailed["rests_on"], tailed.get("within")),
        (&json!("slower"), &json!("time"), None)
    );
    assert_eq!((&tailed["ratio"]["estimate"], &tailed["typical"]["estimate"]), (&json!(2.0), &json!(1.0001)));
}

#[test]
fn the_answer_and_what_proofs_cover_are_told() {
    let document = parsed(&fixtures::mixed());
    assert_eq!(
        document["answer"],
        "3 of 120 benchmarks got slower, `benchWords` most, by 9.7 %; 115 are unchanged; 2 are the same within 1.9 %"
    );
    let proven = &parsed(&fixtures::documentation())["comparisons"][0];
    assert_eq!((&proven["verdict"], &proven["ratio"]), (&json!("unchanged"), &Value::Null));
    assert_eq!(proven["proof"], json!({"level": "code", "files": 41, "units": 12}));
    assert_eq!(against_schema(&document), Vec::<String>::new());
}

#[test]
fn the_machine_code_of_a_comparison_is_told_where_it_is_known_to_be_the_same() {
    let mut view = fixtures::compared();
    view.comparisons.pairs[1].machine_code = Some(Likeness::Moved);
    view.comparisons.pairs[2].machine_code = Some(Likeness::Same);
    let mut document = parsed(&view);
    let told = |at: usize| document["comparisons"][at].get("machine_code");
    assert_eq!([told(0), told(1), told(2)], [None, Some(&json!("moved")), Some(&json!("same"))]);
    assert_eq!(against_schema(&document), Vec::<String>::new());
    document["comparisons"][1]["machine_code"] = json!("unknown");
    assert!(!against_schema(&document).is_empty());
}

#[test]
fn controls_are_not_counted_among_the_comparisons() {
    let document = parsed(&fixtures::controlled(0.008));
    let kinds = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert!(kinds(&document["comparisons"]).iter().all(|kind| kind == "live"));
    assert_eq!(kinds(&document["controls"]), ["control"; 5]);
    let error = document["noise_floor"]["error"].as_f64().unwrap();
    assert!((error - (1.0 / 0.992 - 1.0)).abs() < 1e-12, "{error}");
}

#[test]
fn additions_stand_there_only_where_there_are_any() {
    let additions = ["controls", "unpaired", "gates", "geometric_means", "noise_floor"];
    let document = parsed(&fixtures::suite());
    assert!(additions.iter().all(|name| document.get(name).is_none()));
    let document = parsed(&fixtures::controlled(0.001));
    assert!(additions.iter().all(|name| document.get(name).is_some()));
    assert_eq!(document["unpaired"][0], json!({"title": "HashBench::benchHash md2", "side": "main"}));
    assert_eq!(document["gates"][0]["outcome"], "tripped");
    assert_eq!(document["gates"][1].get("base"), None);
    assert_eq!(document["geometric_means"][1]["cases"], 18);
}

#[test]
fn the_schema_refuses_a_broken_comparison() {
    let good = parsed(&fixtures::compared());
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        against_schema(&document)
    };
    assert!(!broken(&|d| d["comparisons"][1]["verdict"] = json!("worse")).is_empty());
    assert!(!broken(&|d| d["comparisons"][1]["ratio"] = json!({"estimate": 1.0})).is_empty());
    assert!(!broken(&|d| drop(d["comparisons"][0].as_object_mut().unwrap().remove("ratio"))).is_empty());
    assert!(!broken(&|d| d["gates"][0]["outcome"] = json!("held")).is_empty());
}

#[test]
fn a_ratio_that_is_not_finite_is_not_written() {
    let mut view = fixtures::compared();
    view.comparisons.pairs[1].comparison.ratio.as_mut().unwrap().high = f64::INFINITY;
    view.comparisons.pairs[2].comparison.minimum_detectable_effect = Some(f64::NAN);
    let document = parsed(&view);
    assert_eq!(document["comparisons"][1]["ratio"], Value::Null);
    assert_eq!(document["comparisons"][2]["minimum_detectable_effect"], Value::Null);
    assert_eq!(against_schema(&document), Vec::<String>::new());
}

#[test]
fn findings_say_whose_they_are() {
    let document = parsed(&fixtures::disturbed());
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(members(&findings[0]), ["code", "level", "found", "effect", "remedy"], "the machine has no name");
    assert_eq!((&findings[2]["runtime"], &findings[2]["level"]), (&json!("php8.2"), &json!("disturbs")));
    let mut broken = document;
    broken["findings"][0]["level"] = json!("bad");
    assert!(!against_schema(&broken).is_empty());
}
