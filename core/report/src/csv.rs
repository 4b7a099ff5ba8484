//! A row for each variant, as comma-separated values: RFC 4180, with a header, UTF-8 and `\n`.

use csv::Writer;
use tare_results::{ComparisonKind, ComparisonView, RunView, VariantView};
use tare_samples::Outcome;
use tare_statistics::Estimate;

use crate::text::visible;

/// Names of the columns. Times are nanoseconds a call, ratios are of the variant to its base. What isn't known is empty.
const COLUMNS: [&str; 32] = [
    "run",
    "started",
    "id",
    "benchmark",
    "parameters",
    "language",
    "runtime",
    "version",
    "label",
    "status",
    "launches",
    "samples",
    "calls",
    "time_ns",
    "time_low_ns",
    "time_high_ns",
    "typical_ns",
    "typical_low_ns",
    "typical_high_ns",
    "base",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "bytes_per_call",
    "allocations_per_call",
    "bytes_per_second",
    "items_per_second",
    "instructions_per_call",
    "work_ratio_low",
    "work_ratio_high",
    "work_verdict",
];

/// The variants of a run in their order, each with its comparison where it is a candidate. Control characters in names are escaped, and
/// a field that a spreadsheet would take for a formula begins with an apostrophe.
pub(crate) fn csv_rows(view: &RunView) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    // Writing to memory fails where there is none, and then nothing else works either.
    let mut write = |row: &[String]| writer.write_record(row).unwrap_or_default();
    write(&COLUMNS.map(str::to_owned));
    for variant in &view.variants {
        write(&row(view, variant));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn row(view: &RunView, shown: &VariantView) -> [String; COLUMNS.len()] {
    let variant = &shown.variant;
    let status = match &shown.outcome {
        // What is proven to be unchanged isn't measured.
        Outcome::Ok if shown.summary.is_none() => "unchanged",
        Outcome::Ok => "ok",
        Outcome::Failed(_) => "failed",
        Outcome::Skipped(_) => "skipped",
        Outcome::Interrupted => "interrupted",
    };
    let of_candidate = |pair: &&ComparisonView| pair.kind != ComparisonKind::Control && pair.candidate.id == variant.id;
    let pair = view.comparisons.pairs.iter().find(of_candidate);
    let summary = shown.summary.as_ref();
    let [time, time_low, time_high] = interval(summary.map(|summary| summary.time));
    let [typical, typical_low, typical_high] = interval(summary.and_then(|summary| summary.typical));
    let [ratio, ratio_low, ratio_high] = interval(pair.and_then(|pair| pair.comparison.shown()));
    let allocated = shown.calibration.as_ref().and_then(|calibration| calibration.reported.allocations);
    let work = pair.and_then(|pair| pair.work);
    let [_, work_low, work_high] = interval(work.and_then(|work| work.ratio));
    let figure = |one: Option<f64>| one.filter(|one| one.is_finite()).map_or(String::new(), |one| one.to_string());
    let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
    [
        field(&view.origin.id),
        field(&view.origin.started),
        field(&variant.id),
        field(&variant.case.benchmark),
        field(variant.case.parameters.name.as_deref().unwrap_or_default()),
        field(&variant.case.language),
        field(&variant.runtime.name),
        field(&variant.runtime.version),
        field(&variant.label),
        status.to_owned(),
        count(summary.map(|summary| summary.launches)),
        count(summary.map(|summary| summary.samples)),
        count(summary.map(|summary| summary.iterations)),
        time,
        time_low,
        time_high,
        typical,
        typical_low,
        typical_high,
        field(pair.map_or("", |pair| &pair.base.id)),
        ratio,
        ratio_low,
        ratio_high,
        pair.map_or("", |pair| pair.comparison.verdict.name()).to_owned(),
        figure(allocated.map(|one| one.bytes_per_call())),
        figure(allocated.map(|one| one.per_call())),
        figure(shown.bytes_a_second().map(|rate| rate.estimate)),
        figure(shown.items_a_second().map(|rate| rate.estimate)),
        figure(shown.calibration.as_ref().and_then(|calibration| {
            Some(calibration.work.as_ref().filter(|work| !work.several_threads())?.per_call())
        })),
        work_low,
        work_high,
        work.map_or("", |work| work.verdict.name()).to_owned(),
    ]
}

/// Estimate and ends; one that isn't finite isn't known.
fn interval(estimate: Option<Estimate>) -> [String; 3] {
    let figure = |figure: f64| if figure.is_finite() { figure.to_string() } else { String::new() };
    estimate.map_or_else(Default::default, |e| [figure(e.estimate), figure(e.low), figure(e.high)])
}

fn field(text: &str) -> String {
    let text = visible(text, true);
    if text.starts_with(['=', '+', '-', '@']) { format!("'{text}") } else { text }
}
