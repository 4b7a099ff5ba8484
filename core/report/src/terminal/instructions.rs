use tare_samples::LaunchCounts;

use super::line::{Page, Style};
use super::{columns, memory};
use crate::amount::count;
use tare_results::VariantView;

/// The instructions of a variant; `None` where they weren't counted.
pub(crate) fn counted(variant: &VariantView) -> Option<LaunchCounts> {
    variant.calibration.as_ref()?.instructions
}

/// What stands in the table's column: `5312`, or `5312 ± 4` where the count didn't repeat itself.
pub(crate) fn cell(counts: &LaunchCounts) -> String {
    let difference = counts.repeat_difference();
    let difference = if difference > 0.0 { format!(" ± {}", count(difference)) } else { String::new() };
    count(counts.per_call()) + &difference
}

/// The instructions of the variants, a row each, where they don't stand in the table.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    let names = memory::names(variants);
    let rows: Vec<(String, Vec<String>)> = variants
        .iter()
        .filter_map(|variant| {
            let counts = counted(variant)?;
            Some((memory::name(variant, &names), vec![cell(&counts), count(counts.raw_per_call())]))
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
