//! What each pair of launches of a comparison says.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::Estimate;
use tare_statistics::density::{evaluate, silverman_bandwidth};

use super::distribution::{WIDTH, whole};
use super::ratio::{RatioRow, shade, ticks};
use super::{Caption, ROW, across, labels, picture};
use crate::axis::Axis;

/// Height of the density's peak.
const DENSITY: f64 = 46.0;
/// Points of the density.
const GRID: usize = 60;
const STEP: (f64, f64) = (1.0, 8.0);

/// Above how dense the ratios lie; a point a pair, in the order of measuring from the top; below what the comparison says, on one axis. `None` with
/// fewer than two.
pub(crate) fn pairs(ratios: &[f64], row: &RatioRow, said: &Caption<'_>) -> Option<Markup> {
    let known = |ratio: &&f64| **ratio > 0.0 && ratio.is_finite();
    let alone = |ratio: &f64| (Estimate { estimate: *ratio, low: *ratio, high: *ratio }, row.margin);
    let mut reaches: Vec<(Estimate, f64)> = ratios.iter().filter(known).map(alone).collect();
    if reaches.len() < 2 {
        return None;
    }
    reaches.push((row.ratio, row.margin));
    let axis = Axis::of(&reaches)?;
    let places: Vec<f64> = ratios.iter().filter(known).map(|ratio| axis.place(ratio.ln()).clamp(-1.02, 1.02)).collect();
    let step = (160.0 / places.len() as f64).clamp(STEP.0, STEP.1);
    let from = DENSITY + 8.0;
    let below = from + places.len() as f64 * step + 2.0;
    let mut points = String::new();
    for (number, place) in places.iter().enumerate() {
        let _ = write!(points, "M{} {}z", whole(across(*place, WIDTH)), whole(from + (number as f64 + 0.5) * step));
    }
    let inside = html! {
        (shade(&axis, row.margin, WIDTH, 0.0, below + ROW))
        @if let Some(outline) = density(&places) { path class="bins" d=(outline) {} }
        path class="launches" d=(points) {}
        g transform={ "translate(0 " (whole(below)) ")" } { (row.draw(&axis, WIDTH, 0.0, ROW / 2.0)) }
        (labels(&ticks(&axis, WIDTH), below + ROW + 11.0))
    };
    Some(picture(WIDTH, below + ROW + 16.0, "panel", said, &inside))
}

/// The density of what lies from -1 to 1, its peak at full height; `None` where all lie at one place.
fn density(places: &[f64]) -> Option<String> {
    let mut sorted = places.to_vec();
    sorted.sort_by(f64::total_cmp);
    let bandwidth = silverman_bandwidth(&sorted)?;
    let grid: Vec<f64> = (0..=GRID).map(|number| number as f64 / GRID as f64 * 2.1 - 1.05).collect();
    let heights = evaluate(&sorted, bandwidth, &grid);
    let most = heights.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || !most.is_finite() {
        return None;
    }
    let mut path = String::new();
    for (place, height) in grid.iter().zip(&heights).filter(|(_, height)| **height > most * 0.005) {
        let x = whole(across(*place, WIDTH));
        if path.is_empty() {
            let _ = write!(path, "M{x} {DENSITY}");
        }
        let _ = write!(path, "L{x} {}", whole(DENSITY - height / most * (DENSITY - 3.0)));
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
        let row = RatioRow { ratio, margin: 0.005, verdict: Some(Verdict::Slower) };
        let drawn = pairs(&[1.08, 1.12, 1.09, f64::NAN, 1.11], &row, &said).expect("a picture").into_string();
        let points = drawn.split("launches\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let places: Vec<f64> =
            points.split('M').skip(1).filter_map(|one| one.split(' ').next()?.parse().ok()).collect();
        assert_eq!(places.len(), 4, "{points}");
        assert!(places[0] < places[2] && places[2] < places[3] && places[3] < places[1], "{places:?}");
        assert!(drawn.contains("class=\"bins\"") && drawn.contains("mark slower"), "{drawn}");
        // Ratios that are all alike have no density, and a single one has no picture.
        let alike = pairs(&[1.1, 1.1, 1.1], &row, &said).expect("a picture").into_string();
        assert!(!alike.contains("class=\"bins\"") && !alike.contains("NaN"), "{alike}");
        assert!(pairs(&[1.1, f64::INFINITY], &row, &said).is_none());
    }
}
