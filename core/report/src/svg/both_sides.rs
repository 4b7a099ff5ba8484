//! Two variants over each other: where the samples of both lie, and below them the launches of each, on one axis.

use maud::{Markup, html};

use super::distribution::{BINS, GAP, Panel, WIDTH, WITH_QUARTILES, modes, outline, points, quartiles, strip};
use super::{Caption, TimeAxis, at, labels, picture};

/// A line of the legend.
const LINE: f64 = 16.0;
/// Triangles above the bins.
const MODES: f64 = 9.0;

/// The samples of the first side as a filled outline, those of the second as a line over it, each as high as the other; below, side by side, the
/// launches of each with the interval of its time as a band behind them.
pub(crate) fn both_sides(axis: &TimeAxis, sides: [(&Panel<'_>, &str); 2], said: &Caption<'_>) -> Markup {
    let place = |time: f64| axis.place(time, WIDTH).clamp(0.0, WIDTH);
    let base = 2.0 * LINE + MODES + BINS;
    let mut top = base + GAP;
    let strips = sides.map(|(side, _)| {
        let from = top;
        top += strip(side.distribution) + GAP / 2.0;
        from
    });
    let bottom = top - GAP / 2.0;
    let inside = html! {
        @for (number, (side, label)) in sides.iter().enumerate() {
            @let y = (number as f64 + 1.0) * LINE - 4.0;
            @let found = side.distribution;
            text class={ "t" (number) } y=(at(y)) { "■ " (label) }
            @if !found.counts.is_empty() { path class={ "over o" (number) } d=(outline((found.low, found.high), &found.counts, base, &place)) {} }
            @if side.modes.len() > 1 { path class={ "dot s" (number) } d=(modes(side.modes, (2.0 * LINE) as i64, &place)) {} }
        }
        @for (number, ((side, _), from)) in sides.iter().zip(strips).enumerate() {
            @let found = side.distribution;
            @let height = strip(found);
            @if side.time.is_bounded() {
                @let (low, high) = (place(side.time.low), place(side.time.high));
                rect class="margin" x=(at(low)) y=(at(from)) width=(at((high - low).max(1.0))) height=(at(height)) {}
            }
            path class="zero" d={ "M" (at(place(side.time.estimate))) " " (at(from)) "v" (at(height)) } {}
            @if side.quartiles && found.launches.len() <= WITH_QUARTILES { path class={ "quartiles s" (number) } d=(quartiles(found, from, &place)) {} }
            path class={ "launches s" (number) } d=(points(found, from, &place)) {}
        }
        (labels(&axis.ticks(WIDTH), bottom + 13.0))
    };
    picture(WIDTH, bottom + 18.0, "panel", said, &inside)
}

#[cfg(test)]
mod tests {
    use tare_statistics::{Distribution, Estimate, LaunchSpread};

    use super::both_sides;
    use crate::svg::{Caption, Panel, TimeAxis};

    #[test]
    fn both_stand_on_one_axis_with_their_launches_below() {
        let side = |time: f64| Distribution {
            launches: vec![LaunchSpread { time, ..LaunchSpread::default() }; 5],
            low: time - 5.0,
            high: time + 5.0,
            counts: vec![1, 3, 1],
            ..Distribution::default()
        };
        let (before, after) = (side(100.0), side(110.0));
        let panel = |distribution, time: f64| Panel {
            distribution,
            time: Estimate { estimate: time, low: time - 1.0, high: time + 1.0 },
            modes: &[],
            quartiles: true,
        };
        let said = Caption { title: "t", description: "", table: "t" };
        let sides = [(&panel(&before, 100.0), "before"), (&panel(&after, 110.0), "after")];
        let drawn = both_sides(&TimeAxis::between(95.0, 115.0), sides, &said).into_string();
        for number in [0, 1] {
            assert_eq!(drawn.matches(&format!("class=\"over o{number}\"")).count(), 1, "{drawn}");
            assert_eq!(drawn.matches(&format!("class=\"launches s{number}\"")).count(), 1, "{drawn}");
        }
        assert!(drawn.contains(">■ before<") && drawn.contains(">■ after<") && drawn.contains(">100 ns<"), "{drawn}");
        assert_eq!(drawn.matches("class=\"margin\"").count(), 2, "{drawn}");
    }
}
