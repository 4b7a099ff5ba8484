//! Launches to a [`Summary`]: the estimates of DESIGN §3 under correction policy 1.
//!
//! The unit of evidence is the launch. Each gives one tared time, the median of its own samples less its own null; the
//! result is the median of those, and its interval is a distribution-free one over launches, so samples within a launch
//! are never taken for independent evidence.

mod figures;
mod unsteady;
mod warnings;

use std::collections::BTreeMap;

use tare_samples::{Calibration, Correction, Launch};

use crate::allocation::Spread;
use crate::pausing;
use crate::quantile::{self, median, select_median, variance};
use crate::{
    Descriptive, Estimate, Overhead, Summary, UncertaintyBudget, density, normal, outliers, peaks, rank_interval,
    student, trend,
};
pub use figures::clock_step;
use figures::{LaunchFigures, of_launch, step_of};
use unsteady::Unsteady;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;
/// Confidence at which intervals are built that decide when to stop. With looks at 9, 13, 19, 28, 42 and 60 launches they cover
/// the truth in about 96 to 98 % of simulated runs, whatever the ratio of the wanted precision to the spread; built at 95 % that
/// sinks to 91 %.
pub const SEQUENTIAL_CONFIDENCE: f64 = 0.98;
/// Bins of [`Summary::sketch`].
const SKETCH_BINS: usize = 24;

/// A trend over launches is taken for drift under this p-value: six launches in perfect order reach it, by chance once
/// in 360.
const DRIFT_P_VALUE: f64 = 0.01;

/// Everything that launches of one variant say of it.
///
/// Launches without samples of the case or the null are passed over; without any the summary is empty (0 launches).
/// Times are nanoseconds per call.
///
/// The interval of `time` combines the rank interval over launches (Type A: it holds what scatters within and between
/// launches, the null's share included) with what launches can't show (Type B: clock resolution, overlap of call and
/// subject, drift), each expanded by the normal 97.5 % quantile and added in quadrature (JCGM 100:2008, 5.1.2 and 6.2).
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
    let single = Single { error: root_mean_square(&column(|launch| launch.within)), freedom: figures[0].freedom };
    let over = |values: &[f64], single: Single| over_launches(values, single, confidence);
    let type_a = over(&column(|launch| launch.tared.time), single);
    let raw = over(&column(|launch| launch.tared.raw), single);
    let call = over(&column(|launch| launch.tared.call), single);
    let clock = over(&column(|launch| launch.clock), Single::default());
    let optional = |value: fn(&LaunchFigures) -> Option<f64>, times: f64| -> Option<Estimate> {
        let values: Vec<f64> = figures.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| over(&values, Single { error: single.error * times, ..single }))
    };
    let surplus = optional(|launch| launch.tared.surplus, made);
    let pause = optional(|launch| launch.tared.pause, 1.0);

    let step = step_of(launches);
    let drift = drift(&column(|launch| launch.tared.raw));
    let uncertainty = budget(&figures, &type_a, confidence, step, drift, calibration, correction, &call);
    let type_b =
        (uncertainty.combined.powi(2) - uncertainty.within_launch.powi(2) - uncertainty.between_launch.powi(2))
            .max(0.0)
            .sqrt();
    let time = expand(&type_a, type_b);

    let mut samples: Vec<f64> = figures.iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    quantile::sort(&mut samples);
    let statistics = describe(&samples, raw.estimate - time.estimate);
    let peaks: Vec<f64> = modes(&figures, type_a.estimate, step / made);
    let mut summary = Summary {
        raw,
        time,
        confidence: CONFIDENCE,
        overhead: Overhead { clock, call, surplus, pause },
        uncertainty,
        statistics,
        peaks,
        outliers: outliers::tukey(&samples),
        iterations: calibration.iterations,
        launches: figures.len() as u64,
        samples: samples.len() as u64,
        below_resolution: time.holds(0.0),
        sketch: sketch(&samples, &statistics),
        kernels: kernels(&figures),
        warnings: Vec::new(),
    };
    summary.warnings = warnings::of(&summary, &figures, calibration, &unsteady);
    summary
}

/// How the tared time scatters between launches and between rounds, in ns²: what decides how launches and rounds are best
/// shared. `None` for fewer than two launches of two rounds.
pub fn spread(launches: &[Launch], calibration: &Calibration) -> Option<Spread> {
    let rounds: Vec<Vec<f64>> = launches
        .iter()
        .filter_map(|launch| Some(of_launch(launch, calibration, Correction::Serial, 0)?.rounds))
        .collect();
    Spread::estimate(&rounds)
}

/// Tared time per call and median time of each kernel, of each launch that has samples of the case and the null; a warm-up
/// is left out as [`estimate`] does.
pub(crate) fn launch_times(
    launches: &[Launch],
    calibration: &Calibration,
    correction: Correction,
) -> impl Iterator<Item = (f64, BTreeMap<String, f64>)> {
    let unsteady = Unsteady::of(launches, calibration);
    launches.iter().enumerate().filter_map(move |(number, launch)| {
        let figures = of_launch(launch, calibration, correction, unsteady.skip(number))?;
        Some((figures.tared.time, figures.kernels))
    })
}

/// What one launch alone knows of its own scatter.
#[derive(Debug, Clone, Copy, Default)]
struct Single {
    /// Standard error of its figure.
    error: f64,
    /// Degrees of freedom of that.
    freedom: f64,
}

