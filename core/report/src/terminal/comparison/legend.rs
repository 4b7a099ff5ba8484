use tare_statistics::comparison::Verdict;
use tare_statistics::{Warning, WarningCode};

use super::super::block::Cell;
use super::super::line::{Page, Style};
use super::layout::Layout;
use super::rows::{self, Row, Table};
use crate::figure::share;
use crate::wording::{self, Detail, Note};
use tare_results::{ComparisonView, RunView};

/// What the plot's marks and the short words mean.
pub(super) fn write(page: &mut Page, layout: &Layout, tables: &[Table], view: &RunView) {
    let rows = || tables.iter().flat_map(|table| &table.sections).flat_map(|section| &section.rows);
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
    let noted = |of: fn(&Note) -> bool| {
        layout.detail != Detail::Bare
            && rows().filter_map(|row| row.pair).filter_map(wording::note).any(|note| of(&note))
    };
    if noted(|note| matches!(note, Note::WouldHaveSeen(_))) {
        lines.push("would have seen x: a difference of x is called in four of five such comparisons".to_owned());
    }
    if layout.detail == Detail::Brief && noted(|note| *note == Note::Differs) {
        lines.push("differs: the interval excludes 0, but the difference may be less than the margin".to_owned());
    }
    if layout.detail == Detail::Brief && noted(|note| *note == Note::NotCertain) {
        lines
            .push("not certain: the interval lies beyond the margin, but a verdict asks for more certainty".to_owned());
    }
    let open = |row: &Row| {
        // Without a ratio there is no interval, and the row says why; as the warnings do where it isn't the margin that leaves it open.
        let told = |pair: &ComparisonView| {
            let mut codes = pair.comparison.warnings.iter().filter_map(Warning::known);
            codes.any(WarningCode::hides_the_reason)
        };
        let crosses = |pair: &ComparisonView| wording::note(pair) != Some(Note::NotCertain);
        row.ratio.is_some()
            && row
                .pair
                .is_some_and(|pair| pair.comparison.verdict == Verdict::Inconclusive && !told(pair) && crosses(pair))
    };
    // Of stored figures there are no more to be had.
    if view.spent.is_some() && rows().any(open) {
        lines.push("undecided: the interval crosses the margin; more time (--budget) narrows it".to_owned());
    }
    if rows().any(|row| {
        matches!(&row.base, Cell::Time(f) if f.is_bound()) || matches!(&row.candidate, Cell::Time(f) if f.is_bound())
    }) {
        lines.push("< x: below resolution, the interval holds 0".to_owned());
    }
    lines.extend(wording::rescaled(&view.comparisons));
    page.gap();
    for line in lines {
        page.prose(0, (Style::Dim, ""), Style::Dim, &line);
    }
}

/// What the verdict's column had no room for.
pub(super) fn beside(page: &mut Page, layout: &Layout, tables: &[Table], view: &RunView) {
    if layout.detail != Detail::Bare {
        return;
    }
    let pairs = || tables.iter().flat_map(|t| &t.sections).flat_map(|s| &s.rows).filter_map(|row| row.pair);
    let mut twice: Vec<String> = pairs()
        .filter(|pair| wording::note(pair) == Some(Note::SeenTwice))
        .map(|pair| rows::name(pair, view))
        .collect();
    let once: Vec<String> = pairs()
        .filter_map(|pair| {
            let flag = wording::unconfirmed(&pair.comparison)?;
            Some(format!("{} ({})", rows::name(pair, view), flag.first))
        })
        .collect();
    let mut unseen: Vec<String> = Vec::new();
    let mut differing: Vec<String> = Vec::new();
    let mut uncertain: Vec<String> = Vec::new();
    for pair in pairs() {
        match wording::note(pair) {
            Some(Note::WouldHaveSeen(effect)) => {
                unseen.push(format!("{} {}", rows::name(pair, view), wording::effect(effect)))
            }
            Some(Note::Differs) => differing.push(rows::name(pair, view)),
            Some(Note::NotCertain) => uncertain.push(rows::name(pair, view)),
            _ => {}
        }
    }
    let differences = pairs().filter(|pair| pair.comparison.verdict.is_difference()).count();
    if differences > 1 && twice.len() == differences {
        page.prose(0, (Style::Plain, ""), Style::Plain, "each difference was seen twice");
        twice.clear();
    }
    let others: Vec<String> = pairs()
        .filter(|pair| pair.comparison.differing_typical().is_some())
        .filter_map(|pair| {
            Some(format!("{} {}", rows::name(pair, view), wording::beside(&pair.comparison, Detail::Full)?))
        })
        .collect();
    let widest = pairs().filter_map(|pair| pair.comparison.within).filter(|bound| bound.is_finite());
    if let Some(widest) = widest.max_by(f64::total_cmp) {
        page.prose(0, (Style::Dim, ""), Style::Dim, &format!("same: within ±{} of the base, or less", share(widest)));
    }
    for (lead, names) in [
        ("seen twice: ", twice),
        ("seen at first only: ", once),
        ("would have seen: ", unseen),
        ("differ, perhaps by less than the margin: ", differing),
        ("beyond the margin, but not certain: ", uncertain),
        ("means and typical calls differ: ", others),
    ] {
        super::notes::names(page, (Style::Dim, lead), &names, false);
    }
}
