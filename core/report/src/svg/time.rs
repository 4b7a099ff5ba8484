//! Times on an axis: from 0 where they are of one magnitude, else logarithmic.

use maud::{Markup, html};
use tare_samples::TimeUnit;
use tare_statistics::Estimate;

use super::{COLUMN, Caption, EDGE, ROW, at, labels, mark, picture, roomy, whisker};

/// Times whose largest is more than this many times the smallest stand on a logarithmic axis.
const LINEAR: f64 = 20.0;
/// Steps between ticks that are easy to read, within a decade.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// An axis of times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimeAxis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl TimeAxis {
    /// For these times with their intervals; `None` where none of them is above 0.
    pub(crate) fn of(times: &[Estimate]) -> Option<Self> {
        let sizes = times.iter().map(|time| time.estimate).filter(|time| *time > 0.0 && time.is_finite());
        let (least, most) = sizes.fold((f64::INFINITY, 0.0f64), |(low, high), time| (low.min(time), high.max(time)));
        if most <= 0.0 {
            return None;
        }
        // Far ends of wide intervals are cut rather than leave a sliver for the rest.
        let reach = times.iter().map(|time| time.high).filter(|high| high.is_finite() && *high < 3.0 * most);
        let high = reach.fold(most, f64::max);
        Some(match most / least > LINEAR {
            true => Self { low: least / 1.5, high: high * 1.2, logarithmic: true },
            false => Self { low: 0.0, high: high * 1.02, logarithmic: false },
        })
    }

    /// From `low` to `high`, neither 0 nor logarithmic: the close view of one case. Equal ends are moved apart.
    pub(crate) fn between(low: f64, high: f64) -> Self {
        let room = ((high - low) * 0.04).max(high.abs() * 1e-6).max(1e-6);
        Self { low: low - room, high: high + room, logarithmic: false }
    }

    pub(crate) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Where a time stands on an axis of this width; what lies beyond the axis stands outside of it.
    pub(crate) fn place(&self, time: f64, width: f64) -> f64 {
        let part = match self.logarithmic {
            true => (time.max(self.low * 1e-3) / self.low).ln() / (self.high / self.low).ln(),
            false => (time - self.low) / (self.high - self.low),
        };
        EDGE + part.clamp(-4.0, 4.0) * (width - 2.0 * EDGE)
    }

    /// Where the axis has its labels.
    pub(crate) fn ticks(&self, width: f64) -> Vec<(f64, String)> {
        let values = if self.logarithmic { self.decades() } else { self.steps() };
        // One unit for all, that of the largest, unless the axis goes over magnitudes.
        let unit = TimeUnit::fitting(self.high.abs().max(self.low.abs()));
        let label = |value: f64| {
            let unit = if self.logarithmic { TimeUnit::fitting(value) } else { unit };
            let scaled = value / unit.nanoseconds();
            let text = format!("{scaled:.*}", self.decimals(unit));
            format!("{} {}", text, unit.symbol())
        };
        roomy(values.into_iter().map(|value| (self.place(value, width), label(value))).collect())
    }

    /// Decimals that tell neighbouring ticks apart.
    fn decimals(&self, unit: TimeUnit) -> usize {
        if self.logarithmic {
            return 0;
        }
        let step = self.step() / unit.nanoseconds();
        (-(step.log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize
    }

    /// 1, 2 or 5 times a power of ten (Heckbert, "Nice numbers for graph labels", Graphics Gems, 1990): two to five to the axis.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / 5.0;
        let decade = 10f64.powf(rough.log10().floor());
        STEPS.iter().map(|step| step * decade).find(|step| *step >= rough).unwrap_or(10.0 * decade)
    }

    fn steps(&self) -> Vec<f64> {
        let step = self.step();
        let first = (self.low / step).ceil() as i64;
        (first..first + 12).map(|number| number as f64 * step).filter(|value| *value <= self.high).collect()
    }

    fn decades(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        let decades = (first..=last).map(|power| 10f64.powi(power));
        // What is below a nanosecond has no whole number to stand there.
        let mut found: Vec<f64> = decades.filter(|value| *value >= 1.0).collect();
        found.extend(
            (first - 1..=last)
                .flat_map(|power| [2.0, 5.0].map(|part| part * 10f64.powi(power)))
                .filter(|value| *value >= 1.0 && (self.low..=self.high).contains(value)),
        );
        found
    }

    /// A time with its interval, by itself.
    pub(crate) fn picture(&self, time: &Estimate, said: &Caption<'_>) -> Markup {
        let place = |time: f64| self.place(time, COLUMN);
        let inside = html! {
            @if !self.logarithmic { path class="zero" d={ "M" (at(EDGE)) " 0V" (at(ROW)) } {} }
            (whisker(place(time.low.max(0.0)), place(time.high), COLUMN, ROW / 2.0))
            (mark(None, false, place(time.estimate).clamp(EDGE / 2.0, COLUMN - EDGE / 2.0), ROW / 2.0))
        };
        picture(COLUMN, ROW, "row", said, &inside)
    }

    /// The axis by itself, above a column of rows.
    pub(crate) fn head(&self) -> Markup {
        html! {
            svg class="head" aria-hidden="true" viewBox={ "0 0 " (COLUMN) " 14" } width=(COLUMN) height="14" {
                (labels(&self.ticks(COLUMN), 11.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;

    use super::TimeAxis;

    fn labels(axis: &TimeAxis) -> Vec<String> {
        axis.ticks(260.0).into_iter().map(|(_, label)| label).collect()
    }

    fn around(times: &[f64]) -> TimeAxis {
        let of = |time: &f64| Estimate { estimate: *time, low: time * 0.99, high: time * 1.01 };
        TimeAxis::of(&times.iter().map(of).collect::<Vec<_>>()).expect("an axis")
    }

    #[test]
    fn times_of_one_magnitude_begin_at_nothing() {
        let axis = around(&[100.0, 380.0]);
        assert!(!axis.is_logarithmic());
        assert_eq!(labels(&axis), ["0 ns", "100 ns", "200 ns", "300 ns"]);
    }

    #[test]
    fn times_of_many_magnitudes_stand_on_decades() {
        let axis = around(&[3.0, 90_000.0]);
        assert!(axis.is_logarithmic());
        assert_eq!(labels(&axis).first().map(String::as_str), Some("10 ns"));
        assert!(labels(&axis).contains(&"10 µs".to_owned()), "{:?}", labels(&axis));
    }

    #[test]
    fn a_close_view_has_labels_that_differ() {
        let axis = TimeAxis::between(1234.1, 1234.9);
        let found = labels(&axis);
        let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
        assert!(found.len() > 1 && distinct.len() == found.len(), "{found:?}");
        assert!(labels(&TimeAxis::between(5.0, 5.0)).iter().all(|label| !label.contains("NaN")));
    }

    #[test]
    fn nothing_above_0_has_no_axis() {
        assert_eq!(TimeAxis::of(&[Estimate { estimate: -1.0, low: -2.0, high: 0.5 }]), None);
        assert_eq!(TimeAxis::of(&[]), None);
    }
}
