//! Bars in groups, with their intervals; and a matrix of ratios as cells.

use maud::{Markup, html};

use super::chart::{KINDS, shape};
use super::scale::Scale;
use super::{CHARACTER, Caption, at, picture};

/// Names beside the cells of a matrix.
const NAMES: f64 = 250.0;
const FIGURES: f64 = 130.0;
const BAR: f64 = 13.0;
const GAP: f64 = 9.0;
const HEAD: f64 = 22.0;
/// A cell of a matrix.
const CELL: (f64, f64) = (86.0, 22.0);
/// Ratios from which on a cell has the full colour.
const FULL: f64 = 2.0;

/// Where names stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Left of the bars.
    Wide,
    /// Above them, for a narrow window.
    Narrow,
}

impl Layout {
    /// Columns for names and for bars, and a line above each group.
    fn room(self) -> (f64, f64, f64) {
        match self {
            Self::Wide => (NAMES, 360.0, 0.0),
            Self::Narrow => (0.0, 230.0, 16.0),
        }
    }
}

/// A bar from 0 (from the left end of a logarithmic axis), with the ends of its interval.
pub(crate) struct Bar {
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// Which of the series.
    pub(crate) kind: usize,
    /// What stands beside it.
    pub(crate) figure: String,
}

/// Bars of one thing.
pub(crate) struct Group {
    /// Fit to be shown, and short.
    pub(crate) name: String,
    pub(crate) bars: Vec<Bar>,
}

/// Groups from the top, on one axis; `series` are the names of the kinds.
pub(crate) fn bars(
    layout: Layout,
    scale: &Scale,
    axis: &str,
    series: &[String],
    groups: &[Group],
    said: &Caption<'_>,
) -> Markup {
    let (names, plot, lead) = layout.room();
    let width = names + plot + FIGURES;
    // In a narrow window the name of the axis has a line of its own.
    let (legend, above) = legend(series, width);
    let above = above + lead;
    let mut y = above + HEAD;
    let mut placed = Vec::new();
    for group in groups {
        y += lead;
        placed.push((y, group));
        y += group.bars.len() as f64 * BAR + GAP;
    }
    let x = |value: f64| names + scale.place(value, plot);
    let inside = html! {
        (legend)
        g class="grid" {
            @for (value, label) in scale.ticks(5) {
                text class=(if x(value) < 12.0 { "tick start" } else { "tick" }) x=(at(x(value))) y=(at(above + 12.0)) { (label) }
                path d={ "M" (at(x(value))) " " (at(above + HEAD - 6.0)) "V" (at(y)) } {}
            }
        }
        text class="tick start" x="0" y=(at(above - lead + 12.0)) { (axis) @if scale.is_logarithmic() { " (logarithmic)" } }
        @for (top, group) in placed {
            @let y = if layout == Layout::Wide { top + group.bars.len() as f64 * BAR / 2.0 + 4.0 } else { top - 4.0 };
            text class="name over" x="0" y=(at(y)) { (group.name) }
            @for (number, bar) in group.bars.iter().enumerate() {
                @let y = top + number as f64 * BAR;
                @let (from, to) = (names, if bar.value.is_finite() { x(bar.value) } else { names });
                rect class={ "bar s" (bar.kind % KINDS) } x=(at(from)) y=(at(y + 1.0)) width=(at((to - from).max(1.0))) height=(at(BAR - 2.0)) {}
                @if let Some((low, high)) = bar.interval.filter(|(low, high)| low.is_finite() && high.is_finite()) {
                    @let middle = y + BAR / 2.0;
                    path class="w" d={ "M" (at(x(low))) " " (at(middle)) "H" (at(x(high))) "M" (at(x(low))) " " (at(middle - 3.0)) "v6M" (at(x(high))) " " (at(middle - 3.0)) "v6" } {}
                }
                text class="figure" x=(at(width)) y=(at(y + BAR - 2.5)) { (bar.figure) }
            }
        }
    };
    picture(width, y + 4.0, if layout == Layout::Wide { "forest" } else { "forest tall" }, said, &inside)
}

fn legend(series: &[String], width: f64) -> (Markup, f64) {
    if series.len() < 2 {
        return (html! {}, 0.0);
    }
    let (mut x, mut y) = (0.0, 13.0);
    let mut entries = Vec::new();
    for (kind, name) in series.iter().enumerate() {
        let wide = 18.0 + name.chars().count() as f64 * CHARACTER + 14.0;
        if x > 0.0 && x + wide > width {
            (x, y) = (0.0, y + 16.0);
        }
        entries.push((x, y, kind, name));
        x += wide;
    }
    let markup = html! { @for (x, y, kind, name) in entries {
        path class={ "dot s" (kind % KINDS) } d=(shape(1, x + 6.0, y - 4.0)) {}
        text class="name" x=(at(x + 16.0)) y=(at(y)) { (name) }
    } };
    (markup, y + 6.0)
}

/// A cell of a matrix: a ratio with its text, or what stands in place of one.
pub(crate) struct Cell {
    /// Above 0; `None` for a cell without colour.
    pub(crate) ratio: Option<f64>,
    pub(crate) text: String,
}

/// Rows of cells under the names of columns: above 1 in the colour of slower, below in that of faster, the more the farther.
pub(crate) fn matrix(columns: &[String], rows: &[(String, Vec<Cell>)], said: &Caption<'_>) -> Markup {
    let width = NAMES + columns.len() as f64 * CELL.0;
    let inside = html! {
        @for (number, name) in columns.iter().enumerate() {
            text class="tick" x=(at(NAMES + (number as f64 + 0.5) * CELL.0)) y="13" { (name) }
        }
        @for (number, (name, cells)) in rows.iter().enumerate() {
            @let y = HEAD + number as f64 * CELL.1;
            text class="name" x="0" y=(at(y + 15.0)) { (name) }
            @for (column, cell) in cells.iter().enumerate() {
                @let x = NAMES + column as f64 * CELL.0;
                @if let Some(ratio) = cell.ratio.filter(|ratio| *ratio > 0.0 && ratio.is_finite()) {
                    @let share = (ratio.ln().abs() / FULL.ln()).min(1.0);
                    rect class=(if ratio > 1.0 { "cell slower" } else { "cell faster" }) fill-opacity=(format!("{:.2}", 0.45 * share)) x=(at(x + 1.0)) y=(at(y + 1.0)) width=(at(CELL.0 - 2.0)) height=(at(CELL.1 - 2.0)) {}
                }
                text class="tick value" x=(at(x + CELL.0 / 2.0)) y=(at(y + 15.0)) { (cell.text) }
            }
        }
    };
    picture(width, HEAD + rows.len() as f64 * CELL.1 + 4.0, "matrix", said, &inside)
}
