//! What the reader should know before believing a result, and what else was found. Both are values that carry their remedy.
//!
//! A warning is shown by itself, so it has to change what is believed: its effect on the time is more than the interval says and more than
//! 1 %, and chance makes it seldom enough that a suite of a hundred clean cases shows none. Everything else that was found is a fact, which
//! `--verbose` shows. `tests/simulation/warnings.rs` counts both failures.

use std::collections::BTreeSet;

use tare_samples::{Calibration, Launch, Subject};

use super::CONFIDENCE;
use super::budget::Drift;
use super::figures::{LaunchFigures, is_short};
use super::single_call::SingleCall;
use super::unsteady::Unsteady;
use crate::mean_interval::student_interval;
use crate::summary::{Estimate, Summary};
use crate::warning::{Warning, WarningCode};
use crate::{outliers, quantile};

/// An effect of less than this share of the time changes nothing that is believed.
const MATTERS: f64 = 0.01;
/// What is shown by itself is found with this confidence, beyond what would matter.
const SHOWN_CONFIDENCE: f64 = 0.99;
/// Twice the calls may differ from twice the time by this much before it is called nonlinear.
const NONLINEAR: f64 = 0.02;
/// A first sample may exceed the others of its turn by this much.
const COLD: f64 = 0.01;
/// Launches that scatter by more than this, as a fraction of the time, are noted.
const LAUNCH_SPREAD: f64 = 0.02;
/// By so much, and they are shown: the interval holds it, but one process alone says little.
const LAUNCH_SPREAD_SHOWN: f64 = 0.05;
/// Share of severe outliers that is noted.
const OUTLIERS: f64 = 0.05;
/// A trend over launches is shown under this p-value.
const DRIFT_SHOWN: f64 = 0.0005;
/// A time below 0 is shown where it lies by so many half-widths below.
const NEGATIVE_SHOWN: f64 = 2.0;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Changes what is believed.
    pub(super) warnings: Vec<Warning>,
    /// The rest.
    pub(super) facts: Vec<Warning>,
}

impl Findings {
    fn add(&mut self, shown: bool, code: WarningCode, message: String, remedy: &str) {
        let list = if shown { &mut self.warnings } else { &mut self.facts };
        list.push(Warning::new(code, message, remedy));
    }
}

/// Everything that launches are judged by.
pub(super) struct Judged<'a> {
    pub(super) summary: &'a Summary,
    pub(super) launches: &'a [Launch],
    pub(super) figures: &'a [LaunchFigures],
    pub(super) calibration: &'a Calibration,
    pub(super) unsteady: &'a Unsteady,
    pub(super) drift: Drift,
    /// Step of the clock, in nanoseconds.
    pub(super) step: f64,
    /// Tared samples, sorted.
    pub(super) samples: &'a [f64],
}

