//! Launches to a [`Summary`], under correction policy 2.
//!
//! The unit of evidence is the launch. Each gives two tared figures: the mean of its own samples less its own null, and the same of
//! medians. `time`, the expected cost of a call, is the mean of the former over launches; `typical`, what an undisturbed call takes, the
//! median of the latter. Intervals are over launches, so samples within one are never taken for independent evidence.

mod budget;
mod differing;
mod distribution;
mod figures;
mod intervals;
mod means;
mod single_call;
mod tare;
mod unsteady;
mod untared;
mod warnings;

use std::collections::BTreeMap;

use tare_samples::{Calibration, Correction, Launch};

use crate::allocation::Spread;
use crate::quantile::{self, median};
use crate::summary::{Descriptive, Estimate, Overhead, Summary};
use crate::{density, outliers, peaks};
use budget::{Drift, Known, budget};
pub use distribution::{
    Bins, Distribution, LaunchSpread, Stretch, Timed, distribution, tared_samples, untared_distribution,
};
pub use figures::clock_step;
use figures::{LaunchFigures, of_launch, step_of};
use intervals::{Single, expand, mean_over_launches, median_over_launches, within_raw};
use unsteady::Unsteady;
pub use untared::{GivenFigures, untared};
use warnings::{Findings, Judged};

/// Confidence that every interval states.
pub const CONFIDENCE: f64 = 0.95;
/// Confidence at which intervals are built that decide when to stop. With the looks of
/// [`is_precision_look`](crate::looks::is_precision_look) they cover the truth in about 96 to 98 % of simulated runs,
/// whatever the ratio of the wanted precision to the spread; built at 95 % that sinks to 91 %.
pub const SEQUENTIAL_CONFIDENCE: f64 = 0.98;
/// Typical calls are known where all launches have samples that nobody interrupted, or at least so many.
const LEAST_UNDISTURBED: usize = 6;
/// By less than this part of a call nothing is told from an empty subject where calls overlap with what they call.
const NOTHING_OF_A_CALL: f64 = 0.1;
/// Bins of [`Summary::sketch`].
const SKETCH_BINS: usize = 24;

