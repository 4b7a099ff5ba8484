//! What runs differ by beyond their launches, which is in the ± of times.

use tare_results::VariantView;
use tare_statistics::BetweenRuns;

use crate::figure::percent;

/// What it is called beside a table.
pub(crate) const NAME: &str = "between runs";

/// `0.8 % (assumed: too few earlier runs are stored)`, `0.6 to 1.1 % (from up to 12 earlier runs)`; `None` where no time holds it.
pub(crate) fn phrase<'a>(variants: impl Iterator<Item = &'a VariantView>) -> Option<String> {
    let held = |variant: &VariantView| {
        let summary = variant.summary.as_ref()?;
        summary.between_runs.filter(|_| summary.uncertainty.between_runs > 0.0)
    };
    let terms: Vec<BetweenRuns> = variants.filter_map(held).collect();
    let least = terms.iter().map(|term| term.standard).reduce(f64::min)?;
    let most = terms.iter().map(|term| term.standard).reduce(f64::max)?;
    let (low, high) = (percent(least), percent(most));
    let range = if low == high { high } else { format!("{} to {high}", low.trim_end_matches(" %")) };
    let from = match terms.iter().map(|term| term.runs).max() {
        None | Some(0) => "assumed: too few earlier runs are stored".to_owned(),
        Some(runs) => format!("from up to {runs} earlier runs"),
    };
    Some(format!("{range} ({from})"))
}
