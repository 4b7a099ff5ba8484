use tare_samples::CountedWork;

use super::line::{Page, Style};
use super::{columns, memory};
use crate::amount::count;
use tare_results::{ComparisonView, ComparisonsView, VariantView};

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
    // Rows of comparisons have said it.
    let is_compared = |variant: &VariantView| {
        let is_side = |pair: &ComparisonView| [&pair.base.id, &pair.candidate.id].contains(&&variant.variant.id);
        comparisons.pairs.iter().any(|pair| pair.work.is_some() && is_side(pair))
    };
    let rows: Vec<(String, Vec<String>)> = variants
        .iter()
        .filter(|variant| !is_compared(variant))
        .filter_map(|variant| {
            let counts = counted(variant)?;
            Some((memory::name(variant, &names), vec![cell(counts), count(counts.raw_per_call())]))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    page.gap();
    let mut line = page.line();
    line.push(Style::Bold, "instructions")
        .push(Style::Dim, " a call, by callgrind, those of an empty benchmark subtracted");
    page.put(line);
    columns::write(page, &["subject", "raw"], &rows);
}
