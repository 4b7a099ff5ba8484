//! One variant from near: where its samples lie, and below them where each launch lies, on one axis.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::{Distribution, Estimate, LaunchSpread};

use super::{Caption, TimeAxis, at, labels, picture};

pub(super) const WIDTH: f64 = 360.0;
/// Height of the tallest bin.
pub(super) const BINS: f64 = 60.0;
/// Least height of the strip of launches.
const STRIP: f64 = 44.0;
pub(super) const GAP: f64 = 10.0;
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
            @if !found.counts.is_empty() { path class="bins" d=(outline((found.low, found.high), &found.counts, BINS, &place)) {} }
            @if self.quartiles && found.launches.len() <= WITH_QUARTILES { path class="quartiles" d=(quartiles(found, BINS + GAP, &place)) {} }
            path class="launches" d=(points(found, BINS + GAP, &place)) {}
            @if self.modes.len() > 1 { path class="modes" d=(modes(self.modes, 0, &place)) {} }
            (labels(&axis.ticks(WIDTH), height + 13.0))
        };
        picture(WIDTH, height + 18.0, "panel", said, &inside)
    }
}

/// Bins between these ends that stand on the line `base`: whole coordinates, each but the first by its distance from the one before, as a page has
/// hundreds of these.
pub(super) fn outline((low, high): (f64, f64), counts: &[u64], base: f64, place: &impl Fn(f64) -> f64) -> String {
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = (high - low) / counts.len() as f64;
    let mut x = whole(place(low));
    let mut path = format!("M{x} {}", whole(base));
    for (bin, count) in counts.iter().enumerate() {
        // Neighbours of one height are one line.
        if counts.get(bin + 1) != Some(count) {
            let edge = whole(place(low + (bin as f64 + 1.0) * step));
            let height = whole(base - *count as f64 / most * (BINS - 4.0));
            let _ = write!(path, "V{height}h{}", edge - x);
            x = edge;
        }
    }
    let _ = write!(path, "V{}z", whole(base));
    path
}

/// A triangle at each time that samples cluster around, below the line `top`.
pub(super) fn modes(times: &[f64], top: i64, place: &impl Fn(f64) -> f64) -> String {
    let finite = times.iter().filter(|time| time.is_finite());
    finite.map(|time| format!("M{} {top}h8l-4 7z", whole(place(*time)) - 4)).collect()
}

/// A subpath of no length for each launch, which round ends make a point, from the line `top` on; likewise.
pub(super) fn points(found: &Distribution, top: f64, place: &impl Fn(f64) -> f64) -> String {
    let step = (strip(found) - 6.0) / found.launches.len().max(1) as f64;
    let mut path = String::new();
    let mut before = None;
    for (number, launch) in found.launches.iter().enumerate() {
        let (x, y) = (whole(place(launch.time)), whole(top + (number as f64 + 0.5) * step));
        let _ = match before {
            None => write!(path, "M{x} {y}z"),
            Some((left, above)) => write!(path, "m{} {}z", x - left, y - above),
        };
        before = Some((x, y));
    }
    path
}

/// The middle half of each launch's samples, a line through its point.
pub(super) fn quartiles(found: &Distribution, top: f64, place: &impl Fn(f64) -> f64) -> String {
    let step = (strip(found) - 6.0) / found.launches.len().max(1) as f64;
    let line = |(number, launch): (usize, &LaunchSpread)| {
        let y = whole(top + (number as f64 + 0.5) * step);
        format!("M{} {y}H{}", whole(place(launch.lower_quartile)), whole(place(launch.upper_quartile)))
    };
    found.launches.iter().enumerate().map(line).collect()
}

/// Height of the strip of launches: a line for each where there are many.
pub(super) fn strip(found: &Distribution) -> f64 {
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
        assert_eq!(points(&found, 70.0, &|time| time), "M1 76zm2 13zm-1 13z");
        assert_eq!(extent([&found].into_iter()), Some((1.0, 3.0)));
        assert_eq!(extent([&Distribution::default()].into_iter()), None);
    }
}