impl Judged<'_> {
    pub(super) fn findings(&self) -> Findings {
        let mut found = Findings::default();
        self.few_launches(&mut found);
        self.below(&mut found);
        self.nonlinear(&mut found);
        self.drift(&mut found);
        self.multimodal(&mut found);
        self.unsteady(&mut found);
        self.cold_turns(&mut found);
        self.launch_spread(&mut found);
        self.outliers(&mut found);
        self.first_calls(&mut found);
        self.single_call(&mut found);
        found
    }

    fn time(&self) -> f64 {
        self.summary.time.estimate.abs().max(f64::MIN_POSITIVE)
    }

    /// The share of the time from which on an effect changes what is believed.
    fn matters_from(&self) -> f64 {
        (self.summary.time.half_width() / self.time()).max(MATTERS)
    }

    fn few_launches(&self, found: &mut Findings) {
        let message = match self.summary.launches {
            1 if !self.summary.time.is_bounded() => {
                "one launch of one sample: the error of the time is unknown".to_owned()
            }
            1 => "with one launch the scatter between launches is unknown; the interval covers this launch alone"
                .to_owned(),
            n @ 2..=5 => {
                format!("{n} launches are too few to know their scatter; the interval assumes a normal distribution")
            }
            _ => return,
        };
        found.add(true, WarningCode::FewLaunches, message, "measure at least 6 launches (--launches)");
    }

    fn below(&self, found: &mut Findings) {
        let time = &self.summary.time;
        if self.summary.below_resolution {
            // More than was taken off: it isn't nothing, whatever the scatter.
            let (message, remedy) = if time.estimate > (self.summary.raw.estimate - time.estimate).abs() {
                (
                    "the interval holds 0: launches differ by more than the subject takes, so only the interval's upper end is known",
                    "measure longer (--budget), with fewer other programs running",
                )
            } else {
                (
                    "the interval holds 0: the subject takes no longer than an empty one, or the compiler removed its work",
                    "if it should do work, use its result; else give each call more to do, or measure longer (--budget)",
                )
            };
            found.add(true, WarningCode::BelowResolution, message.to_owned(), remedy);
        }
        if time.high < 0.0 {
            found.add(
                -time.estimate > NEGATIVE_SHOWN * time.half_width(),
                WarningCode::Negative,
                "the whole interval lies below 0: the subject takes less than an empty one, so Tare subtracted more than its own loop and call take".to_owned(),
                "treat the code as too fast to measure, and measure again on a quieter machine; if it recurs, please report it",
            );
        }
    }

    fn nonlinear(&self, found: &mut Findings) {
        let Summary { time, raw, .. } = self.summary;
        if let [fewer, more] = self.calibration.far[..]
            && time.low > raw.high * (1.0 + MATTERS)
        {
            found.add(
                true,
                WarningCode::Nonlinear,
                format!(
                    "a call takes {} by the difference between {more} and {fewer} calls, and {} in samples of {}: the more calls, the longer each takes",
                    in_words(time.estimate),
                    in_words(raw.estimate),
                    self.calibration.iterations
                ),
                "the subject keeps state from call to call: reset it in a hook before each sample, or fix the calls (--calls)",
            );
            return;
        }
        let beyond = |ratio: &Estimate, by: f64| ratio.low > 1.0 + by || ratio.high < 1.0 - by;
        let Some((noted, sure)) = self.over_launches(|launch| launch.far_ratio) else { return };
        let shown = beyond(&sure, NONLINEAR.max(self.matters_from()));
        if shown || beyond(&noted, NONLINEAR) {
            found.add(
                shown,
                WarningCode::Nonlinear,
                format!("twice the calls take {:.2} times the time", 2.0 * noted.estimate),
                "the subject keeps state from call to call, or work is hoisted out of the loop: reset it in a hook before each sample, or fix the calls (--calls)",
            );
        }
    }

    fn drift(&self, found: &mut Findings) {
        let Drift { change, p_value } = self.drift;
        if change > 0.0 {
            found.add(
                // The interval is widened for it, so that it is no measure of it.
                change > MATTERS && p_value < DRIFT_SHOWN,
                WarningCode::Drift,
                format!(
                    "the machine's speed changed steadily over the launches, by {:.1} % from the first to the last; the interval is widened for it",
                    100.0 * change
                ),
                "let the machine settle (temperature, frequency, neighbours) and measure again",
            );
        }
    }

    fn multimodal(&self, found: &mut Findings) {
        let peaks = &self.summary.peaks;
        if peaks.len() > 1 && !self.summary.below_resolution {
            let (low, high) =
                peaks.iter().fold((f64::MAX, f64::MIN), |(low, high), &peak| (low.min(peak), high.max(peak)));
            // A call takes no time below 0, and one that is too short for the clock clusters by the clock: that is told by itself.
            let of_calls = low > 0.0 && !self.single().is_some_and(|single| single.is_too_short());
            found.add(
                of_calls && (high - low) / self.time() > self.matters_from(),
                WarningCode::Multimodal,
                format!("samples cluster around {}", list(peaks)),
                "the subject takes different paths, or the machine has different states; the time is the mean of all, so look at the distribution as well",
            );
        }
    }

    fn unsteady(&self, found: &mut Findings) {
        let Some((what, count)) = self.unsteady.kind else { return };
        let sure = student_interval(&self.unsteady.effects, SHOWN_CONFIDENCE);
        let shown = sure.is_some_and(|effect| !effect.holds(0.0) && effect.estimate.abs() > self.matters_from());
        let by = quantile::mean(&self.unsteady.effects).unwrap_or(0.0);
        let of = self.unsteady.of;
        found.add(shown, what, format!("{count} of {of} launches {}", phrase(what, by)), remedy_for_unsteady(what));
    }

    fn cold_turns(&self, found: &mut Findings) {
        let Some((noted, sure)) = self.over_launches(|launch| launch.first_ratio) else { return };
        let samples = self.calibration.samples_per_turn.max(1) as f64;
        let shown = (sure.low - 1.0) / samples > self.matters_from();
        if shown || noted.low > 1.0 + COLD {
            found.add(
                shown,
                WarningCode::ColdTurns,
                format!(
                    "the first sample of a turn is still {:.1} % slower than the others, which makes the time {:.1} % longer",
                    100.0 * (noted.estimate - 1.0),
                    100.0 * (noted.estimate - 1.0) / samples
                ),
                "each switch refills the caches; measure the case alone (--filter, and one --runtime)",
            );
        }
    }

    fn launch_spread(&self, found: &mut Findings) {
        let [robust, plain] = deviations_of_launches(self.figures).map(|deviation| deviation / self.time());
        if self.summary.launches > 1 && !self.summary.below_resolution && robust > LAUNCH_SPREAD {
            found.add(
                plain > LAUNCH_SPREAD_SHOWN,
                WarningCode::LaunchSpread,
                format!("launches differ by {:.1} % (standard deviation); the interval includes it", 100.0 * plain.min(robust)),
                "memory layout or the machine's state changes from process to process: more launches narrow the interval, more samples don't",
            );
        }
    }

    fn outliers(&self, found: &mut Findings) {
        let severe = self.summary.outliers.low_severe + self.summary.outliers.high_severe;
        let share = severe as f64 / self.summary.samples.max(1) as f64;
        if self.summary.samples < 20 || share <= OUTLIERS {
            return;
        }
        // Where workers report CPU time, others' work is off the time already, and `typical` shows the subject's own.
        let told = self.launches.iter().flat_map(|l| l.turns_of(&Subject::Case)).any(|turn| turn.stretch.is_some());
        let effect = outliers::severe_share_of_mean(self.samples).abs() / self.time();
        found.add(
            !told && effect > self.matters_from(),
            WarningCode::Outliers,
            format!(
                "{:.0} % of the samples lie far outside the rest and make the mean {:.1} % longer",
                100.0 * share,
                100.0 * effect
            ),
            if told {
                "the subject does more work in some calls, or the machine slows some down; the time of other processes is already subtracted"
            } else {
                "another program runs on this core, or the subject does more work in some calls: end the program, or use another core (--cpus)"
            },
        );
    }

    fn first_calls(&self, found: &mut Findings) {
        let summary = self.summary;
        if let Some(surplus) = summary.overhead.surplus.filter(|s| s.low > 0.0 && !summary.below_resolution)
            && is_short(self.calibration)
        {
            found.add(
                false,
                WarningCode::FirstCalls,
                format!(
                    "each sample takes {} besides its calls (a set-up, or slow first calls after a clock read), which Tare \
                     subtracts",
                    in_words(surplus.estimate)
                ),
                "nothing to do: the time of a call doesn't include it; set-up outside the timed code avoids it",
            );
        }
    }

    fn single(&self) -> Option<SingleCall> {
        SingleCall::of(self.calibration, self.summary, self.step)
    }

    /// Tare chooses one call only where the clock is no part of it worth a word, so who is told has chosen it, or their source has.
    fn single_call(&self, found: &mut Findings) {
        let Some(single) = self.single().filter(SingleCall::is_noted) else { return };
        let beside = if single.surplus > single.clock() {
            format!("{} that a first call takes more than later calls", in_words(single.surplus))
        } else {
            format!("{} of the clock's own", in_words(single.clock()))
        };
        let short = if single.is_too_short() { ": one call is too short for the clock here" } else { "" };
        let what = if single.by_slope {
            "the time comes from samples of more calls, but spread and distribution are those of single calls"
        } else {
            "the time includes what the first call after a clock read takes more than later calls"
        };
        let message = format!("a sample is one call, {} with {beside}{short}; {what}", in_words(single.sample));
        let remedy = format!(
            "take {} calls a sample (--calls {0}, or in the source; --calls auto finds the number); with a set-up before \
             each call, every call is a first call",
            single.calls_that_do()
        );
        found.add(single.is_too_short(), WarningCode::SingleCall, message, &remedy);
    }

    /// The mean over launches, with the interval at which it is noted and that at which it is shown.
    fn over_launches(&self, value: fn(&LaunchFigures) -> Option<f64>) -> Option<(Estimate, Estimate)> {
        let values: Vec<f64> = self.figures.iter().filter_map(value).collect();
        let at = |confidence| student_interval(&values, confidence).filter(|_| values.len() >= 3);
        Some((at(CONFIDENCE)?, at(SHOWN_CONFIDENCE)?))
    }
}

