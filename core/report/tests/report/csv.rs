//! The rows of a run as other programs read them.

use crate::fixtures;
use std::collections::HashMap;

use csv::Reader;
use tare_report::FORMATS;
use tare_results::RunView;
use tare_samples::{CountedLaunch, CountedWork};
use tare_statistics::Estimate;
use tare_statistics::work::{Work, WorkVerdict};

/// The rows, by the names of their columns.
fn rows(view: &RunView) -> Vec<HashMap<String, String>> {
    let format = FORMATS.iter().find(|format| format.name == "csv").unwrap();
    let text = (format.render)(view);
    let mut reader = Reader::from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().unwrap()
}

#[test]
fn each_variant_has_a_row_and_candidates_have_their_ratio() {
    let view = fixtures::compared();
    let rows = rows(&view);
    assert_eq!(rows.len(), view.variants.len());
    for (row, shown) in rows.iter().zip(&view.variants) {
        assert_eq!((&row["id"], &row["run"]), (&shown.variant.id, &view.origin.id));
        let time = shown.summary.as_ref().map(|summary| summary.time.estimate);
        assert_eq!(row["time_ns"].parse::<f64>().ok(), time, "{row:?}");
        let pair = view.comparisons.judged().find(|pair| pair.candidate.id == shown.variant.id);
        let ratio = pair.and_then(|pair| pair.comparison.shown()).map(|ratio| ratio.estimate);
        assert_eq!(row["ratio"].parse::<f64>().ok(), ratio, "{row:?}");
        assert_eq!(row["verdict"], pair.map_or("", |pair| pair.comparison.verdict.name()));
    }
    assert!(rows.iter().any(|row| !row["ratio"].is_empty()) && rows.iter().any(|row| row["ratio"].is_empty()));
}

#[test]
fn what_calls_allocate_and_process_has_columns_of_its_own() {
    let mut view = fixtures::suite();
    let calibration = view.variants[1].calibration.get_or_insert_default();
    calibration.reported.allocations = Some(tare_samples::Allocations { calls: 10, count: 25, bytes: 1_120 });
    calibration.reported.bytes = Some(4_096);
    let time = view.variants[1].summary.as_ref().unwrap().time.estimate;
    let rows = rows(&view);
    assert_eq!((rows[1]["bytes_per_call"].as_str(), rows[1]["allocations_per_call"].as_str()), ("112", "2.5"));
    let rate: f64 = rows[1]["bytes_per_second"].parse().unwrap();
    assert!((rate * time / 4_096e9 - 1.0).abs() < 1e-9, "{rate}");
    assert!(rows[2]["bytes_per_call"].is_empty() && rows[1]["items_per_second"].is_empty());
}

#[test]
fn what_calls_execute_has_columns_of_its_own() {
    let mut view = fixtures::compared();
    let candidate = view.comparisons.judged().next().unwrap().candidate.id.clone();
    let ratio = Some(Estimate { estimate: 1.1, low: 1.09, high: 1.11 });
    let work = Work {
        base: 100.0,
        candidate: 110.0,
        ratio,
        verdict: WorkVerdict::More,
        varies: None,
        system_calls: None,
        allocations: None,
    };
    let pair = view.comparisons.pairs.iter_mut().find(|pair| pair.candidate.id == candidate).unwrap();
    pair.work = Some(work);
    let shown = view.variants.iter_mut().find(|shown| shown.variant.id == candidate).unwrap();
    let launch = CountedLaunch { calls: [1, 2, 3], subject: [150, 260, 370], null_calls: [1, 2], ..Default::default() };
    shown.calibration.get_or_insert_default().work =
        Some(CountedWork { launches: vec![launch], ..CountedWork::default() });
    let rows = rows(&view);
    let row = rows.iter().find(|row| row["id"] == candidate).unwrap();
    assert_eq!((row["instructions_per_call"].as_str(), row["work_verdict"].as_str()), ("110", "more"));
    assert_eq!((row["work_ratio_low"].as_str(), row["work_ratio_high"].as_str()), ("1.09", "1.11"));
    let others = rows.iter().filter(|row| row["id"] != candidate);
    assert!(others.into_iter().all(|row| row["work_verdict"].is_empty() && row["instructions_per_call"].is_empty()));
}

#[test]
fn what_failed_has_a_status_and_no_figures() {
    let rows = rows(&fixtures::troubled());
    let failed = rows.iter().find(|row| row["status"] == "failed").unwrap();
    assert!(failed["time_ns"].is_empty() && failed["ratio"].is_empty(), "{failed:?}");
}

#[test]
fn names_stay_in_their_fields_and_are_no_formulas() {
    let mut view = fixtures::suite();
    view.variants.truncate(2);
    view.variants[0].variant.case.benchmark = "=HYPERLINK(\"http://x\"),\"a\nb\u{1b}[31m\u{202e}".to_owned();
    view.variants[1].variant.label = "@SUM(A1)".to_owned();
    let rows = rows(&view);
    assert_eq!(rows.len(), 2);
    let name = &rows[0]["benchmark"];
    assert!(name.starts_with("'=HYPERLINK(\"http://x\"),\"a"), "{name}");
    assert!(!name.contains(['\u{1b}', '\u{202e}']), "{name}");
    assert_eq!(rows[1]["label"], "'@SUM(A1)");
}

#[test]
fn each_format_has_a_name_of_its_own() {
    let mut names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FORMATS.len());
    assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase())));
}
