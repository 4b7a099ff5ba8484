//! Axes of charts: linear or logarithmic, with ticks at values that are easy to read.

use tare_samples::TimeUnit;

use crate::amount::amount;
use crate::figure::time;

/// Steps between ticks that are easy to read, within a decade (Heckbert, "Nice numbers for graph labels", Graphics Gems, 1990).
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// Values whose largest is more than this many times the smallest stand on a logarithmic axis where the caller leaves it open.
const LINEAR: f64 = 20.0;

/// Ends of logarithmic axes: what is beyond isn't measured, and arithmetic with it has no end.
const SMALLEST: f64 = 1e-300;
const LARGEST: f64 = 1e300;

/// What the values of an axis are, which says how its ticks read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// A bare number.
    Number,
    /// A whole number, with ticks at whole numbers alone.
    Count,
    /// `1 - p` of percentiles p: the axis of a tail, always logarithmic and from right to left.
    Tail,
}

/// An axis from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    measure: Measure,
}

impl Scale {
    /// For these values: from 0 where they are of one magnitude, else logarithmic. `None` where no value is finite.
    pub(crate) fn of(values: impl Iterator<Item = f64>, measure: Measure) -> Option<Self> {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        if values.is_empty() {
            return None;
        }
        Some(match least > 0.0 && most / least > LINEAR {
            true => Self::logarithmic(least, most, measure),
            false => Self::linear(least.min(0.0), most, measure),
        })
    }

    /// Equal distances are equal differences. Equal ends are moved apart.
    pub(crate) fn linear(low: f64, high: f64, measure: Measure) -> Self {
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        // So that what stands at the end is whole.
        let room = if measure == Measure::Count { 0.5 } else { (high - low) * 0.04 };
        Self { low, high: high + room, logarithmic: false, measure }
    }

    /// Equal distances are equal factors; both ends above 0. What is no such end is the next one that is.
    pub(crate) fn logarithmic(low: f64, high: f64, measure: Measure) -> Self {
        let low = if low.is_nan() { SMALLEST } else { low.clamp(SMALLEST, LARGEST / 2.0) };
        let high = if high.is_nan() { low * 2.0 } else { high.clamp(low * 2.0, LARGEST) };
        match measure {
            Measure::Tail => Self { low, high, logarithmic: true, measure },
            _ => Self { low: low / 1.3, high: high * 1.3, logarithmic: true, measure },
        }
    }

    pub(crate) fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Where a value stands on an axis of this length; what lies beyond an end stands at it.
    pub(crate) fn place(&self, value: f64, length: f64) -> f64 {
        let part = match self.logarithmic {
            true => (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
        length * if self.measure == Measure::Tail { 1.0 - part } else { part }
    }

    /// Values with their labels, at most about `most`, ascending.
    pub(crate) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let values = if self.logarithmic { self.decades(most) } else { self.steps(most) };
        values.into_iter().map(|value| (value, self.label(value, most))).collect()
    }

    /// A value in words.
    fn label(&self, value: f64, most: usize) -> String {
        match self.measure {
            Measure::Time if self.logarithmic => time(value),
            Measure::Time => {
                let unit = TimeUnit::fitting(self.high.abs());
                let decimals = self.decimals(unit.nanoseconds(), most);
                format!("{:.*} {}", decimals, value / unit.nanoseconds(), unit.symbol())
            }
            Measure::Bytes => amount(value, "B"),
            Measure::Tail => percentile(value),
            Measure::Number | Measure::Count => number(value),
        }
    }

    /// Decimals that tell neighbouring ticks apart.
    fn decimals(&self, unit: f64, most: usize) -> usize {
        (-((self.step(most) / unit).log10() + 1e-9).floor()).clamp(0.0, 9.0) as usize
    }

    fn step(&self, most: usize) -> f64 {
        let rough = (self.high - self.low) / most.max(2) as f64;
        let decade = 10f64.powf(rough.log10().floor());
        let step = STEPS.iter().map(|step| step * decade).find(|step| *step >= rough).unwrap_or(10.0 * decade);
        if self.measure == Measure::Count { step.max(1.0) } else { step }
    }

    fn steps(&self, most: usize) -> Vec<f64> {
        let step = self.step(most);
        let first = (self.low / step).ceil();
        (0..=2 * most).map(|number| (first + number as f64) * step).take_while(|value| *value <= self.high).collect()
    }

    /// Powers of ten, thinned out where they are many; of few decades 2 and 5 times them, too.
    fn decades(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let inside = |value: &f64| (self.low * 0.999..=self.high * 1.001).contains(value);
        let whole: Vec<f64> = (first..=last).map(|power| 10f64.powi(power)).filter(inside).collect();
        if whole.len() > most {
            return whole.iter().copied().step_by(whole.len().div_ceil(most.max(1))).collect();
        }
        let parts: Vec<f64> = (first..=last)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|part| part * 10f64.powi(power)))
            .filter(inside)
            .collect();
        if parts.len() > most || self.measure == Measure::Tail { whole } else { parts }
    }
}

