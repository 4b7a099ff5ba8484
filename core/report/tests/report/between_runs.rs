//! What runs differ by is in the intervals of times, and every report says that it is.

use serde_json::Value;
use tare_report::{Layout, TableOptions, html_page, markdown_summary, run_document, run_table};
use tare_results::{RunView, VariantView};
use tare_statistics::{BetweenRuns, Summary};

use crate::fixtures;

pub(crate) fn with(term: BetweenRuns) -> RunView {
    let mut view = fixtures::suite();
    let widened = |variant: VariantView| VariantView {
        summary: variant.summary.map(|summary| Summary { between_runs: Some(term), ..summary }.with_between_runs()),
        ..variant
    };
    view.variants = view.variants.into_iter().map(widened).collect();
    view
}

#[test]
fn a_supposed_term_is_told_as_that() {
    let view = with(BetweenRuns { standard: 0.008, freedom: 4.0, runs: 0 });
    let table = run_table(&view, &TableOptions::default());
    assert_eq!(
        table.matches("± includes what runs differ by: 0.8 % (assumed: too few earlier runs are stored)").count(),
        1,
        "{table}"
    );
    let verbose = run_table(&view, &TableOptions { verbose: true, ..TableOptions::default() });
    assert!(verbose.contains("drift") && verbose.matches("between runs").count() > 1, "{verbose}");
    assert!(!run_table(&fixtures::suite(), &TableOptions::default()).contains("runs differ by"));
}

#[test]
fn a_term_of_earlier_runs_names_them() {
    let mut view = with(BetweenRuns { standard: 0.0061, freedom: 12.0, runs: 9 });
    if let Some(term) = view.variants[1].summary.as_mut().and_then(|summary| summary.between_runs.as_mut()) {
        *term = BetweenRuns { standard: 0.011, freedom: 16.0, runs: 12 };
    }
    let table = run_table(&view, &TableOptions::default());
    assert!(table.contains("± includes what runs differ by: 0.6 to 1.1 % (from up to 12 earlier runs)"), "{table}");
    let page = html_page(&view);
    assert!(markdown_summary(&view).contains("0.6 to 1.1 % (from up to 12 earlier runs)."));
    assert!(page.contains("runs differ") && page.contains("from up to 12 earlier runs"), "the budget and the method");
}

#[test]
fn the_document_has_the_term_and_its_part_of_the_uncertainty() {
    let view = with(BetweenRuns { standard: 0.01, freedom: 7.5, runs: 3 });
    let document: Value = serde_json::from_str(&run_document(&view, Layout::Compact)).unwrap();
    let case = &document["cases"][1];
    assert_eq!(case["between_runs"], serde_json::json!({ "standard": 0.01, "freedom": 7.5, "runs": 3 }));
    let (time, part) = (&case["time"], case["uncertainty"]["between_runs"].as_f64().unwrap());
    assert!((part / time["estimate"].as_f64().unwrap() - 0.01).abs() < 1e-12, "{case:#}");
    assert!(case["uncertainty"]["combined"].as_f64().unwrap() > part, "{case:#}");
    let before: Value = serde_json::from_str(&run_document(&fixtures::suite(), Layout::Compact)).unwrap();
    assert!(
        before["cases"][1]["between_runs"].is_null() && before["cases"][1]["uncertainty"]["between_runs"].is_null()
    );
    let width = |time: &Value| time["high"].as_f64().unwrap() - time["low"].as_f64().unwrap();
    assert!(width(time) > width(&before["cases"][1]["time"]), "{case:#}");
}
