use tare_statistics::comparison::Verdict;

use super::super::block::Cell;
use super::super::cut_names::CutNames;
use super::super::line::{Page, Style};
use super::layout::Layout;
use super::rows::{Row, Table};
use crate::more_time;
use crate::names::{self, Names};
use crate::wording::{self, Detail};
use tare_results::{ComparisonKind, ComparisonView, GroupMean, RunView};

/// Columns of a name below the table.
const LONGEST_NAME: usize = 40;

/// What the plot's marks and the words mean.
pub(super) fn write(page: &mut Page, layout: &Layout, tables: &[Table], view: &RunView) {
    let rows = || tables.iter().flat_map(|table| &table.sections).flat_map(|section| &section.rows);
    let margin = wording::margins(&view.comparisons);
    let mut lines = Vec::new();
    if layout.plot > 0 {
        let far = layout.axis.is_some_and(|axis| {
            rows()
                .filter_map(|row| row.ratio)
                .any(|ratio| axis.draw(&ratio, f64::NAN, layout.plot).contains(['◂', '▸']))
        });
        let arrows = if far { ", ◂ ▸ beyond the axis" } else { "" };
        lines.push(format!("├●┤ change and its interval, ┊ margin{arrows}; linear near 0, logarithmic farther out"));
    }
    let pairs = || rows().filter_map(|row| row.pair);
    if pairs().any(|pair| pair.comparison.verdict.is_difference()) {
        let twice = |pair: &ComparisonView| pair.kind == ComparisonKind::Live && pair.machines.is_none();
        let again = if pairs().all(twice) { ", and a second, fresh measurement agrees" } else { "" };
        lines.push(format!("slower, faster: the interval lies beyond the margin of {margin}{again}"));
    } else if layout.plot > 0 {
        lines.push(format!("not slower and not faster: no interval lies beyond the margin of {margin}"));
    }
    let open = |row: &Row| {
        let undecided =
            |pair: &ComparisonView| wording::verdict(pair, Detail::Full) == wording::word(Verdict::Inconclusive);
        row.ratio.is_some() && row.pair.is_some_and(undecided)
    };
    // Of stored figures there are no more to be had.
    if view.spent.is_some() && rows().any(open) {
        lines.extend(more_time::undecided(view));
    }
    if rows().any(|row| {
        matches!(&row.base, Cell::Time(f) if f.is_bound()) || matches!(&row.candidate, Cell::Time(f) if f.is_bound())
    }) {
        lines.push("< x: below resolution, the interval holds 0".to_owned());
    }
    let alone = |mean: &GroupMean| mean.verdict.is_some_and(|it| it.is_difference() && view.comparisons.count(it) == 0);
    if view.comparisons.geometric_means.iter().any(alone) {
        // Else the mean's verdict contradicts those of its cases.
        lines.push(
            "geometric mean: known more narrowly than each of its cases, so it can show what none shows alone"
                .to_owned(),
        );
    }
    lines.extend(wording::rescaled(&view.comparisons));
    page.gap();
    for line in lines {
        page.prose(0, (Style::Dim, ""), Style::Dim, &line);
    }
}

/// What the verdict's column had no room for.
pub(super) fn beside(page: &mut Page, layout: &Layout, tables: &[Table], view: &RunView) {
    if layout.stacked {
        return;
    }
    let shared = Names::of_comparisons(&view.comparisons);
    let rows = tables.iter().flat_map(|table| &table.sections).flat_map(|section| &section.rows);
    let told = rows.filter_map(|row| {
        let pair = row.pair?;
        let whole = wording::verdict(pair, Detail::Full);
        let is_cut = match row.reason().filter(|_| row.proof().is_none()) {
            Some(reason) => page.measure(&reason) > layout.room_for_reasons(),
            None => whole != row.verdict(layout.detail),
        };
        let name = names::of_pair(pair, &view.comparisons);
        is_cut.then(|| (shared.short(&name).to_owned(), whole))
    });
    let (names, whole): (Vec<String>, Vec<String>) = told.unzip();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names = CutNames::in_text(page, &names, LONGEST_NAME);
    let told: Vec<String> = names.iter().zip(whole).map(|(name, whole)| format!("{name} {whole}")).collect();
    if !told.is_empty() {
        page.phrases(0, (Style::Dim, "in full: "), Style::Plain, "; ", &told);
    }
}
