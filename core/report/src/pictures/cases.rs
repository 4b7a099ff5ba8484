//! Pictures of comparisons and cases that stand in their rows on the page, as pictures of their own.

use tare_results::{ComparisonView, RunView, VariantView};
use tare_statistics::Estimate;

use super::{Picture, Table, file_name};
use crate::axis::Axis;
use crate::entries::Entries;
use crate::page_figures::{change, time};
use crate::page_text::shortened;
use crate::svg::{Caption, ForestRow, Panel, RatioRow, TimeAxis, extent, forest};
use crate::wording;

/// Cases that get a picture each, at most.
const MOST: usize = 500;

/// Columns of a name in the picture of all cases.
const FOREST_NAME: usize = 44;

/// The axis of all ratios of a run; `None` where there is none.
pub(crate) fn ratio_axis(entries: &Entries<'_>) -> Option<Axis> {
    let known = |pair: &ComparisonView| Some((wording::ratio(pair.comparison.shown())?, pair.comparison.margin));
    let ratios: Vec<(Estimate, f64)> = entries.pairs().filter_map(|(_, pair)| known(pair)).collect();
    Axis::of(&ratios)
}

/// The ratio of a comparison as it is drawn; `None` where there is none.
pub(crate) fn drawn(pair: &ComparisonView) -> Option<RatioRow> {
    let comparison = &pair.comparison;
    let ratio = wording::ratio(comparison.shown())?;
    Some(RatioRow { ratio, margin: comparison.margin, verdict: Some(comparison.verdict), of_load: false })
}

/// A row for each comparison that has a ratio, worst first.
pub(crate) fn forest_rows(entries: &Entries<'_>) -> Vec<ForestRow> {
    let titles: Vec<&str> = entries.pairs().map(|(entry, _)| entry.title.as_str()).collect();
    let shared = shared_class(&titles);
    let row = |(entry, pair): (&crate::entries::Entry<'_>, &ComparisonView)| {
        let name = shortened(&entry.title[shared..], FOREST_NAME);
        Some(ForestRow { row: drawn(pair)?, name, change: change(pair) })
    };
    entries.pairs().filter_map(row).collect()
}

/// Bytes of the class that all names begin with, where one of them is too long with it: a name that is cut loses what tells it from others.
fn shared_class(names: &[&str]) -> usize {
    let Some((class, _)) = names.first().and_then(|name| name.rsplit_once("::")) else { return 0 };
    let class = format!("{class}::");
    let is_shared = names.iter().all(|name| name.len() > class.len() && name.starts_with(&class));
    let is_long = names.iter().any(|name| name.chars().count() > FOREST_NAME);
    if is_shared && is_long { class.len() } else { 0 }
}

/// All comparisons in one picture, worst first.
pub(super) fn all(view: &RunView) -> Option<Picture> {
    let entries = Entries::of(view);
    let axis = ratio_axis(&entries)?;
    let rows = forest_rows(&entries);
    let title = format!("Change of {} cases with intervals", rows.len());
    let caption = Caption { title: &title, description: "A row a case, worst first", table: "comparisons-t" };
    let table = rows.iter().map(|row| vec![row.name.clone(), row.change.clone()]).collect();
    let svg = forest(&axis, &rows, &caption);
    let table = Table { head: vec!["case".into(), "change".into()], rows: table };
    Some(Picture { name: "comparisons".into(), title, says: Vec::new(), svg, narrow: None, table })
}

/// Samples and launches of each case.
pub(super) fn each(view: &RunView) -> Vec<Picture> {
    view.variants.iter().take(MOST).enumerate().filter_map(|(number, variant)| one(number + 1, variant)).collect()
}

fn one(number: usize, variant: &VariantView) -> Option<Picture> {
    let (distribution, summary) = (variant.distribution.as_ref()?, variant.summary.as_ref()?);
    let (low, high) = extent(std::iter::once(distribution))?;
    let name = format!("case-{number}-{}", file_name(&variant.full_title())).trim_end_matches('-').to_owned();
    let title = shortened(&variant.full_title(), 90);
    let description = format!(
        "{} samples, {} launches, time {}",
        summary.samples,
        distribution.launches.len(),
        time(&summary.time, None)
    );
    let caption = Caption { title: &title, description: &description, table: "" };
    let svg = Panel { distribution, time: summary.time, modes: &summary.peaks, quartiles: true }
        .picture(&TimeAxis::between(low, high), &caption);
    Some(Picture { name, title, says: vec![description], svg, narrow: None, table: Table::default() })
}
