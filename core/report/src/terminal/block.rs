use tare_samples::{Outcome, TimeUnit};

use super::cut_names::LONGEST;
use super::line::{Line, Page, Style};
use crate::figure::{Columns, Figure, bound, common_unit};
use crate::text::{one_line, truncate_middle, visible};
use tare_results::VariantView;

/// What stands where a time is expected.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    Time(Figure),
    /// An upper bound.
    Below(f64),
    /// Why there is no time.
    Words(Style, String),
    /// Nothing was measured on this side.
    Missing,
}

/// Whether `variant` has a time that is known from below and above.
fn resolved(variant: &VariantView) -> Option<f64> {
    let measured = matches!(variant.outcome, Outcome::Ok | Outcome::Interrupted);
    variant.summary.as_ref().filter(|s| measured && !s.below_resolution).map(|s| s.time.estimate)
}

/// The units for variants that stand together: the one their author asked for, else a common one, else each its own.
pub(super) fn units(variants: &[&VariantView], raw: bool) -> Vec<TimeUnit> {
    let free: Vec<f64> = variants
        .iter()
        .filter(|v| v.variant.case.settings.unit.is_none())
        .filter_map(|v| if raw { v.summary.as_ref().map(|s| s.raw.estimate) } else { resolved(v) })
        .collect();
    let common = common_unit(&free);
    variants
        .iter()
        .map(|v| {
            let own = v.summary.as_ref().map_or(0.0, |s| if raw { s.raw.estimate } else { s.time.estimate });
            v.variant.case.settings.unit.or(common).unwrap_or_else(|| TimeUnit::fitting(own))
        })
        .collect()
}

impl Cell {
    pub(super) fn of(variant: &VariantView, unit: TimeUnit) -> Self {
        match (&variant.outcome, &variant.summary) {
            (Outcome::Failed(failure), _) => Self::Words(Style::Red, format!("failed: {}", failure.kind)),
            (Outcome::Skipped(reason), _) if reason.trim().is_empty() => Self::Words(Style::Dim, "skipped".into()),
            (Outcome::Skipped(reason), _) => Self::Words(Style::Dim, format!("skipped: {}", one_line(reason))),
            (_, Some(summary)) if summary.below_resolution => Self::Below(summary.time.high),
            (_, Some(summary)) => Self::Time(Figure::interval(&summary.time, unit)),
            (Outcome::Interrupted, None) => Self::Words(Style::Yellow, "interrupted".into()),
            (Outcome::Ok, None) => Self::Words(Style::Dim, "no samples".into()),
        }
    }

    /// The cell in full, and in `columns` where it is a figure.
    pub(super) fn line(&self, page: &Page, columns: &Columns) -> Line {
        let mut line = page.line();
        match self {
            Self::Time(figure) => {
                let (estimate, half) = columns.parts(figure);
                line.push(Style::Bold, &estimate).push(Style::Plain, &half);
            }
            Self::Below(high) => {
                line.push(Style::Plain, &format!("below resolution (< {})", bound(*high)));
            }
            Self::Words(style, words) => {
                line.push(*style, words);
            }
            Self::Missing => {
                line.push(Style::Dim, "–");
            }
        }
        line
    }
}

/// The columns that hold all the figures among `cells`.
pub(super) fn columns<'a>(figures: impl Iterator<Item = &'a Figure>) -> Columns {
    figures.fold(Columns::default(), Columns::with)
}

/// A name cut in its middle to `room` columns.
pub(super) fn name(page: &Page, text: &str, room: usize) -> String {
    truncate_middle(&visible(&one_line(text), page.unicode), room, page.unicode)
}

/// A heading of a group of rows, whole: two classes may differ in their middle alone.
pub(super) fn heading(page: &mut Page, text: &str) {
    let whole = name(page, text, LONGEST);
    page.put_whole(0, Style::Bold, &whole);
}

/// What a bare bound means.
pub(super) fn legend(page: &mut Page) {
    page.prose(0, (Style::Dim, "< x: "), Style::Dim, "below resolution, the interval holds 0");
}