/// Everything that launches of one variant say of it.
///
/// Launches without samples of the case or the null are passed over; without any the summary is empty (0 launches).
/// Times are nanoseconds per call.
///
/// The interval of `time` combines that of a mean over launches, widened where successive launches go together (Type A: it holds what
/// scatters within and between launches, the null's share included), with what launches can't show (Type B: clock resolution, overlap of
/// call and subject, drift), each expanded by the normal 97.5 % quantile and added in quadrature (JCGM 100:2008, 5.1.2 and 6.2). That of
/// `typical` is the rank interval over launches with the same terms of Type B.
pub fn estimate(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Summary {
    at_confidence(launches, calibration, correction, CONFIDENCE)
}

/// The same for launches that were stopped as soon as the interval was narrow enough: intervals are built at
/// [`SEQUENTIAL_CONFIDENCE`], so that they cover the truth with [`CONFIDENCE`] although they were looked at on the way.
pub fn estimate_sequential(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Summary {
    at_confidence(launches, calibration, correction, SEQUENTIAL_CONFIDENCE)
}

fn at_confidence(launches: &[Launch], calibration: &Calibration, correction: Correction, confidence: f64) -> Summary {
    let unsteady = Unsteady::of(launches, calibration);
    let figures: Vec<LaunchFigures> = launches
        .iter()
        .enumerate()
        .filter_map(|(number, launch)| of_launch(launch, calibration, correction, unsteady.skip(number)))
        .collect();
    if figures.is_empty() {
        return Summary { confidence: CONFIDENCE, iterations: calibration.iterations, ..Summary::default() };
    }
    let made = calibration.iterations.max(1) as f64;
    let column = |value: fn(&LaunchFigures) -> f64| -> Vec<f64> { figures.iter().map(value).collect() };
    let freedom = figures[0].freedom;
    let single = Single::of(&column(|launch| launch.within), freedom);
    let single_mean = Single::of(&column(|launch| launch.mean_within), freedom);
    let over = |values: &[f64], single: Single| median_over_launches(values, single, confidence);
    let type_a = mean_over_launches(&column(|launch| launch.mean.time), single_mean, confidence);
    let raw = mean_over_launches(&column(|launch| launch.mean.raw), single_mean, confidence);
    let median = over(&column(|launch| launch.tared.time), single);
    let undisturbed: Vec<f64> = figures.iter().filter_map(|launch| launch.typical).collect();
    let typical = (undisturbed.len() == figures.len() || undisturbed.len() >= LEAST_UNDISTURBED)
        .then(|| over(&undisturbed, single));
    let call = over(&column(|launch| launch.tared.call), single);
    let clock = over(&column(|launch| launch.clock), Single::EXACT);
    let optional = |value: fn(&LaunchFigures) -> Option<f64>, times: f64| -> Option<Estimate> {
        let values: Vec<f64> = figures.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| over(&values, single.scaled(times)))
    };
    let surplus = optional(|launch| launch.tared.surplus, made);
    let pause = optional(|launch| launch.tared.pause, 1.0);

    let step = step_of(launches);
    let drift = Drift::of(&column(|launch| launch.tared.raw));
    let known = Known { calibration, correction, step, call };
    let (uncertainty, type_b) = budget(&figures, &type_a, confidence, drift, &known);
    let typical_raw = over(&column(|launch| launch.tared.raw), single);
    let time = within_raw(expand(&type_a, type_b), &raw, calibration);
    let typical = typical.map(|typical| within_raw(expand(&typical, type_b), &typical_raw, calibration));
    let typical_raw = typical_raw.estimate;

    let mut samples: Vec<f64> = figures.iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    quantile::sort(&mut samples);
    let statistics = describe(&samples, typical_raw - median.estimate);
    let peaks: Vec<f64> = modes(&figures, median.estimate, step / made);
    let mut summary = Summary {
        raw,
        time,
        typical,
        differing: typical.and_then(|typical| differing::differing(&figures, &time, &typical)),
        confidence: CONFIDENCE,
        between_runs: None,
        overhead: Overhead { clock, call, surplus, pause },
        uncertainty,
        statistics,
        peaks,
        outliers: outliers::tukey(&samples),
        iterations: calibration.iterations,
        launches: figures.len() as u64,
        samples: samples.len() as u64,
        below_resolution: time.is_bounded() && is_nothing(&time, &call, correction),
        sketch: sketch(&samples, &statistics),
        kernels: kernels(&figures),
        warnings: Vec::new(),
        facts: Vec::new(),
    };
    let judged = Judged {
        summary: &summary,
        launches,
        figures: &figures,
        calibration,
        unsteady: &unsteady,
        drift,
        step,
        samples: &samples,
    };
    Findings { warnings: summary.warnings, facts: summary.facts } = judged.findings();
    summary
}

/// Whether the interval holds 0, or what can't be told from it: where a call may hide what it calls wholly or not at all, an empty subject's lower end is 0 but for noise.
fn is_nothing(time: &Estimate, call: &Estimate, correction: Correction) -> bool {
    let noise = match correction {
        Correction::Serial => 0.0,
        Correction::Overlapping => NOTHING_OF_A_CALL * call.estimate.max(0.0),
    };
    time.low <= noise && time.high >= 0.0
}

/// How the tared time scatters between launches and between rounds, in ns²: what decides how launches and rounds are best
/// shared. `None` for fewer than two launches of two rounds.
pub fn spread(launches: &[Launch], calibration: &Calibration) -> Option<Spread> {
    let rounds: Vec<Vec<f64>> = launches
        .iter()
        .filter_map(|launch| Some(of_launch(launch, calibration, Correction::Serial, 0)?.mean_rounds))
        .collect();
    Spread::estimate(&rounds)
}

/// What one launch says, in nanoseconds per call.
pub(crate) struct LaunchTimes {
    /// Expected cost: its mean, tared, other processes' work left out.
    pub(crate) time: f64,
    /// What an undisturbed call takes, tared; not a number where none was spared interruption.
    pub(crate) typical: f64,
    /// Median time of each kernel.
    pub(crate) kernels: BTreeMap<String, f64>,
}

/// The times of each launch that has samples of the case and the null; a warm-up is left out as [`estimate`] does.
pub(crate) fn launch_times(
    launches: &[Launch],
    calibration: &Calibration,
    correction: Correction,
) -> impl Iterator<Item = LaunchTimes> {
    let unsteady = Unsteady::of(launches, calibration);
    launches.iter().enumerate().filter_map(move |(number, launch)| {
        let figures = of_launch(launch, calibration, correction, unsteady.skip(number))?;
        let typical = figures.typical.unwrap_or(f64::NAN);
        Some(LaunchTimes { time: figures.mean.time, typical, kernels: figures.kernels })
    })
}

/// Descriptive figures of sorted samples; `overhead` is what was taken off each.
fn describe(sorted: &[f64], overhead: f64) -> Descriptive {
    let (Some(mean), Some(median)) = (quantile::mean(sorted), median(sorted)) else { return Descriptive::default() };
    let stddev = quantile::standard_deviation(sorted).unwrap_or(0.0);
    let raw_mean = mean + overhead;
    Descriptive {
        mean,
        median,
        mode: density::silverman_bandwidth(sorted)
            .and_then(|bandwidth| density::mode(sorted, bandwidth))
            .unwrap_or(median),
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        stddev,
        rstdev: if raw_mean > 0.0 { stddev / raw_mean } else { 0.0 },
        mad: quantile::mad(sorted).unwrap_or(0.0),
        p95: quantile::quantile(sorted, 0.95).unwrap_or(median),
        p99: quantile::quantile(sorted, 0.99).unwrap_or(median),
    }
}

/// Modes within launches: each launch is moved to the common median first, so that launches that differ aren't modes.
fn modes(figures: &[LaunchFigures], centre: f64, resolution: f64) -> Vec<f64> {
    let mut centred: Vec<f64> = figures
        .iter()
        .flat_map(|launch| launch.samples.iter().map(move |time| time - launch.tared.time + centre))
        .collect();
    quantile::sort(&mut centred);
    peaks::peaks(&centred, resolution).iter().map(|peak| peak.location).collect()
}

/// Density of the samples within three interquartile ranges of the quartiles, scaled to 1: beyond those fences lie the severe
/// outliers, which would leave one bar for all the rest.
fn sketch(sorted: &[f64], statistics: &Descriptive) -> Vec<f64> {
    let (Some(first), Some(third)) = (quantile::quantile(sorted, 0.25), quantile::quantile(sorted, 0.75)) else {
        return Vec::new();
    };
    let reach = 3.0 * (third - first);
    let (low, high) = (statistics.min.max(first - reach), statistics.max.min(third + reach));
    if low >= high {
        return Vec::new();
    }
    let mut bins = [0.0f64; SKETCH_BINS];
    for &value in sorted.iter().filter(|value| (low..=high).contains(*value)) {
        let bin = ((value - low) / (high - low) * SKETCH_BINS as f64) as usize;
        bins[bin.min(SKETCH_BINS - 1)] += 1.0;
    }
    let most = bins.iter().copied().fold(0.0, f64::max);
    bins.iter().map(|count| count / most).collect()
}

fn kernels(figures: &[LaunchFigures]) -> Vec<(String, Estimate)> {
    let mut names: Vec<&String> = figures.iter().flat_map(|launch| launch.kernels.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .map(|name| {
            let times: Vec<f64> = figures.iter().filter_map(|launch| launch.kernels.get(name).copied()).collect();
            (name.clone(), median_over_launches(&times, Single::EXACT, CONFIDENCE))
        })
        .collect()
}
