//! All ratios of a page in one picture, to be seen at a glance or taken into a paper.

use maud::{Markup, html};

use super::ratio::{shade, ticks};
use super::{Caption, ROW, RatioRow, at, labels, picture};
use crate::axis::Axis;

const NAMES: f64 = 300.0;
const PLOT: f64 = 360.0;
const CHANGES: f64 = 130.0;
const HEAD: f64 = 20.0;
/// Rows of a picture are drawn closer than those of a table.
const STEP: f64 = ROW - 2.0;

/// A row: the ratio with its name and the change in words.
pub(crate) struct ForestRow {
    pub(crate) row: RatioRow,
    /// Fit to be shown, and short.
    pub(crate) name: String,
    pub(crate) change: String,
}

/// A row each, from the top.
pub(crate) fn forest(axis: &Axis, rows: &[ForestRow], said: &Caption<'_>) -> Markup {
    let height = HEAD + rows.len() as f64 * STEP + 6.0;
    let margin = rows.iter().map(|row| row.row.margin).filter(|margin| margin.is_finite()).fold(f64::NAN, f64::max);
    let inside = html! {
        g transform={ "translate(" (NAMES) ")" } {
            (labels(&ticks(axis, PLOT), 12.0))
            (shade(axis, margin, PLOT, HEAD - 2.0, height))
        }
        @for (number, row) in rows.iter().enumerate() {
            @let y = HEAD + (number as f64 + 0.5) * STEP;
            text class="name" x="0" y=(at(y + 4.0)) { (row.name) }
            (row.row.draw(axis, PLOT, NAMES, y))
            text class="figure" x=(NAMES + PLOT + CHANGES) y=(at(y + 4.0)) { (row.change) }
        }
    };
    picture(NAMES + PLOT + CHANGES, height, "forest", said, &inside)
}
