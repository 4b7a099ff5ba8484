//! Whether a sample of one call is too short to be timed by itself, and how many calls would do.

use tare_samples::Calibration;

use super::figures::is_short;
use crate::summary::{Estimate, Summary};

/// What stands beside the call may be this share of a sample before it changes what is believed.
const MATTERS: f64 = 0.01;
/// It is worth a note from this share on: what the pilot keeps below, where it has its way.
const NOTED: f64 = 0.001;
/// Calls that take no longer than this are as good as nothing.
const LEAST_CALL_NS: f64 = 0.1;

/// A sample of one call, and what stands beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SingleCall {
    /// The whole sample, in nanoseconds.
    pub(super) sample: f64,
    /// Two reads of the clock, or its step, whichever is more, in nanoseconds.
    clock: f64,
    /// What the first call takes beyond later ones, in nanoseconds; 0 where that isn't known.
    pub(super) surplus: f64,
    /// One call more, in nanoseconds.
    call: f64,
    /// The time of a call comes from samples of more calls.
    pub(super) by_slope: bool,
}

impl SingleCall {
    /// `None` where samples have more calls. `step` of the clock in nanoseconds.
    pub(super) fn of(calibration: &Calibration, summary: &Summary, step: f64) -> Option<Self> {
        // What the author does before the loop stands there however many calls there are, and the pilot knows of it.
        let is_setup = calibration.setup_ns > 0 || calibration.setup_ppm > 0;
        let surplus = summary.overhead.surplus.filter(|surplus: &Estimate| surplus.low > 0.0 && !is_setup);
        (calibration.iterations <= 1).then(|| Self {
            sample: summary.raw.estimate,
            clock: summary.overhead.clock.estimate.max(step),
            surplus: surplus.map_or(0.0, |surplus| surplus.estimate),
            call: (summary.time.estimate + summary.overhead.call.estimate).max(LEAST_CALL_NS),
            by_slope: is_short(calibration),
        })
    }

    /// The clock is so much of it that single samples, and where there is nothing else the time, are not the call's own.
    pub(super) fn is_too_short(&self) -> bool {
        self.clock.max(self.surplus) > MATTERS * self.sample
    }

    /// It is worth a note.
    pub(super) fn is_noted(&self) -> bool {
        self.is_too_short() || !self.by_slope && self.clock > NOTED * self.sample
    }

    /// The clock's part, as people read it.
    pub(super) fn clock(&self) -> f64 {
        self.clock
    }

    /// So many calls make a sample in which neither is more than it may be: a power of ten, or two or five of them.
    pub(super) fn calls_that_do(&self) -> u64 {
        let wanted = ((self.clock / NOTED).max(self.surplus / MATTERS) / self.call).clamp(2.0, 1e12);
        let power = 10f64.powf(wanted.log10().floor());
        let times =
            [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= wanted * (1.0 - 1e-9)).unwrap_or(10.0);
        (times * power).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::SingleCall;

    fn call(sample: f64, clock: f64, surplus: f64) -> SingleCall {
        SingleCall { sample, clock, surplus, call: sample - clock - surplus, by_slope: true }
    }

    #[test]
    fn a_call_is_too_short_beside_the_clock_or_beside_what_comes_first() {
        assert!(call(1_200.0, 30.0, 0.0).is_too_short());
        assert!(call(20_000.0, 30.0, 12_000.0).is_too_short());
        // As the pilot chooses where variants are compared: two hundred times the clock.
        let chosen = SingleCall { by_slope: false, ..call(15_000.0, 75.0, 0.0) };
        assert!(!chosen.is_too_short() && chosen.is_noted());
        assert!(!call(3e6, 30.0, 0.0).is_noted());
    }

    #[test]
    fn so_many_calls_do() {
        // 30 µs of 1.17 µs.
        assert_eq!(call(1_200.0, 30.0, 0.0).calls_that_do(), 50);
        // A hundred times 12 µs, of 8 µs.
        assert_eq!(call(20_000.0, 30.0, 12_000.0).calls_that_do(), 200);
        assert_eq!(call(1_030.0, 30.0, 0.0).calls_that_do(), 50);
        assert_eq!(SingleCall { call: 300.0, ..call(330.0, 30.0, 0.0) }.calls_that_do(), 100);
        assert_eq!(SingleCall { call: 1e9, ..call(330.0, 30.0, 0.0) }.calls_that_do(), 2);
    }
}
