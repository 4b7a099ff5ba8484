//! A variant's samples in the order of time, launch after launch.

use std::fmt::Write as _;

use maud::{Markup, html};
use tare_statistics::{Distribution, Stretch};

use super::distribution::{WIDTH, whole};
use super::scale::{Measure, Scale};
use super::{Caption, at, picture};

const HEIGHT: f64 = 70.0;
/// Room left of the plot for times.
const TIMES: f64 = 58.0;
const ABOVE: f64 = 6.0;

/// A line a launch, each point the median of some successive samples; what lies before the steady part is shaded. `None` where there are fewer than
/// two points.
pub(crate) fn course(found: &Distribution, time: f64, said: &Caption<'_>) -> Option<Markup> {
    let points: Vec<&Stretch> = found.course.iter().filter(|one| one.median.is_finite()).collect();
    if points.len() < 2 {
        return None;
    }
    let times = || points.iter().map(|one| one.median).chain(time.is_finite().then_some(time));
    let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max));
    let room = (high - low).max(high.abs() * 1e-6) * 0.05;
    let scale = Scale::linear(low - room, high + room, Measure::Time);
    let y = |time: f64| ABOVE + HEIGHT - scale.place(time, HEIGHT);
    let step = (WIDTH - TIMES) / points.len() as f64;
    let x = |number: usize| TIMES + (number as f64 + 0.5) * step;
    let mut lines = String::new();
    let mut before: Option<(u32, i64, i64)> = None;
    for (number, one) in points.iter().enumerate() {
        let place = (whole(x(number)), whole(y(one.median)));
        let _ = match before {
            Some((launch, left, above)) if launch == one.launch => {
                write!(lines, "l{} {}", place.0 - left, place.1 - above)
            }
            // A line of no length is a point, where the launch has no other.
            _ => write!(lines, "M{} {}h0", place.0, place.1),
        };
        before = Some((one.launch, place.0, place.1));
    }
    let warm = points.iter().enumerate().filter(|(_, one)| !one.steady);
    let warm: String = warm
        .map(|(number, _)| format!("M{} {ABOVE}h{}v{HEIGHT}h-{1}z", at(x(number) - step / 2.0), at(step)))
        .collect();
    let new = points.windows(2).enumerate().filter(|(_, pair)| pair[0].launch != pair[1].launch);
    let bounds: String =
        new.map(|(number, _)| format!("M{} {ABOVE}v{HEIGHT}", whole(TIMES + (number as f64 + 1.0) * step))).collect();
    // One alone tells no distance.
    let mut ticks = scale.ticks(3);
    if ticks.len() < 2 {
        ticks = scale.ticks(6);
    }
    let inside = html! {
        @if !warm.is_empty() { path class="margin" d=(warm) {} }
        g class="grid" {
            @if !bounds.is_empty() { path d=(bounds) {} }
            path class="frame" d={ "M" (TIMES) " " (ABOVE) "v" (HEIGHT) "H" (WIDTH) } {}
        }
        @for (value, label) in ticks { text class="tick end" x=(TIMES - 4.0) y=(at(y(value) + 4.0)) { (label) } }
        @if time.is_finite() { path class="zero" d={ "M" (TIMES) " " (at(y(time))) "H" (WIDTH) } {} }
        path class="line s0 course" d=(lines) {}
    };
    Some(picture(WIDTH, ABOVE + HEIGHT + 4.0, "panel", said, &inside))
}

#[cfg(test)]
mod tests {
    use tare_statistics::{Distribution, Stretch};

    use super::course;
    use crate::svg::Caption;

    const CAPTION: Caption<'_> = Caption { title: "t", description: "", table: "t" };

    fn of(stretches: &[(u32, f64, bool)]) -> Option<String> {
        let stretch = |&(launch, median, steady): &(u32, f64, bool)| Stretch { launch, median, steady };
        let found = Distribution { course: stretches.iter().map(stretch).collect(), ..Distribution::default() };
        course(&found, 10.0, &CAPTION).map(|markup| markup.into_string())
    }

    #[test]
    fn at_least_two_times_are_named() {
        for high in 1..200 {
            let drawn = of(&[(0, 150.0, true), (0, 151.0 + f64::from(high), true)]).expect("a picture");
            assert!(drawn.matches("tick end").count() >= 2, "{high}: {drawn}");
        }
    }

    #[test]
    fn each_launch_has_a_line_and_a_warm_up_is_shaded() {
        let drawn = of(&[(0, 20.0, false), (0, 10.0, true), (0, 11.0, true), (1, 10.0, true)]).expect("a picture");
        let line = drawn.split("course\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        assert_eq!((line.matches('M').count(), line.matches('l').count()), (2, 2), "{line}");
        assert_eq!(drawn.matches("class=\"margin\"").count(), 1, "{drawn}");
        let steady = of(&[(0, 10.0, true), (1, f64::NAN, true), (1, 10.0, true)]).expect("a picture");
        assert!(!steady.contains("class=\"margin\"") && !steady.contains("NaN"), "{steady}");
        assert_eq!(of(&[(0, 10.0, true)]), None);
    }
}
