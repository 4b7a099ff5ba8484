use std::collections::BTreeSet;

use tare_samples::Correction;
use tare_statistics::{Estimate, Overhead};

use super::line::{Page, Style};
use crate::between_runs;
use crate::figure::time;
use crate::text::one_line;
use tare_results::VariantView;

/// What is subtracted: the cost of the loop, of the call of an empty benchmark, and of reading the clock.
pub(super) const NAME: &str = "overhead subtracted";

/// Figures of several variants that differ by more than this share of their median are shown as a range.
const ALIKE: f64 = 0.1;

/// What the scale weighed and what was done about it: one line a runtime. Then what is in ± beside what launches show.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    let lines = phrases(variants);
    if lines.is_empty() {
        return;
    }
    page.gap();
    let several = lines.len() > 1;
    for (key, phrases) in lines {
        let lead = if several { format!("{NAME}, {key}: ") } else { format!("{NAME}: ") };
        page.phrases(0, (Style::Dim, &lead), Style::Dim, ", ", &phrases);
    }
    if let Some(phrase) = between_runs::phrase(variants.iter()) {
        page.phrases(0, (Style::Dim, "± includes what runs differ by: "), Style::Dim, ", ", &[phrase]);
    }
}

/// For each runtime what the scale of its variants weighed; the key is empty where there is only one.
pub(super) fn phrases(variants: &[VariantView]) -> Vec<(String, Vec<String>)> {
    let measured = variants.iter().filter(|v| v.summary.is_some());
    let runtimes: BTreeSet<&str> = measured.map(|v| v.variant.runtime.series()).collect();
    let key = |v: &VariantView| if runtimes.len() > 1 { one_line(v.variant.runtime.series()) } else { String::new() };
    let mut keys: Vec<String> = Vec::new();
    for variant in variants.iter().filter(|v| v.summary.is_some()) {
        let key = key(variant);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let lines = keys.into_iter().map(|wanted| {
        let members: Vec<&VariantView> = variants.iter().filter(|v| v.summary.is_some() && key(v) == wanted).collect();
        let phrases = phrases_of_runtime(&members);
        (wanted, phrases)
    });
    lines.collect()
}

fn phrases_of_runtime(variants: &[&VariantView]) -> Vec<String> {
    if let Some(foreign) = variants.iter().find(|variant| variant.variant.is_imported()) {
        let tool = one_line(&foreign.variant.runtime.name);
        return vec![match foreign.variant.runtime.name == tare_samples::OWN_TOOL {
            true => "by the Tare that measured it, before the export".to_owned(),
            false => format!("nothing, these are the times of {tool}"),
        }];
    }
    let overheads: Vec<&Overhead> = variants.iter().filter_map(|v| v.summary.as_ref()).map(|s| &s.overhead).collect();
    let figures = |of: fn(&Overhead) -> Option<Estimate>| -> Option<(String, &str)> {
        let mut values: Vec<f64> = overheads.iter().filter_map(|o| of(o)).map(|e| e.estimate).collect();
        values.sort_by(f64::total_cmp);
        range(&values)
    };
    let overlapping = variants.iter().all(|v| v.variant.runtime.correction == Correction::Overlapping);
    let mut phrases = Vec::new();
    if let Some((call, by)) = figures(|o| Some(o.call)) {
        phrases.push(format!(
            "call {call}{by}{}",
            if overlapping { " (half of it, the other half is in ±, since it overlaps the code)" } else { "" }
        ));
    }
    if let Some((clock, by)) = figures(|o| Some(o.clock)) {
        phrases.push(format!("clock {clock}{by}"));
    }
    if let Some((pause, by)) = figures(|o| o.pause) {
        phrases.push(format!("pause and resume {pause} a pair{by}"));
    }
    // A surplus whose interval holds 0 is none.
    if let Some((surplus, by)) = figures(|o| o.surplus.filter(|surplus| surplus.low > 0.0)) {
        phrases.push(format!("set-up or slow first calls +{surplus} a sample{by}"));
    }
    phrases
}

/// The median of sorted values; where they aren't alike their range, and that it is one over the cases.
fn range(sorted: &[f64]) -> Option<(String, &'static str)> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    if last - first <= ALIKE * median.abs() {
        return Some((time(median), ""));
    }
    let (low, high) = (time(first), time(last));
    let range = match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, a)), Some((_, b))) if a == b => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    };
    Some((range, " by case"))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn what_is_alike_is_one_figure_and_what_is_not_a_range() {
        let shown = |values: &[f64]| range(values).map_or_else(String::new, |(range, by)| format!("{range}{by}"));
        assert_eq!(shown(&[23.0, 23.2, 24.0]), "23.2 ns");
        assert_eq!(shown(&[20.0, 23.2, 26.0]), "20 to 26 ns by case");
        assert_eq!(shown(&[20.0, 2600.0]), "20 ns to 2.6 µs by case");
        assert_eq!(shown(&[0.0, 0.0]), "0 ns");
        assert_eq!(shown(&[]), "");
    }
}
