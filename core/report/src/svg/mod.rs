//! Pictures as SVG that stands inside a page: it takes its colours from the page's style sheet, needs no script, and names itself to who
//! can't see it. The figures that it shows stand in a table, which the caller names.

mod bars;
mod beside_null;
mod both_sides;
mod budget;
mod chart;
mod course;
mod distribution;
mod flame;
mod forest;
mod pairs;
mod ratio;
mod scale;
mod sparkline;
mod steps;
mod time;

pub(crate) use bars::{Bar, Cell, Group, Layout, bars, matrix};
pub(crate) use beside_null::beside_null;
pub(crate) use both_sides::both_sides;
pub(crate) use budget::{budget, share, shares};
pub(crate) use chart::{Chart, Drawn, KINDS, Named, Point, Series, WHOLE};
pub(crate) use course::course;
pub(crate) use distribution::{Panel, WITH_QUARTILES, extent};
pub(crate) use flame::flame;
pub(crate) use forest::{ForestRow, forest, tall_forest};
pub(crate) use pairs::pairs;
pub(crate) use ratio::{RatioRow, head as ratio_head};
pub(crate) use scale::{Measure, Scale, number};
pub use sparkline::sparkline;
pub(crate) use steps::{LineOfSteps, lines_of_steps};
pub(crate) use time::TimeAxis;

use maud::{Markup, html};
use tare_statistics::comparison::Verdict;

/// Height of a row that holds one interval.
pub(crate) const ROW: f64 = 22.0;
/// Width of a column of intervals.
pub(crate) const COLUMN: f64 = 260.0;
/// Left and right of an axis, so that the labels of its ends have room.
const EDGE: f64 = 20.0;
/// What a character of a label takes.
const CHARACTER: f64 = 6.4;

/// What is said of a picture to who doesn't see it.
pub(crate) struct Caption<'a> {
    /// Its name.
    pub(crate) title: &'a str,
    /// What it shows; may be empty.
    pub(crate) description: &'a str,
    /// Id of the table with its figures.
    pub(crate) table: &'a str,
}

/// A picture of `width` by `height`; how wide it is on the page the style sheet says, by its class.
fn picture(width: f64, height: f64, class: &str, said: &Caption<'_>, inside: &Markup) -> Markup {
    html! {
        // What is as wide as its figures need has its size with it.
        @let size = (class.ends_with("long") || class == "matrix").then_some((width, height));
        svg class=(class) role="img" viewBox={ "0 0 " (width) " " (height) } width=[size.map(|size| size.0)] height=[size.map(|size| size.1)] aria-details=(said.table) {
            title { (said.title) }
            @if !said.description.is_empty() { desc { (said.description) } }
            (inside)
        }
    }
}

/// A coordinate to a tenth, as short as it can be written; 0 for what is none.
fn at(place: f64) -> String {
    if !place.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{place:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// From -1 and 1 to the ends of an axis of this width.
fn across(place: f64, width: f64) -> f64 {
    EDGE + (place + 1.0) / 2.0 * (width - 2.0 * EDGE)
}

/// An interval from `low` to `high` (coordinates) at the height `y`: what lies beyond the edges ends in an arrow there.
fn whisker(low: f64, high: f64, width: f64, y: f64) -> Markup {
    let (left, right) = (EDGE / 2.0, width - EDGE / 2.0);
    let (from, to) = (low.clamp(left, right), high.clamp(left, right));
    let mut path = format!("M{} {}H{}", at(from), at(y), at(to));
    path.push_str(&match low < left {
        true => format!("M{} {}l-5 4 5 4", at(left + 3.0), at(y - 4.0)),
        false => format!("M{} {}v8", at(from), at(y - 4.0)),
    });
    path.push_str(&match high > right {
        true => format!("M{} {}l5 4 -5 4", at(right - 3.0), at(y - 4.0)),
        false => format!("M{} {}v8", at(to), at(y - 4.0)),
    });
    html! { path class="w" d=(path) {} }
}

/// The estimate as a mark whose shape says the verdict: a triangle that points to where it lies, a filled or an open circle.
/// Of a load, where less may be worse, it is the sign beside its word in place of a triangle: a cross, a hook.
fn mark(verdict: Option<Verdict>, of_load: bool, x: f64, y: f64) -> Markup {
    let (class, path) = match (verdict, of_load) {
        (Some(Verdict::Slower), true) => ("mark sign slower", format!("M{} {}l8 8m0-8l-8 8", at(x - 4.0), at(y - 4.0))),
        (Some(Verdict::Faster), true) => ("mark sign faster", format!("M{} {}l3 4 6-8", at(x - 4.0), at(y))),
        (Some(Verdict::Slower), false) => ("mark slower", format!("M{} {}l8 5 -8 5z", at(x - 3.0), at(y - 5.0))),
        (Some(Verdict::Faster), false) => ("mark faster", format!("M{} {}l-8 5 8 5z", at(x + 3.0), at(y - 5.0))),
        (Some(Verdict::Inconclusive), _) => ("mark open", circle(x, y)),
        (Some(Verdict::Same | Verdict::Unchanged) | None, _) => ("mark same", circle(x, y)),
    };
    html! { path class=(class) d=(path) {} }
}

fn circle(x: f64, y: f64) -> String {
    format!("M{} {}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", at(x - 4.0), at(y))
}

/// Labels below an axis, those of both ends first; of the others as many as have room.
fn roomy(mut ticks: Vec<(f64, String)>) -> Vec<(f64, String)> {
    let mut kept: Vec<(f64, String)> = Vec::new();
    // In the order of their importance: the caller's.
    for (x, label) in ticks.drain(..) {
        let half = |label: &str| (label.chars().count() as f64 * CHARACTER + 8.0) / 2.0;
        if kept.iter().all(|(other, text)| (other - x).abs() >= half(text) + half(&label)) {
            kept.push((x, label));
        }
    }
    kept.sort_by(|a, b| a.0.total_cmp(&b.0));
    kept
}

/// Labels with their texts at the height `y`.
fn labels(ticks: &[(f64, String)], y: f64) -> Markup {
    html! { @for (x, label) in ticks { text class="tick" x=(at(*x)) y=(at(y)) { (label) } } }
}

#[cfg(test)]
mod tests {
    use super::{at, roomy};

    #[test]
    fn coordinates_are_short() {
        assert_eq!([12.0, 12.34, -0.04, 0.06, 100.0, f64::NAN].map(at), ["12", "12.3", "0", "0.1", "100", "0"]);
    }

    #[test]
    fn labels_never_overlap_and_the_first_named_stay() {
        let ticks = [(0.0, "-10 %"), (200.0, "+10 %"), (100.0, "0"), (108.0, "+0.1 %"), (150.0, "+5 %")];
        let kept = roomy(ticks.map(|(x, label)| (x, label.to_owned())).to_vec());
        let kept: Vec<&str> = kept.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(kept, ["-10 %", "0", "+5 %", "+10 %"]);
    }
}