/// Standard deviation of launches beyond what the scatter within them explains: the robust one, by which a single launch that is off isn't how
/// launches differ, and the plain one, which shows more often that they do.
fn deviations_of_launches(figures: &[LaunchFigures]) -> [f64; 2] {
    let mut times: Vec<f64> = figures.iter().map(|launch| launch.tared.time).collect();
    quantile::sort(&mut times);
    let plain = quantile::standard_deviation(&times).unwrap_or(0.0);
    let robust = if times.len() < 6 { plain } else { 1.4826 * quantile::mad(&times).unwrap_or(0.0) };
    let within = figures.iter().map(|launch| launch.within.powi(2)).sum::<f64>() / figures.len() as f64;
    [robust, plain].map(|deviation| (deviation.powi(2) - within).max(0.0).sqrt())
}

fn phrase(what: WarningCode, by: f64) -> String {
    let percent = 100.0 * by.abs();
    match what {
        WarningCode::WarmsUp => format!("begin {percent:.1} % slower than they go on"),
        WarningCode::SlowsDown => {
            format!("get slower as they go on: their last quarter is {percent:.1} % slower than the whole")
        }
        _ if by < 0.0 => {
            format!("never reach a steady state: their last quarter is {percent:.1} % faster than the whole")
        }
        _ => format!("never reach a steady state: their last quarter is {percent:.1} % slower than the whole"),
    }
}

