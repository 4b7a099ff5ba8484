//! What the reader should know before believing a result. Warnings are values that carry their remedy.

use std::collections::BTreeSet;

use tare_samples::Calibration;

use super::figures::{LaunchFigures, is_short};
use super::unsteady::Unsteady;
use super::{CONFIDENCE, Single, over_launches};
use crate::{Summary, Warning, quantile};

/// Twice the calls may differ from twice the time by this much before it is called nonlinear.
const NONLINEAR: f64 = 0.02;
/// A first sample may exceed the others of its turn by this much.
const COLD: f64 = 0.01;
/// Launches that scatter by more than this (as a fraction of the time) deserve a word.
const LAUNCH_SPREAD: f64 = 0.02;
/// Share of severe outliers that deserves a word.
const OUTLIERS: f64 = 0.05;

pub(super) fn of(
    summary: &Summary,
    figures: &[LaunchFigures],
    calibration: &Calibration,
    unsteady: &Unsteady,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String, remedy: &str| {
        warnings.push(Warning { code: code.to_owned(), message, remedy: remedy.to_owned() });
    };
    match summary.launches {
        1 => warn(
            "few-launches",
            "one launch shows nothing of how launches differ; the interval is of this launch alone".to_owned(),
            "measure at least 6 launches (--launches)",
        ),
        n @ 2..=5 => warn(
            "few-launches",
            format!("{n} launches are too few for a distribution-free interval; it assumes that they scatter normally"),
            "measure at least 6 launches (--launches)",
        ),
        _ => {}
    }
    if summary.below_resolution {
        warn(
            "below-resolution",
            "the interval holds 0: the subject weighs as much as an empty one, or its work was optimised away"
                .to_owned(),
            "if it should do work, use its result; else give each call more to do, or measure longer (--budget)",
        );
    }
    if summary.time.high < 0.0 {
        warn(
            "negative",
            "the whole interval lies below 0: the subject reads less than an empty one, so the null isn't matched to it here".to_owned(),
            "take it as nothing that can be seen, and measure again on a quieter machine; if it stays, please report it",
        );
    }
    if let Some(ratio) = interval(figures, |launch| launch.far_ratio)
        && (ratio.low > 1.0 + NONLINEAR || ratio.high < 1.0 - NONLINEAR)
    {
        warn(
            "nonlinear",
            format!("twice the calls take {:.2} times the time", 2.0 * ratio.estimate),
            "the subject keeps state from call to call, or work is hoisted out of the loop: reset it in a hook before each sample, or fix the calls (--iterations)",
        );
    }
    if summary.uncertainty.drift > 0.0 {
        warn(
            "drift",
            format!(
                "the machine's speed changed steadily over the launches, by {:.1} % from the first to the last; the interval is widened for it",
                200.0 * 3f64.sqrt() * summary.uncertainty.drift / summary.time.estimate.abs().max(f64::MIN_POSITIVE)
            ),
            "let the machine settle (temperature, frequency, neighbours) and measure again",
        );
    }
    if summary.peaks.len() > 1 && !summary.below_resolution {
        warn(
            "multimodal",
            format!("samples cluster around {}", list(&summary.peaks)),
            "the subject takes different paths, or the machine has different states; the median lies in the larger cluster, read the others too",
        );
    }
    if let Some((what, count)) = unsteady.kind {
        warn(what, format!("{count} of {} launches {}", unsteady.of, phrase(what)), remedy_for_unsteady(what));
    }
    if let Some(ratio) = interval(figures, |launch| launch.first_ratio)
        && ratio.low > 1.0 + COLD
    {
        warn(
            "cold-turns",
            format!(
                "the first sample of a turn is still {:.1} % slower than the others",
                100.0 * (ratio.estimate - 1.0)
            ),
            "caches are refilled after each switch; measure the case alone, or give it longer turns (--samples)",
        );
    }
    let between = deviation_of_launches(figures);
    if summary.launches > 1 && !summary.below_resolution && between > LAUNCH_SPREAD * summary.time.estimate.abs() {
        warn(
            "launch-spread",
            format!("launches differ by {:.1} % (standard deviation)", 100.0 * between / summary.time.estimate.abs()),
            "memory layout or the machine's state changes from process to process: more launches narrow the interval, more samples don't",
        );
    }
    let severe = summary.outliers.low_severe + summary.outliers.high_severe;
    if summary.samples >= 20 && severe as f64 > OUTLIERS * summary.samples as f64 {
        warn(
            "outliers",
            format!("{:.0} % of the samples lie far outside the rest", 100.0 * severe as f64 / summary.samples as f64),
            "something else runs on this core: close it, or pin to another (--cpus)",
        );
    }
    if is_short(calibration) {
        if let Some(surplus) = summary.overhead.surplus.filter(|surplus| surplus.low > 0.0 && !summary.below_resolution)
        {
            warn(
                "first-calls",
                format!(
                    "each sample takes {} beside its calls (a set-up, or first calls after a clock read that are dearer); that is \
                     taken off",
                    in_words(surplus.estimate)
                ),
                "nothing to mend: the time of a call is without it; set-up that stands outside of what is timed isn't there at all",
            );
        }
    } else if calibration.iterations <= 1 && summary.raw.estimate < 1000.0 * summary.overhead.clock.estimate {
        warn(
            "single-call",
            "one short call a sample: the first call after a clock read is dearer than later ones, and that can't be told apart here".to_owned(),
            "let more calls make a sample, in its source or with --iterations; what has to be set up for each call is called for the first time each time",
        );
    }
    warnings
}

/// Standard deviation of launches beyond what the scatter within them explains. The robust one: a single launch that is off
/// isn't how launches differ.
fn deviation_of_launches(figures: &[LaunchFigures]) -> f64 {
    let mut times: Vec<f64> = figures.iter().map(|launch| launch.tared.time).collect();
    quantile::sort(&mut times);
    let of_times = match times.len() {
        0..=5 => quantile::standard_deviation(&times).unwrap_or(0.0),
        _ => 1.4826 * quantile::mad(&times).unwrap_or(0.0),
    };
    let within = figures.iter().map(|launch| launch.within.powi(2)).sum::<f64>() / figures.len() as f64;
    (of_times.powi(2) - within).max(0.0).sqrt()
}

fn interval(figures: &[LaunchFigures], value: fn(&LaunchFigures) -> Option<f64>) -> Option<crate::Estimate> {
    let values: Vec<f64> = figures.iter().filter_map(value).collect();
    (values.len() >= 3).then(|| over_launches(&values, Single::default(), CONFIDENCE))
}

fn phrase(what: &str) -> &'static str {
    match what {
        "warms-up" => "begin slower than they go on",
        "slows-down" => "get slower as they go on",
        _ => "never reach a steady state",
    }
}

fn remedy_for_unsteady(what: &str) -> &'static str {
    match what {
        "warms-up" => {
            "the samples before the steady part are left out of the estimate; a longer launch has more of it (--budget)"
        }
        "slows-down" => "the subject may keep state or leak: reset it in a hook before each sample",
        _ => "read the distribution, not one number; fewer and longer launches may settle",
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
