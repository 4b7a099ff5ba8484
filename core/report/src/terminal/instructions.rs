use tare_samples::CountedWork;

use super::line::{Page, Style};
use super::{columns, memory};
use crate::amount::count;
use crate::work::times;
use tare_results::{ComparisonView, ComparisonsView, VariantView};

/// What happens less than once in twenty calls has no column.
const LEAST: f64 = 0.05;

/// The instructions of a variant; `None` where they weren't counted.
pub(crate) fn counted(variant: &VariantView) -> Option<&CountedWork> {
    variant.calibration.as_ref()?.work.as_ref()
}

/// What stands in the table's column: `5312`, or `5312 ± 4` where the count didn't repeat itself; `several threads` where a part wasn't counted.
pub(crate) fn cell(counts: &CountedWork) -> String {
    if counts.several_threads() {
        return "several threads".to_owned();
    }
    let difference = counts.launches_differ_by();
    let difference = if difference > 0.0 { format!(" ± {}", count(difference)) } else { String::new() };
    count(counts.per_call()) + &difference
}

/// The instructions of the variants, a row each, where they don't stand in the table.
pub(super) fn write(page: &mut Page, variants: &[VariantView], comparisons: &ComparisonsView) {
    let names = memory::names(variants);
    let row = |(variant, counts): (&VariantView, &CountedWork)| {
        (memory::name(variant, &names), vec![cell(counts), count(counts.raw_per_call())])
    };
    let rows: Vec<(String, Vec<String>)> = uncompared(variants, comparisons).map(row).collect();
    block(page, ("instructions", "by callgrind, those of an empty benchmark subtracted"), &["subject", "raw"], &rows);
}

/// What else was counted of variants that do it at all, a row each.
pub(super) fn happenings(page: &mut Page, variants: &[VariantView], comparisons: &ComparisonsView) {
    let names = memory::names(variants);
    let all = ["system calls", "allocations"];
    let happens = |counts: &CountedWork| {
        [counts.system_calls(), counts.allocations()].map(|often| often.filter(|often| *often >= LEAST))
    };
    let rows: Vec<(String, [Option<f64>; 2])> = uncompared(variants, comparisons)
        .map(|(variant, counts)| (memory::name(variant, &names), happens(counts)))
        .filter(|(_, often)| often.iter().any(Option::is_some))
        .collect();
    let columns: Vec<usize> = (0..all.len()).filter(|&at| rows.iter().any(|(_, often)| often[at].is_some())).collect();
    let titles: Vec<&str> = columns.iter().map(|&at| all[at]).collect();
    let cells = |often: [Option<f64>; 2]| columns.iter().map(|&at| often[at].map_or(String::new(), times)).collect();
    let rows: Vec<(String, Vec<String>)> = rows.into_iter().map(|(name, often)| (name, cells(often))).collect();
    block(page, ("work", "counted beside instructions"), &titles, &rows);
}

/// Variants that were counted and of which no row of a comparison has told it.
fn uncompared<'a>(
    variants: &'a [VariantView],
    comparisons: &'a ComparisonsView,
) -> impl Iterator<Item = (&'a VariantView, &'a CountedWork)> {
    let is_compared = |variant: &VariantView| {
        let is_side = |pair: &ComparisonView| [&pair.base.id, &pair.candidate.id].contains(&&variant.variant.id);
        comparisons.pairs.iter().any(|pair| pair.work.is_some() && is_side(pair))
    };
    variants
        .iter()
        .filter(move |variant| !is_compared(variant))
        .filter_map(|variant| Some((variant, counted(variant)?)))
}

fn block(page: &mut Page, (head, how): (&str, &str), titles: &[&str], rows: &[(String, Vec<String>)]) {
    if rows.is_empty() {
        return;
    }
    page.gap();
    let mut line = page.line();
    line.push(Style::Bold, head).push(Style::Dim, &format!(" a call, {how}"));
    page.put(line);
    columns::write(page, titles, rows);
}
