//! Intervals of ratios on the axis that all of a page share.

use maud::{Markup, html};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use super::{COLUMN, Caption, ROW, across, at, labels, mark, picture, roomy, whisker};
use crate::axis::{Axis, ENDS, tick};

/// A ratio, above 0, as it is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RatioRow {
    pub(crate) ratio: Estimate,
    /// A fraction; one that isn't finite isn't drawn.
    pub(crate) margin: f64,
    /// `None` for what isn't judged, as a mean.
    pub(crate) verdict: Option<Verdict>,
    /// Whether it is a figure of a load: of throughput less is worse.
    pub(crate) of_load: bool,
}

impl RatioRow {
    /// The row by itself, a picture of one interval.
    pub(crate) fn picture(&self, axis: &Axis, said: &Caption<'_>) -> Markup {
        let inside = html! {
            (shade(axis, self.margin, COLUMN, 0.0, ROW))
            (self.draw(axis, COLUMN, 0.0, ROW / 2.0))
        };
        picture(COLUMN, ROW, "row", said, &inside)
    }

    /// Whisker and mark at the height `y`, `x` to the right.
    pub(super) fn draw(&self, axis: &Axis, width: f64, x: f64, y: f64) -> Markup {
        let place = |ratio: f64| place(axis, ratio, width);
        let (low, point, high) = (place(self.ratio.low), place(self.ratio.estimate), place(self.ratio.high));
        let inside = html! {
            (whisker(low, high, width, y))
            (mark(self.verdict, self.of_load, point.clamp(10.0, width - 10.0), y))
        };
        html! { @if x == 0.0 { (inside) } @else { g transform={ "translate(" (at(x)) ")" } { (inside) } } }
    }
}

fn place(axis: &Axis, ratio: f64, width: f64) -> f64 {
    // Infinities are cut: they end in an arrow.
    across(axis.place(ratio.max(0.0).ln()).clamp(-9.0, 9.0), width)
}

/// The margin as a band, and the line of no change.
pub(super) fn shade(axis: &Axis, margin: f64, width: f64, from: f64, to: f64) -> Markup {
    let middle = place(axis, 1.0, width);
    let edge = place(axis, 1.0 + margin, width).min(width);
    html! {
        @if margin.is_finite() {
            rect class="margin" x=(at(2.0 * middle - edge)) y=(at(from)) width=(at(2.0 * (edge - middle))) height=(at(to - from)) {}
        }
        path class="zero" d={ "M" (at(middle)) " " (at(from)) "V" (at(to)) } {}
    }
}

/// Where the axis has its labels, for a column of this width.
pub(super) fn ticks(axis: &Axis, width: f64) -> Vec<(f64, String)> {
    let pair = |position: usize| {
        let (_, low, high) = ENDS[position];
        let x = |sign: f64| across(axis.place(sign * tick(position)), width);
        [(x(-1.0), low.to_owned()), (x(1.0), high.to_owned())]
    };
    let mut found = vec![(across(0.0, width), "0".to_owned())];
    found.extend((0..=axis.end).rev().flat_map(pair));
    roomy(found)
}

/// The axis by itself, above a column of rows. It says nothing that the rows don't say in words, so it is hidden from who can't see it.
pub(crate) fn head(axis: &Axis) -> Markup {
    html! {
        svg class="head" aria-hidden="true" viewBox={ "0 0 " (COLUMN) " 14" } width=(COLUMN) height="14" {
            (labels(&ticks(axis, COLUMN), 11.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;
    use tare_statistics::comparison::Verdict;

    use super::{Caption, RatioRow, ticks};
    use crate::axis::Axis;
    use crate::svg::COLUMN;

    const CAPTION: Caption<'_> = Caption { title: "t", description: "", table: "rows" };

    fn row(estimate: f64, low: f64, high: f64) -> RatioRow {
        RatioRow {
            ratio: Estimate { estimate, low, high },
            margin: 0.005,
            verdict: Some(Verdict::Same),
            of_load: false,
        }
    }

    fn axis() -> Axis {
        Axis::of(&[(row(1.05, 1.03, 1.07).ratio, 0.005)]).expect("an axis")
    }

    #[test]
    fn what_is_beyond_the_axis_ends_in_an_arrow_inside_the_picture() {
        let drawn = row(7.0, 0.0, f64::INFINITY).picture(&axis(), &CAPTION).into_string();
        assert!(drawn.contains("l-5 4 5 4") && drawn.contains("l5 4 -5 4"), "{drawn}");
        assert!(!drawn.contains("inf") && !drawn.contains("NaN"), "{drawn}");
        let drawn = row(1.0, 0.999, 1.001).picture(&axis(), &CAPTION).into_string();
        assert!(!drawn.contains("l5 4"), "{drawn}");
    }

    #[test]
    fn the_axis_names_both_ends_and_no_change() {
        let labels: Vec<String> = ticks(&axis(), COLUMN).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels.first().map(String::as_str), Some("-10 %"));
        assert_eq!(labels.last().map(String::as_str), Some("+10 %"));
        assert!(labels.iter().any(|label| label == "0"), "{labels:?}");
    }

    #[test]
    fn verdicts_differ_in_shape_and_not_in_colour_alone() {
        let mark = |of_load: bool, verdict: Verdict| {
            let row = RatioRow { verdict: Some(verdict), of_load, ..row(1.0, 0.9, 1.1) };
            let drawn = row.picture(&axis(), &CAPTION).into_string();
            let path =
                drawn.split("class=\"mark").nth(1).and_then(|rest| rest.split(" d=\"").nth(1)).unwrap_or_default();
            path.split('"').next().unwrap_or_default().to_owned()
        };
        let all = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Inconclusive];
        for of_load in [false, true] {
            // Circles are filled or not.
            let shapes: std::collections::BTreeSet<String> = all.map(|verdict| mark(of_load, verdict)).into();
            assert_eq!(shapes.len(), 3, "{shapes:?}");
        }
        assert_ne!(
            mark(true, Verdict::Slower),
            mark(false, Verdict::Slower),
            "less throughput is no arrow to the right"
        );
    }
}