/// `p99.9` of 0.001.
fn percentile(rest: f64) -> String {
    let share = 100.0 - rest * 100.0;
    let decimals = (-(rest * 100.0).log10().ceil()).clamp(0.0, 6.0) as usize;
    match rest {
        rest if rest >= 0.999 => "p0".to_owned(),
        _ => format!("p{share:.*}", decimals + usize::from(rest < 0.01 && decimals == 0)),
    }
}

/// A bare number, short.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    let (scaled, symbol) = match size {
        s if s >= 1e15 => return format!("{value:.0e}"),
        s if s >= 1e9 => (value / 1e9, "G"),
        s if s >= 1e6 => (value / 1e6, "M"),
        s if s >= 1e4 => (value / 1e3, "k"),
        s if s > 0.0 && s < 1e-3 => return format!("{value:.0e}"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}{symbol}", if text == "-0" { "0" } else { text })
}

#[cfg(test)]
mod tests {
    use super::{Measure, Scale, number, percentile};

    fn labels(scale: &Scale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_of_one_magnitude_begin_at_nothing_and_others_are_logarithmic() {
        let near = Scale::of([100.0, 380.0].into_iter(), Measure::Time).expect("an axis");
        assert_eq!(labels(&near, 4), ["0 ns", "100 ns", "200 ns", "300 ns"]);
        let far = Scale::of([3.0, 90_000.0].into_iter(), Measure::Time).expect("an axis");
        assert!(far.is_logarithmic());
        assert_eq!(labels(&far, 5), ["10 ns", "100 ns", "1 µs", "10 µs", "100 µs"]);
        assert_eq!(Scale::of([f64::NAN].into_iter(), Measure::Time), None);
        assert_eq!(
            labels(&Scale::linear(1.0, 4.0, Measure::Count), 5),
            ["1", "2", "3", "4"],
            "no run is the one and a halfth"
        );
    }

    #[test]
    fn a_tail_goes_to_the_right() {
        let tail = Scale::logarithmic(1e-4, 1.0, Measure::Tail);
        assert_eq!(tail.place(1.0, 100.0), 0.0);
        assert_eq!(tail.place(1e-4, 100.0), 100.0);
        assert_eq!([0.5, 0.1, 0.01, 1e-3, 1e-4].map(percentile), ["p50", "p90", "p99", "p99.9", "p99.99"]);
    }

    #[test]
    fn what_is_no_value_has_a_place_all_the_same() {
        let scale = Scale::linear(0.0, 0.0, Measure::Number);
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
            assert!((0.0..=10.0).contains(&scale.place(value, 10.0)), "{value}");
            for other in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.0, f64::MAX] {
                for end in [Scale::logarithmic, Scale::linear] {
                    let ticks = end(value, other, Measure::Time).ticks(5);
                    assert!(ticks.len() < 20, "{value} to {other}: {}", ticks.len());
                }
            }
        }
        assert_eq!([0.0, 1500.0, 25_000.0, 3.5e6, 0.25].map(number), ["0", "1500", "25k", "3.5M", "0.25"]);
    }
}
