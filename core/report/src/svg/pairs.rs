//! What each pair of launches of a comparison says.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::density::{evaluate, silverman_bandwidth};

use super::distribution::{WIDTH, whole};
use super::scale::{Measure, Scale};
use super::{Caption, EDGE, ROW, RatioRow, at, labels, mark, picture, roomy, whisker};

/// Height of the density's peak.
const DENSITY: f64 = 46.0;
/// Points of the density.
const GRID: usize = 60;
const STEP: (f64, f64) = (1.0, 8.0);

/// Above how dense the ratios lie; a point a pair, in the order of measuring from the top; below what the comparison says: a close view, which holds no
/// change at all only where it lies among them. `None` with fewer than two.
pub(crate) fn pairs(ratios: &[f64], row: &RatioRow, said: &Caption<'_>) -> Option<Markup> {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let known: Vec<f64> =
        ratios.iter().filter(|ratio| **ratio > 0.0 && ratio.is_finite()).map(|ratio| percent(*ratio)).collect();
    if known.len() < 2 {
        return None;
    }
    let ends =
        |values: &[f64]| values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    let (least, most) = ends(&known);
    let room = (most - least).max(0.1);
    // An interval that is far wider than what the pairs say would squeeze them, and is cut.
    let result =
        [row.ratio.low, row.ratio.estimate, row.ratio.high].map(|end| percent(end).clamp(least - room, most + room));
    let (low, high) = ends(&[[least, most], [result[0], result[2]]].concat());
    let scale = Scale::linear(low - 0.04 * (high - low), high, Measure::Number);
    let place = |change: f64| EDGE + scale.place(change, WIDTH - 2.0 * EDGE);
    let within = |change: f64| (low..=high).contains(&change);
    let step = (160.0 / known.len() as f64).clamp(STEP.0, STEP.1);
    let from = DENSITY + 8.0;
    let below = from + known.len() as f64 * step + 2.0;
    let mut points = String::new();
    for (number, change) in known.iter().enumerate() {
        let _ = write!(points, "M{} {}z", whole(place(*change)), whole(from + (number as f64 + 0.5) * step));
    }
    let margin = if row.margin.is_finite() { row.margin * 100.0 } else { 0.0 };
    let band = (place(-margin), place(margin));
    let ticks = scale.ticks(4).into_iter().map(|(change, label)| {
        let sign = if change > 0.0 { "+" } else { "" };
        (place(change), format!("{sign}{label} %"))
    });
    let inside = html! {
        @if band.1 > band.0 { rect class="margin" x=(at(band.0)) y="0" width=(at(band.1 - band.0)) height=(at(below + ROW)) {} }
        @if within(0.0) { path class="zero" d={ "M" (at(place(0.0))) " 0V" (at(below + ROW)) } {} }
        @if let Some(outline) = density(&known, &within, &place) { path class="bins" d=(outline) {} }
        path class="launches" d=(points) {}
        (whisker(place(result[0]), place(result[2]), WIDTH, below + ROW / 2.0))
        (mark(row.verdict, row.of_load, place(result[1]), below + ROW / 2.0))
        (labels(&roomy(ticks.collect()), below + ROW + 11.0))
    };
    Some(picture(WIDTH, below + ROW + 16.0, "panel", said, &inside))
}

/// The density, its peak at full height; `None` where all are alike.
fn density(changes: &[f64], within: &impl Fn(f64) -> bool, place: &impl Fn(f64) -> f64) -> Option<String> {
    let mut sorted = changes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let bandwidth = silverman_bandwidth(&sorted)?;
    let (low, high) = (sorted[0] - 3.0 * bandwidth, sorted[sorted.len() - 1] + 3.0 * bandwidth);
    let grid: Vec<f64> = (0..=GRID).map(|number| low + number as f64 / GRID as f64 * (high - low)).collect();
    let heights = evaluate(&sorted, bandwidth, &grid);
    let most = heights.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || !most.is_finite() {
        return None;
    }
    // Beyond the axis nothing is drawn: all of it would lie on its ends.
    let seen = grid.iter().zip(&heights).filter(|(change, _)| within(**change));
    let points: Vec<(i64, i64)> = seen
        .map(|(change, height)| (whole(place(*change)), whole(DENSITY - height / most * (DENSITY - 3.0))))
        .collect();
    let first = points.first()?;
    let mut path = format!("M{} {DENSITY}V{}", first.0, first.1);
    for pair in points.windows(2) {
        let _ = write!(path, "l{} {}", pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
    }
    let _ = write!(path, "V{DENSITY}z");
    Some(path)
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;
    use tare_statistics::comparison::Verdict;

    use super::pairs;
    use crate::svg::{Caption, RatioRow};

    #[test]
    fn each_pair_is_a_point_in_its_order() {
        let said = Caption { title: "t", description: "", table: "t" };
        let ratio = Estimate { estimate: 1.1, low: 1.05, high: 1.15 };
        let row = RatioRow { ratio, margin: 0.005, verdict: Some(Verdict::Slower), of_load: false };
        let drawn = pairs(&[1.08, 1.12, 1.09, f64::NAN, 1.11], &row, &said).expect("a picture").into_string();
        let points = drawn.split("launches\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let places: Vec<f64> =
            points.split('M').skip(1).filter_map(|one| one.split(' ').next()?.parse().ok()).collect();
        assert_eq!(places.len(), 4, "{points}");
        assert!(places[0] < places[2] && places[2] < places[3] && places[3] < places[1], "{places:?}");
        assert!(drawn.contains("class=\"bins\"") && drawn.contains("mark slower"), "{drawn}");
        assert!(drawn.contains(">+10 %<") && !drawn.contains("class=\"zero\""), "a close view: {drawn}");
        // Ratios that are all alike have no density, and a single one has no picture.
        let alike = pairs(&[1.1, 1.1, 1.1], &row, &said).expect("a picture").into_string();
        assert!(!alike.contains("class=\"bins\"") && !alike.contains("NaN"), "{alike}");
        assert!(pairs(&[1.1, f64::INFINITY], &row, &said).is_none());
    }
}
