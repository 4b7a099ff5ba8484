//! What calls allocate, as `go test -benchmem` shows it: bytes and allocations a call.

use tare_results::{RunView, VariantView};
use tare_samples::Allocations;

use super::line::{Page, Style};
use super::{columns, memory};
use crate::amount::count;
use crate::text::one_line;

/// What stands over the columns.
pub(super) const TITLES: [&str; 2] = ["B/op", "allocs/op"];

/// Whether any of the variants allocates, or its author asks to be told that it doesn't: a column of zeros is nothing to read.
pub(super) fn are_worth_a_column(variants: &[VariantView]) -> bool {
    variants.iter().any(|variant| {
        let asked = variant.calibration.as_ref().is_some_and(|calibration| calibration.reported.allocations_asked);
        counted(variant).is_some_and(|allocations| asked || allocations.count > 0)
    })
}

/// Bytes and allocations a call; `None` where they weren't counted.
pub(super) fn cells(variant: &VariantView) -> [Option<String>; 2] {
    let counted = counted(variant);
    [counted.map(|one| count(rounded(one.bytes_per_call()))), counted.map(|one| count(rounded(one.per_call())))]
}

/// What compared sides allocate, a row each where it differs and a line for the rest; of what isn't compared a row each, where the table
/// above has no columns for it.
pub(super) fn write(page: &mut Page, view: &RunView, verbose: bool) {
    if !are_worth_a_column(&view.variants) {
        return;
    }
    if view.comparisons.is_empty() {
        let rows: Vec<(String, Vec<String>)> = view
            .variants
            .iter()
            .filter_map(|variant| Some((memory::name(variant), cells(variant).into_iter().collect::<Option<_>>()?)))
            .collect();
        page.gap();
        columns::write(page, &TITLES, &rows);
        return;
    }
    let of = |id: &str| view.variants.iter().find(|variant| variant.variant.id == id).and_then(counted);
    let mut alike = 0;
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for pair in view.comparisons.judged() {
        let (Some(base), Some(candidate)) = (of(&pair.base.id), of(&pair.candidate.id)) else { continue };
        let bytes = [base, candidate].map(|side| rounded(side.bytes_per_call()));
        let counts = [base, candidate].map(|side| rounded(side.per_call()));
        if bytes[0] == bytes[1] && counts[0] == counts[1] && !verbose {
            alike += 1;
            continue;
        }
        let name = if pair.title.is_empty() {
            format!("{} vs {}", pair.candidate.label, pair.base.label)
        } else {
            pair.title.clone()
        };
        let cells = [bytes, counts].into_iter().flat_map(|[from, to]| [both(from, to), change(from, to)]);
        rows.push((one_line(&name), cells.collect()));
    }
    if rows.is_empty() && alike == 0 {
        return;
    }
    page.gap();
    let mut line = page.line();
    line.push(Style::Bold, "allocations").push(Style::Dim, " a call, base and candidate");
    if rows.is_empty() {
        line.push(Style::Dim, ": the same on both sides");
        page.put(line);
        return;
    }
    page.put(line);
    columns::write(page, &[TITLES[0], "change", TITLES[1], "change"], &rows);
    if alike > 0 {
        let cases = if alike == 1 { "1 other case allocates" } else { &format!("{alike} other cases allocate") };
        page.prose(0, (Style::Dim, ""), Style::Dim, &format!("{cases} the same on both sides"));
    }
}

fn counted(variant: &VariantView) -> Option<Allocations> {
    variant.calibration.as_ref()?.reported.allocations
}

/// To a tenth: a map that grows now and then allocates a fraction of a byte a call, which no reader means by a change.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn both(from: f64, to: f64) -> String {
    if from == to { count(to) } else { format!("{} → {}", count(from), count(to)) }
}

/// In percent; of nothing there is no percentage.
fn change(from: f64, to: f64) -> String {
    match (from, to) {
        (from, to) if from == to => "0 %".to_owned(),
        (from, _) if from <= 0.0 => "new".to_owned(),
        (from, to) => format!("{:+.1} %", (to / from - 1.0) * 100.0),
    }
}
