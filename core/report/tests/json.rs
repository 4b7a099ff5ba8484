//! The documents against their contract.

mod fixtures;
mod schema_check;

use serde_json::{Value, json};
use tare_report::{Layout, RunView, list_document, log_document, run_document};
use tare_samples::{Failure, FailureKind, Outcome};

fn parsed(view: &RunView) -> Value {
    serde_json::from_str(&run_document(view, Layout::Compact)).expect("a document is JSON")
}

fn members(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn against_schema(document: &Value) -> Vec<String> {
    let schema: Value =
        serde_json::from_str(include_str!("../schema/tare.run.schema.json")).expect("the schema is JSON");
    schema_check::violations(&schema, &schema, document, "")
}

#[test]
fn every_run_follows_the_schema() {
    for view in
        [fixtures::suite(), fixtures::troubled(), fixtures::modes(), fixtures::magnitudes(), fixtures::hostile()]
    {
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
    assert_eq!(broken(&|d| d["version"] = json!(2)), ["/version: 2 is not 1"]);
    assert_eq!(broken(&|d| d["cases"][1]["time"]["unit"] = json!("µs")), ["/cases/1/time/unit: \"µs\" is not \"ns\""]);
    assert_eq!(broken(&|d| d["cases"][1]["raw"]["low"] = Value::Null), ["/cases/1/raw/low: null is no \"number\""]);
    let failure = good["cases"][failed]["failure"].clone();
    assert!(!broken(&|d| d["cases"][1]["failure"] = failure.clone()).is_empty());
    assert!(!broken(&|d| drop(d["cases"][failed].as_object_mut().unwrap().remove("failure"))).is_empty());
    assert!(!broken(&|d| drop(d["cases"][1].as_object_mut().unwrap().remove("time"))).is_empty());
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
        "overhead",
        "uncertainty",
        "statistics",
        "memory",
        "warnings",
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
