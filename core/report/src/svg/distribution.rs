//! One variant from near: where its samples lie, and below them where each launch lies, on one axis.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::{Distribution, Estimate, LaunchSpread};

use super::{Caption, TimeAxis, at, labels, picture};

pub(super) const WIDTH: f64 = 360.0;
/// Height of the tallest bin.
const BINS: f64 = 60.0;
/// Least height of the strip of launches.
const STRIP: f64 = 44.0;
const GAP: f64 = 10.0;
/// Launches up to which each has the middle half of its samples beside it.
pub(crate) const WITH_QUARTILES: usize = 24;

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
    /// What samples cluster around, where it is more than one time.
    pub(crate) modes: &'a [f64],
    /// Whether launches have the middle half of their samples beside them, where they are few.
    pub(crate) quartiles: bool,
}

impl Panel<'_> {
    /// Samples as an outline of bins, launches as points in the order of measuring, the interval of the time as a band behind both.
    pub(crate) fn picture(&self, axis: &TimeAxis, said: &Caption<'_>) -> Markup {
        let found = self.distribution;
        let height = BINS + GAP + strip(found);
        let place = |time: f64| axis.place(time, WIDTH).clamp(0.0, WIDTH);
        let (low, high) = (place(self.time.low), place(self.time.high));
        let inside = html! {
            @if self.time.is_bounded() {
                rect class="margin" x=(at(low)) y="0" width=(at((high - low).max(1.0))) height=(at(height)) {}
            }
            path class="zero" d={ "M" (at(place(self.time.estimate))) " 0V" (at(height)) } {}
            @if !found.counts.is_empty() { path class="bins" d=(outline(found, &place)) {} }
            @if self.quartiles && found.launches.len() <= WITH_QUARTILES { path class="quartiles" d=(quartiles(found, &place)) {} }
            path class="launches" d=(points(found, &place)) {}
            @if self.modes.len() > 1 { path class="modes" d=(self.modes.iter().filter(|mode| mode.is_finite()).map(|mode| format!("M{} 0h8l-4 7z", whole(place(*mode)) - 4)).collect::<String>()) {} }
            (labels(&axis.ticks(WIDTH), height + 13.0))
        };
        picture(WIDTH, height + 18.0, "panel", said, &inside)
    }
}

/// Whole coordinates, each but the first by its distance from the one before: a page has hundreds of these.
fn outline(found: &Distribution, place: &impl Fn(f64) -> f64) -> String {
    let most = found.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = (found.high - found.low) / found.counts.len() as f64;
    let mut x = whole(place(found.low));
    let mut path = format!("M{x} {BINS}");
    for (bin, count) in found.counts.iter().enumerate() {
        // Neighbours of one height are one line.
        if found.counts.get(bin + 1) != Some(count) {
            let edge = whole(place(found.low + (bin as f64 + 1.0) * step));
            let height = whole(BINS - *count as f64 / most * (BINS - 4.0));
            let _ = write!(path, "V{height}h{}", edge - x);
            x = edge;
        }
    }
    let _ = write!(path, "V{BINS}z");
    path
}

/// A subpath of no length for each launch, which round ends make a point; likewise.
fn points(found: &Distribution, place: &impl Fn(f64) -> f64) -> String {
    let step = (strip(found) - 6.0) / found.launches.len().max(1) as f64;
    let mut path = String::new();
    let mut before = None;
    for (number, launch) in found.launches.iter().enumerate() {
        let (x, y) = (whole(place(launch.time)), whole(BINS + GAP + (number as f64 + 0.5) * step));
        let _ = match before {
            None => write!(path, "M{x} {y}z"),
            Some((left, above)) => write!(path, "m{} {}z", x - left, y - above),
        };
        before = Some((x, y));
    }
    path
}

/// The middle half of each launch's samples, a line through its point.
fn quartiles(found: &Distribution, place: &impl Fn(f64) -> f64) -> String {
    let step = (strip(found) - 6.0) / found.launches.len().max(1) as f64;
    let line = |(number, launch): (usize, &LaunchSpread)| {
        let y = whole(BINS + GAP + (number as f64 + 0.5) * step);
        format!("M{} {y}H{}", whole(place(launch.lower_quartile)), whole(place(launch.upper_quartile)))
    };
    found.launches.iter().enumerate().map(line).collect()
}

/// Height of the strip of launches: a line for each where there are many.
fn strip(found: &Distribution) -> f64 {
    (found.launches.len() as f64 + 6.0).clamp(STRIP, 3.0 * STRIP)
}

/// 0 for what is no coordinate.
pub(super) fn whole(place: f64) -> i64 {
    place.round() as i64
}

#[cfg(test)]
mod tests {
    use tare_statistics::{Distribution, LaunchSpread};

    use super::{extent, points};

    #[test]
    fn each_launch_is_one_point() {
        let launch = |time: f64| LaunchSpread { time, ..LaunchSpread::default() };
        let found = Distribution { launches: vec![launch(1.0), launch(3.0), launch(2.0)], ..Distribution::default() };
        assert_eq!(points(&found, &|time| time), "M1 76zm2 13zm-1 13z");
        assert_eq!(extent([&found].into_iter()), Some((1.0, 3.0)));
        assert_eq!(extent([&Distribution::default()].into_iter()), None);
    }
}
