//! One variant from near: where its samples lie, and below them where each launch lies, on one axis.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::{Distribution, Estimate};

use super::{Said, TimeAxis, at, labels, picture};

const WIDTH: f64 = 360.0;
/// Height of the tallest bin.
const BINS: f64 = 60.0;
/// Height of the strip of launches.
const STRIP: f64 = 44.0;
const GAP: f64 = 10.0;

/// The least and the greatest time that a close view of these variants holds: the samples without the severe outliers, the launches.
pub(crate) fn extent<'a>(variants: impl Iterator<Item = &'a Distribution>) -> Option<(f64, f64)> {
    variants
        .flat_map(|one| {
            let ends = (!one.counts.is_empty()).then_some([one.low, one.high]);
            ends.into_iter().flatten().chain(one.launches.iter().map(|launch| launch.time))
        })
        .filter(|time| time.is_finite())
        .fold(None, |extent, time| {
            let (low, high) = extent.unwrap_or((time, time));
            Some((low.min(time), high.max(time)))
        })
}

/// A variant as it is drawn.
pub(crate) struct Panel<'a> {
    pub(crate) distribution: &'a Distribution,
    /// `time` with its interval, which is shaded.
    pub(crate) time: Estimate,
}

impl Panel<'_> {
    /// Samples as an outline of bins, launches as points in the order of measuring, the interval of the time as a band behind both.
    pub(crate) fn picture(&self, axis: &TimeAxis, said: &Said<'_>) -> Markup {
        let found = self.distribution;
        let height = BINS + GAP + STRIP;
        let place = |time: f64| axis.place(time, WIDTH).clamp(0.0, WIDTH);
        let (low, high) = (place(self.time.low), place(self.time.high));
        let inside = html! {
            @if self.time.is_bounded() {
                rect class="margin" x=(at(low)) y="0" width=(at((high - low).max(1.0))) height=(at(height)) {}
            }
            path class="zero" d={ "M" (at(place(self.time.estimate))) " 0V" (at(height)) } {}
            @if !found.counts.is_empty() { path class="bins" d=(outline(found, &place)) {} }
            path class="launches" d=(points(found, &place)) {}
            (labels(&axis.ticks(WIDTH), height + 13.0))
        };
        picture(WIDTH, height + 18.0, "panel", said, &inside)
    }
}

fn outline(found: &Distribution, place: &impl Fn(f64) -> f64) -> String {
    let most = found.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = (found.high - found.low) / found.counts.len() as f64;
    let mut path = format!("M{} {}", at(place(found.low)), at(BINS));
    let height = |count: u64| at((BINS - count as f64 / most * (BINS - 4.0)).round());
    for (bin, count) in found.counts.iter().enumerate() {
        // Neighbours of one height are one line.
        if found.counts.get(bin + 1) != Some(count) {
            let edge = place(found.low + (bin as f64 + 1.0) * step);
            let _ = write!(path, "V{}H{}", height(*count), at(edge.round()));
        }
    }
    let _ = write!(path, "V{}z", at(BINS));
    path
}

fn points(found: &Distribution, place: &impl Fn(f64) -> f64) -> String {
    let step = (STRIP - 6.0) / found.launches.len().max(1) as f64;
    let mut path = String::new();
    for (number, launch) in found.launches.iter().enumerate() {
        let y = BINS + GAP + (number as f64 + 0.5) * step;
        // A line of no length with round ends is a point.
        let _ = write!(path, "M{} {}h0", at(place(launch.time)), at(y));
    }
    path
}

#[cfg(test)]
mod tests {
    use tare_statistics::{Distribution, LaunchSpread};

    use super::{extent, points};

    #[test]
    fn each_launch_is_one_point() {
        let launch = |time: f64| LaunchSpread { time, ..LaunchSpread::default() };
        let found = Distribution { launches: vec![launch(1.0), launch(3.0), launch(2.0)], ..Distribution::default() };
        assert_eq!(points(&found, &|time| time).matches('M').count(), 3);
        assert_eq!(extent([&found].into_iter()), Some((1.0, 3.0)));
        assert_eq!(extent([&Distribution::default()].into_iter()), None);
    }
}
