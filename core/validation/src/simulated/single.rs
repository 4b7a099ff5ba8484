use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tare_engine::measure;
use tare_plan::{Group, Settings};
use tare_samples::Correction;
use tare_simulation::{SimulatedLauncher, Truth};
use tare_statistics::estimate;

use super::runs::spread;
use super::{Model, Quiet, group};

/// What many runs of one kind gave, each of one subject and without a comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountedRuns {
    /// Runs with an estimate.
    pub runs: u64,
    /// The interval of `time` holds the truth.
    pub covered: u64,
    /// Of `typical` that of typical calls; runs that have one.
    pub typical_covered: u64,
    /// Runs that have an estimate of typical calls.
    pub typical_defined: u64,
    /// Of each run: the relative error of `time`.
    pub errors: Vec<f64>,
    /// Half of the interval over the truth.
    pub half_widths: Vec<f64>,
    /// Of subjects with launches that are slower by chance: runs that met none of these.
    pub unmet: u64,
    /// Runs with a warning, by its code.
    pub warned: BTreeMap<String, u64>,
}

impl CountedRuns {
    /// Puts another count beside this one.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.covered += other.covered;
        self.typical_covered += other.typical_covered;
        self.typical_defined += other.typical_defined;
        self.errors.extend(other.errors);
        self.half_widths.extend(other.half_widths);
        self.unmet += other.unmet;
        for (code, count) in other.warned {
            *self.warned.entry(code).or_default() += count;
        }
    }

    /// Share of the intervals of `time` that hold the truth.
    pub fn coverage(&self) -> f64 {
        self.covered as f64 / self.runs.max(1) as f64
    }

    /// Share of the intervals of `typical` that hold the truth.
    pub fn typical_coverage(&self) -> f64 {
        self.typical_covered as f64 / self.typical_defined.max(1) as f64
    }

    /// Mean relative error of `time`.
    pub fn mean_error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64
    }

    /// Mean half-width over the truth.
    pub fn half_width(&self) -> f64 {
        self.half_widths.iter().sum::<f64>() / self.half_widths.len().max(1) as f64
    }
}

impl fmt::Display for CountedRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs: covered {:.2} % (typical {:.2} % of {}), half-width {:.3} %, mean error {:+.3} %, {} met no slow launch, warned {:?}",
            self.runs,
            100.0 * self.coverage(),
            100.0 * self.typical_coverage(),
            self.typical_defined,
            100.0 * self.half_width(),
            100.0 * self.mean_error(),
            self.unmet,
            self.warned
        )
    }
}

/// Measures the model's candidate by itself, once for each seed.
pub fn single_runs(model: &Model, settings: &Settings, seeds: Range<u64>) -> CountedRuns {
    spread(seeds, |seed| once(model, settings, seed)).into_iter().fold(CountedRuns::default(), |mut all, counted| {
        all.add(counted);
        all
    })
}

fn once(model: &Model, settings: &Settings, seed: u64) -> CountedRuns {
    let case = model.candidate().clone();
    let truth = Truth { seed, scale: model.scale, cases: vec![case.clone(), case.clone()] };
    let mut variants = group(&truth, 0).variants;
    variants.truncate(1);
    let alone = Group { case: variants[0].variant.id.clone(), pairs: Vec::new(), variants };
    let settings = Settings { seed: settings.seed ^ seed, ..settings.clone() };
    let mut launcher = SimulatedLauncher::new(truth);
    let measured = measure(&[alone], &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
    let Some(measurement) = measured.measurements.first().and_then(|variants| variants.first()) else {
        return CountedRuns::default();
    };
    let Some(calibration) = &measurement.calibration else { return CountedRuns::default() };
    let summary = estimate(&measurement.launches, calibration, Correction::Serial);
    let expected = case.expected_time_ns();
    let expected_typical = case.typical_time_ns(model.scale.call_ns, calibration.iterations);
    let typical = &summary.typical;
    CountedRuns {
        runs: 1,
        covered: u64::from(summary.time.holds(expected)),
        typical_covered: u64::from(typical.is_some_and(|typical| typical.holds(expected_typical))),
        typical_defined: u64::from(typical.is_some()),
        errors: vec![summary.time.estimate / expected - 1.0],
        half_widths: vec![summary.time.half_width() / expected],
        unmet: u64::from(case.launch_outliers > 0.0 && launcher.outlier_launches() == 0),
        warned: summary.warnings.iter().map(|warning| (warning.code.clone(), 1)).collect(),
    }
}
