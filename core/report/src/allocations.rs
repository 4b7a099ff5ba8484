//! What calls allocate, as `go test -benchmem` shows it: bytes and allocations a call.

use tare_results::{ComparisonView, RunView, VariantView};
use tare_samples::Allocations;

use crate::amount::count;

/// What stands over the columns.
pub(crate) const TITLES: [&str; 2] = ["B/op", "allocs/op"];

/// Whether any of the variants allocates, or its author asks to be told that it doesn't: a column of zeros is nothing to read.
pub(crate) fn are_worth_a_column(variants: &[VariantView]) -> bool {
    variants.iter().any(|variant| {
        let asked = variant.calibration.as_ref().is_some_and(|calibration| calibration.reported.allocations_asked);
        counted(variant).is_some_and(|allocations| asked || allocations.count > 0)
    })
}

/// Bytes and allocations a call; `None` where they weren't counted.
pub(crate) fn cells(variant: &VariantView) -> [Option<String>; 2] {
    let counted = counted(variant);
    [counted.map(|one| count(rounded(one.bytes_per_call()))), counted.map(|one| count(rounded(one.per_call())))]
}

/// Both sides of compared pairs.
#[derive(Debug, Default)]
pub(crate) struct Compared<'a> {
    /// Pairs with bytes, their change, allocations, and their change.
    pub(crate) rows: Vec<(&'a ComparisonView, [String; 4])>,
    /// Pairs that allocate the same on both sides, and have no row.
    pub(crate) alike: usize,
}

/// Pairs of which both sides were counted; those that allocate the same have rows only with `all`.
pub(crate) fn compared(view: &RunView, all: bool) -> Compared<'_> {
    let mut compared = Compared::default();
    if !are_worth_a_column(&view.variants) {
        return compared;
    }
    let of = |id: &str| view.variants.iter().find(|variant| variant.variant.id == id).and_then(counted);
    for pair in view.comparisons.judged() {
        let (Some(base), Some(candidate)) = (of(&pair.base.id), of(&pair.candidate.id)) else { continue };
        let bytes = [base, candidate].map(|side| rounded(side.bytes_per_call()));
        let counts = [base, candidate].map(|side| rounded(side.per_call()));
        if bytes[0] == bytes[1] && counts[0] == counts[1] && !all {
            compared.alike += 1;
        } else {
            compared.rows.push((pair, [both(bytes), change(bytes), both(counts), change(counts)]));
        }
    }
    compared
}

fn counted(variant: &VariantView) -> Option<Allocations> {
    variant.calibration.as_ref()?.reported.allocations
}

/// To a tenth: a map that grows now and then allocates a fraction of a byte a call, which no reader means by a change.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn both([from, to]: [f64; 2]) -> String {
    if from == to { count(to) } else { format!("{} → {}", count(from), count(to)) }
}

/// In percent; of nothing there is no percentage.
fn change([from, to]: [f64; 2]) -> String {
    match (from, to) {
        (from, to) if from == to => "0 %".to_owned(),
        (from, _) if from <= 0.0 => "new".to_owned(),
        (from, to) => format!("{:+.1} %", (to / from - 1.0) * 100.0),
    }
}