/// The median over launches with its interval: rank-based from as many launches on as the confidence needs (6 for 95 %);
/// Student's over fewer; over one the scatter within it is all there is, and a warning says so.
fn over_launches(values: &[f64], single: Single, confidence: f64) -> Estimate {
    let mut sorted = values.to_vec();
    quantile::sort(&mut sorted);
    let centre = median(&sorted).unwrap_or(0.0);
    if let Some(interval) = rank_interval::interpolated(&sorted, confidence) {
        return interval;
    }
    let upper = 0.5 + confidence / 2.0;
    let half_width = match variance(&sorted) {
        // √(π/2): a median scatters that much more than the mean that Student's t is made for.
        Some(variance) => {
            let n = sorted.len() as f64;
            let widening = if sorted.len() > 2 { std::f64::consts::FRAC_PI_2.sqrt() } else { 1.0 };
            student::quantile(upper, n - 1.0) * (variance / n).sqrt() * widening
        }
        None if single.error > 0.0 => student::quantile(upper, single.freedom.max(1.0)) * single.error,
        None => 0.0,
    };
    Estimate { estimate: centre, low: centre - half_width, high: centre + half_width }
}

/// Adds a Type B standard uncertainty to an interval, in quadrature on either side.
fn expand(interval: &Estimate, type_b: f64) -> Estimate {
    let expanded = normal::quantile(0.5 + CONFIDENCE / 2.0) * type_b;
    let Estimate { estimate, low, high } = *interval;
    Estimate {
        estimate,
        low: estimate - (estimate - low).hypot(expanded),
        high: estimate + (high - estimate).hypot(expanded),
    }
}

/// Relative half-width of a trend over launches as a standard uncertainty (rectangular: JCGM 100:2008, 4.3.7), 0 where
/// no trend is seen. Launches are evenly spaced in time as good as exactly.
fn drift(raw: &[f64]) -> f64 {
    let Some(kendall) = trend::kendall(&positions(raw.len()), raw) else { return 0.0 };
    let centre = select_median(&mut raw.to_vec()).unwrap_or(0.0);
    if raw.len() < 6 || kendall.p_value >= DRIFT_P_VALUE || centre <= 0.0 {
        return 0.0;
    }
    let slope = trend::theil_sen(&positions(raw.len()), raw, CONFIDENCE).map_or(0.0, |line| line.slope.estimate);
    (slope * (raw.len() - 1) as f64 / 2.0 / centre).abs() / 3f64.sqrt()
}

fn positions(count: usize) -> Vec<f64> {
    (0..count).map(|position| position as f64).collect()
}

/// The uncertainty budget, standard uncertainties in nanoseconds per call.
#[allow(clippy::too_many_arguments)]
fn budget(
    figures: &[LaunchFigures],
    type_a: &Estimate,
    confidence: f64,
    step: f64,
    drift: f64,
    calibration: &Calibration,
    correction: Correction,
    call: &Estimate,
) -> UncertaintyBudget {
    let launches = figures.len() as f64;
    let made = calibration.iterations.max(1) as f64;
    let of_launches = type_a.half_width() / normal::quantile(0.5 + confidence / 2.0);
    let within = root_mean_square(&figures.iter().map(|launch| launch.within).collect::<Vec<_>>());
    let within_launch = (within / launches.sqrt()).min(of_launches);
    let between_launch = (of_launches.powi(2) - within_launch.powi(2)).max(0.0).sqrt();
    // A reading is off by up to half a step: rectangular, step/√12 (JCGM 100:2008, F.2.2.1); a time has two
    // readings, a difference to the null four.
    let (readings, span) = match calibration.far.as_slice() {
        &[first, second] => (8.0f64, (second - first) as f64),
        _ => (4.0, made),
    };
    let clock_resolution = step / 12f64.sqrt() * readings.sqrt() / span;
    let clocks: Vec<f64> = figures.iter().map(|launch| launch.clock).collect();
    let clock_error = (variance(&clocks).unwrap_or(0.0) / launches).sqrt() / made;
    let (clock_cost, call) = match correction {
        // Case and null carry the same clock, and the null's scatter is in that of the launches: counted once.
        Correction::Serial => (0.0, 0.0),
        // The true correction lies somewhere from 0 to the whole call: rectangular, call/√12. The clock enters by 1 − ½.
        Correction::Overlapping => (0.5 * clock_error, call.estimate.abs() / 12f64.sqrt()),
    };
    // The pilot saw the set-up of a compared benchmark in one launch: it may be off by half of itself, rectangular.
    let setups: Vec<f64> = figures.iter().filter_map(|launch| launch.tared.surplus).collect();
    let setup =
        if calibration.setup_ppm > 0 { 0.5 * quantile::mean(&setups).unwrap_or(0.0) / made / 3f64.sqrt() } else { 0.0 };
    // What stands between a pause pair and the next hides a part of it, as of the loop, and has its own pace behind it: rectangular.
    let paused = match correction {
        Correction::Serial => 0.0,
        Correction::Overlapping => {
            let pairs: Vec<f64> = figures.iter().map(|launch| launch.tared.paused).collect();
            pausing::unknown_ns(quantile::mean(&pairs).unwrap_or(0.0), type_a.estimate) / 3f64.sqrt()
        }
    };
    let call = call.hypot(setup).hypot(paused);
    let drift = drift * type_a.estimate.abs();
    let combined = [within_launch, between_launch, clock_resolution, clock_cost, call, drift]
        .iter()
        .map(|term| term * term)
        .sum::<f64>()
        .sqrt();
    UncertaintyBudget { within_launch, between_launch, clock_resolution, clock_cost, call, drift, combined }
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
            (name.clone(), over_launches(&times, Single::default(), CONFIDENCE))
        })
        .collect()
}

fn root_mean_square(values: &[f64]) -> f64 {
    mean_of(values.iter().map(|value| value * value)).sqrt()
}

fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}
