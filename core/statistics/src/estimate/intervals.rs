//! Intervals over launches, and what launches can't show added to them.

use tare_samples::Calibration;

use super::CONFIDENCE;
use super::figures::is_short;
use crate::autocorrelation::{inflation, lag_one};
use crate::quantile::{self, median, variance};
use crate::summary::Estimate;
use crate::{mean_interval, normal, rank_interval, student};

/// What one launch alone knows of its own scatter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Single {
    /// Standard error of its figure; `None` where it has but one sample, which says nothing of its own scatter.
    pub(super) error: Option<f64>,
    /// Degrees of freedom of that.
    pub(super) freedom: f64,
}

impl Single {
    /// Of a figure whose scatter within a launch is no matter: one launch has an interval of no width.
    pub(super) const EXACT: Self = Self { error: Some(0.0), freedom: 1.0 };

    pub(super) fn of(errors: &[f64], freedom: f64) -> Self {
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let error = quantile::mean(&squares).map(f64::sqrt).filter(|_| freedom > 0.0);
        Self { error, freedom }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { error: self.error.map(|error| error * factor), ..self }
    }

    /// The interval of the only launch's figure: Student's, or none.
    fn interval(self, estimate: f64, upper: f64) -> Estimate {
        let Some(error) = self.error else { return Estimate::unbounded(estimate) };
        let half_width = if error > 0.0 { student::quantile(upper, self.freedom.max(1.0)) * error } else { 0.0 };
        Estimate { estimate, low: estimate - half_width, high: estimate + half_width }
    }
}

/// The median over launches with its interval: rank-based from as many launches on as the confidence needs (6 for 95 %);
/// Student's over fewer; over one the scatter within it is all there is, and a warning says so.
pub(super) fn median_over_launches(values: &[f64], single: Single, confidence: f64) -> Estimate {
    let mut sorted = values.to_vec();
    quantile::sort(&mut sorted);
    let centre = median(&sorted).unwrap_or(0.0);
    if let Some(interval) = rank_interval::interpolated(&sorted, confidence) {
        return interval;
    }
    let upper = 0.5 + confidence / 2.0;
    let Some(variance) = variance(&sorted) else { return single.interval(centre, upper) };
    // √(π/2): a median scatters that much more than the mean that Student's t is made for.
    let n = sorted.len() as f64;
    let widening = if sorted.len() > 2 { std::f64::consts::FRAC_PI_2.sqrt() } else { 1.0 };
    let half_width = student::quantile(upper, n - 1.0) * (variance / n).sqrt() * widening;
    Estimate { estimate: centre, low: centre - half_width, high: centre + half_width }
}

/// The mean over launches with its interval: an expectation, so no launch is left out, however far it lies from the others. Student's, widened
/// where successive launches go together; over one launch the scatter within it is all there is, and a warning says so.
///
/// Degrees of freedom stay those of as many launches as there are, other than in [`mean_interval::successive_interval`]: of nine launches that
/// have nothing to do with each other two in a hundred seem to go together by 0.6, and their interval would be ten times as wide.
///
/// Counted in `tests/simulation/mean_cost.rs`, with what it can't do: what hits a tenth of launches is in the interval of those runs that have
/// met such a launch.
pub(super) fn mean_over_launches(values: &[f64], single: Single, confidence: f64) -> Estimate {
    let n = values.len() as f64;
    // By so much the coefficient of a few values is too small (Marriott & Pope, Biometrika 41, 1954).
    let together = lag_one(values).filter(|_| n > 2.0).map_or(0.0, |r| r + (1.0 + 3.0 * r) / n);
    match mean_interval::student_interval(values, confidence) {
        Some(Estimate { estimate, low, high }) => {
            let half_width = (high - low) / 2.0 * inflation(together);
            Estimate { estimate, low: estimate - half_width, high: estimate + half_width }
        }
        None => single.interval(values.first().copied().unwrap_or(0.0), 0.5 + confidence / 2.0),
    }
}

/// A time that comes of the slope between two sizes, kept within `raw`, the share of a call in a whole sample with clock, loop and set-up in it:
/// a slope of noisy samples can exceed that, which no call does. Where even its lower end lies above, calls take longer the more of them are
/// made in a row; a warning says so, and nothing is changed. Other times are tared from the sample itself and lie within it anyway.
pub(super) fn within_raw(time: Estimate, raw: &Estimate, calibration: &Calibration) -> Estimate {
    if !is_short(calibration) || time.estimate <= raw.estimate || time.low > raw.high {
        return time;
    }
    Estimate { estimate: raw.estimate, low: time.low.min(raw.low), high: time.high.min(raw.high) }
}

/// Uncertainty that launches can't show (Type B), in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TypeB {
    /// Standard uncertainty.
    pub(super) standard: f64,
    /// How far all of it together can reach at the very most: rectangular terms end somewhere.
    pub(super) reach: f64,
}

/// Adds Type B uncertainty to an interval, in quadrature on either side (JCGM 100:2008, 5.1.2 and 6.2). The normal quantile by which a standard
/// uncertainty is expanded would carry a single rectangular term beyond its own ends, 1.96/√3 = 1.13 times as far: it isn't carried there.
pub(super) fn expand(interval: &Estimate, type_b: TypeB) -> Estimate {
    let expanded = (normal::quantile(0.5 + CONFIDENCE / 2.0) * type_b.standard).min(type_b.reach);
    let Estimate { estimate, low, high } = *interval;
    Estimate {
        estimate,
        low: estimate - (estimate - low).hypot(expanded),
        high: estimate + (high - estimate).hypot(expanded),
    }
}