fn remedy_for_unsteady(what: WarningCode) -> &'static str {
    match what {
        WarningCode::WarmsUp => {
            "the samples before the steady part are left out of the estimate; a longer launch has more of it (--budget)"
        }
        WarningCode::SlowsDown => "the subject may keep state or leak: reset it in a hook before each sample",
        _ => {
            "read the distribution, not one number; a launch that lasts longer may settle: give more time to as many launches (--launches 6 --budget 10s)"
        }
    }
}

/// With as many digits as tell them apart.
fn list(peaks: &[f64]) -> String {
    let peaks = &peaks[..peaks.len().min(4)];
    let shown = |more: usize| -> Vec<String> {
        let one = |&peak: &f64| {
            let unit = tare_samples::TimeUnit::fitting(peak);
            let value = peak / unit.nanoseconds();
            let decimals = more + usize::from(value < 100.0);
            format!("{value:.decimals$} {}", unit.symbol())
        };
        peaks.iter().map(one).collect()
    };
    let differ = |shown: &Vec<String>| shown.iter().collect::<BTreeSet<_>>().len() == shown.len();
    (0..3).map(shown).find(differ).unwrap_or_else(|| shown(3)).join(", ")
}

/// Nanoseconds with three digits or so and their unit.
fn in_words(ns: f64) -> String {
    match ns.abs() {
        less if less < 1e4 => format!("{ns:.0} ns"),
        less if less < 1e7 => format!("{:.0} µs", ns / 1e3),
        _ => format!("{:.0} ms", ns / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn figures_that_differ_are_told_apart() {
        assert_eq!(list(&[170.2, 161.4]), "170 ns, 161 ns");
        assert_eq!(list(&[1_104.0, 1_149.0, 1_201.0]), "1.10 µs, 1.15 µs, 1.20 µs");
        assert_eq!(list(&[3.52, 3.49]), "3.52 ns, 3.49 ns");
        assert_eq!(list(&[2.0, 2.0]), "2.0000 ns, 2.0000 ns");
    }
}
