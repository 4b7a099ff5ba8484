//! The uncertainty budget of `time` (ISO/BIPM GUM), and the part of it that launches can't show.

use tare_samples::{Calibration, Correction};

use super::figures::LaunchFigures;
use super::intervals::{Single, TypeB};
use crate::quantile::{self, select_median, variance};
use crate::summary::{Estimate, UncertaintyBudget};
use crate::{normal, pausing, trend};

/// A trend over launches is taken for drift under this p-value: six launches in perfect order reach it, by chance once
/// in 360.
const DRIFT_P_VALUE: f64 = 0.01;

/// Rectangular: half its width is √3 standard uncertainties (JCGM 100:2008, 4.3.7).
const SQRT_3: f64 = 1.732_050_807_568_877_2;

/// What is known beside the figures of launches.
pub(super) struct Known<'a> {
    pub(super) calibration: &'a Calibration,
    pub(super) correction: Correction,
    /// Step of the clock, in nanoseconds.
    pub(super) step: f64,
    /// Loop and call.
    pub(super) call: Estimate,
}

/// Steady change of the machine's speed over the launches.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Drift {
    /// From the first launch to the last, as a fraction of the time; 0 where no trend is seen.
    pub(super) change: f64,
    /// How probable such a trend is by chance.
    pub(super) p_value: f64,
}

impl Drift {
    /// Kendall's test and the slope of Theil and Sen. Launches are evenly spaced in time as good as exactly.
    pub(super) fn of(raw: &[f64]) -> Self {
        let positions: Vec<f64> = (0..raw.len()).map(|position| position as f64).collect();
        let Some(kendall) = trend::kendall(&positions, raw) else { return Self::default() };
        let centre = select_median(&mut raw.to_vec()).unwrap_or(0.0);
        if raw.len() < 6 || kendall.p_value >= DRIFT_P_VALUE || centre <= 0.0 {
            return Self::default();
        }
        let slope = trend::theil_sen(&positions, raw, super::CONFIDENCE).map_or(0.0, |line| line.slope.estimate);
        Self { change: (slope * (raw.len() - 1) as f64 / centre).abs(), p_value: kendall.p_value }
    }
}

/// The uncertainty budget of a time whose interval over launches is `type_a`, standard uncertainties in nanoseconds per call, and what of it
/// launches can't show. Where launches give no interval, their terms are 0: they aren't known.
pub(super) fn budget(
    figures: &[LaunchFigures],
    type_a: &Estimate,
    confidence: f64,
    drift: Drift,
    known: &Known<'_>,
) -> (UncertaintyBudget, TypeB) {
    let launches = figures.len() as f64;
    let made = known.calibration.iterations.max(1) as f64;
    let of_launches =
        if type_a.is_bounded() { type_a.half_width() / normal::quantile(0.5 + confidence / 2.0) } else { 0.0 };
    let errors: Vec<f64> = figures.iter().map(|launch| launch.mean_within).collect();
    let within = Single::of(&errors, 1.0).error.unwrap_or(0.0);
    let within_launch = (within / launches.sqrt()).min(of_launches);
    let between_launch = (of_launches.powi(2) - within_launch.powi(2)).max(0.0).sqrt();
    // A reading is off by up to half a step: rectangular, step/√12 (JCGM 100:2008, F.2.2.1); a time has two
    // readings, a difference to the null four.
    let (readings, span) = match known.calibration.far.as_slice() {
        &[first, second] => (8.0f64, (second - first) as f64),
        _ => (4.0, made),
    };
    let clock_resolution = known.step / 12f64.sqrt() * readings.sqrt() / span;
    let resolution_reach = known.step / 2.0 * readings / span;
    let clocks: Vec<f64> = figures.iter().map(|launch| launch.clock).collect();
    let clock_error = (variance(&clocks).unwrap_or(0.0) / launches).sqrt() / made;
    let (clock_cost, call) = match known.correction {
        // Case and null carry the same clock, and the null's scatter is in that of the launches: counted once.
        Correction::Serial => (0.0, 0.0),
        // The true correction lies somewhere from 0 to the whole call: rectangular, call/√12. The clock enters by 1 − ½.
        Correction::Overlapping => (0.5 * clock_error, known.call.estimate.abs() / 12f64.sqrt()),
    };
    // The pilot saw the set-up of a compared benchmark in one launch: it may be off by half of itself, rectangular.
    let setups: Vec<f64> = figures.iter().filter_map(|launch| launch.tared.surplus).collect();
    let setup = if known.calibration.setup_ppm > 0 {
        0.5 * quantile::mean(&setups).unwrap_or(0.0).abs() / made / SQRT_3
    } else {
        0.0
    };
    // What stands between a pause pair and the next hides a part of it, as of the loop, and has its own pace behind it: rectangular.
    let paused = match known.correction {
        Correction::Serial => 0.0,
        Correction::Overlapping => {
            let pairs: Vec<f64> = figures.iter().map(|launch| launch.tared.paused).collect();
            pausing::unknown_ns(quantile::mean(&pairs).unwrap_or(0.0), type_a.estimate) / SQRT_3
        }
    };
    let drift = drift.change / 2.0 / SQRT_3 * type_a.estimate.abs();
    // The clock's own error is normal, and ends nowhere: thrice it is as good as all of it.
    let reach = resolution_reach + 3.0 * clock_cost + SQRT_3 * (call + setup + paused + drift);
    let call = call.hypot(setup).hypot(paused);
    let quadrature = |terms: &[f64]| terms.iter().map(|term| term * term).sum::<f64>().sqrt();
    let standard = quadrature(&[clock_resolution, clock_cost, call, drift]);
    let combined = quadrature(&[within_launch, between_launch, standard]);
    let budget = UncertaintyBudget {
        within_launch,
        between_launch,
        clock_resolution,
        clock_cost,
        call,
        drift,
        between_runs: 0.0,
        combined,
    };
    (budget, TypeB { standard, reach })
}
