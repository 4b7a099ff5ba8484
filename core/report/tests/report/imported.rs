//! Runs that another tool measured: nothing is said to have been taken off, and what isn't known isn't shown.

use crate::{fixtures, schema_check};
use tare_report::{Layout, TableOptions, html_page, run_document, run_log, run_table};
use tare_results::RunView;
use tare_samples::{Calibration, IMPORT_DRIVER, Imported, UNTARED};
use tare_statistics::{GivenFigures, untared};

fn view() -> RunView {
    let mut view = fixtures::troubled();
    view.origin.policy = UNTARED;
    view.origin.imported = Some(Imported {
        tool: "hyper\u{202e}fine".into(),
        version: "1.20.0".into(),
        format: "hyperfine".into(),
        file: "results/\u{1b}[31mnew.json".into(),
        digest: "00ff".into(),
        time_told: false,
    });
    view.comparisons = Default::default();
    view.variants = vec![fixtures::ok("seq 10", None, 100.0, 1.0), fixtures::ok("mean only", None, 100.0, 1.0)];
    for variant in &mut view.variants {
        variant.variant.runtime.command.driver = IMPORT_DRIVER.into();
        variant.variant.runtime.name = "hyperfine".into();
        variant.calibration = Some(Calibration::default());
    }
    let launches: Vec<Vec<f64>> = (0..8).map(|n| vec![1e6 + 1e4 * f64::from(n)]).collect();
    view.variants[0].summary = untared(&launches, &GivenFigures::default(), 1);
    view.variants[1].summary = untared(&[], &GivenFigures { mean: Some(5e6), ..GivenFigures::default() }, 0);
    view
}

#[test]
fn a_table_says_who_measured_it_and_that_nothing_was_taken_off() {
    let options = TableOptions { verbose: true, ..TableOptions::default() };
    let shown = run_table(&view(), &options);
    assert!(shown.contains("overhead subtracted: nothing, these are the times of hyperfine"), "{shown}");
    assert!(shown.contains("measured by hyper\\u{202e}fine 1.20.0"), "{shown}");
    assert!(shown.contains("imported from"), "{shown}");
    for wrong in ["subtracted: call", "seed", "NaN", "one bare call", "uncertainty", "\u{1b}[31m"] {
        assert!(!shown.contains(wrong), "{wrong} in {shown}");
    }
}

#[test]
fn a_document_leaves_out_what_is_not_known() {
    let document: serde_json::Value = serde_json::from_str(&run_document(&view(), Layout::Pretty)).expect("JSON");
    let schema = serde_json::from_str(include_str!("../../schema/tare.run.schema.json")).expect("JSON");
    assert_eq!(schema_check::violations(&schema, &schema, &document, ""), Vec::<String>::new());
    assert_eq!(document["policy"]["correction"], 0);
    assert_eq!(document["imported"]["version"], "1.20.0");
    let only = &document["cases"][1];
    for missing in ["overhead", "uncertainty", "iterations"] {
        assert!(only.get(missing).is_none(), "{only}");
    }
    assert_eq!(only["time"].get("low"), None);
    assert_eq!(only["statistics"]["mean"], 5e6);
    assert!(only["statistics"].get("median").is_none(), "{only}");
    assert_eq!(document["cases"][0]["statistics"]["min"], 1e6);
}

#[test]
fn a_page_does_not_claim_a_measurement_of_tares() {
    let page = html_page(&view());
    // The script has words of its own.
    let (page, _) = page.split_once("<script>").expect("a page has a script");
    assert!(page.contains("was not measured, and not subtracted"), "{page}");
    assert!(page.contains("nothing taken off"), "{page}");
    for wrong in ["correction policy", "and subtracted.", "NaN", "\u{202e}", "\u{1b}"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
}

#[test]
fn a_log_names_the_tool() {
    let mut row = fixtures::log().remove(0);
    row.imported = Some("hyperfine".to_owned());
    row.compares = false;
    row.sides = None;
    let shown = run_log(&[row], &TableOptions::default());
    assert!(shown.contains("(from hyperfine)"), "{shown}");
}
