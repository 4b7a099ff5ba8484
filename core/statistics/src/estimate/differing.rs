//! Whether the mean cost of a call and its typical cost differ, and why.

use super::figures::LaunchFigures;
use crate::quantile::{mean, select_median};
use crate::summary::{Differing, Estimate};

/// Less than this share of the time is no difference that a reader needs.
const MATTERS: f64 = 0.01;

/// Why the mean over launches isn't the median of their medians. `None` where the two intervals, as they are printed, have a value in common,
/// or the difference is under 1 %.
///
/// The difference is the sum of two: what the means of launches have beyond their own medians, and what the mean of these medians has
/// beyond their median. The larger gives the reason.
pub(super) fn differing(figures: &[LaunchFigures], time: &Estimate, typical: &Estimate) -> Option<Differing> {
    let difference = time.estimate - typical.estimate;
    let disjoint = time.low > typical.high || time.high < typical.low;
    if !disjoint || difference.abs() <= MATTERS * time.estimate.abs() {
        return None;
    }
    let (mut medians, means): (Vec<f64>, Vec<f64>) =
        figures.iter().filter_map(|launch| Some((launch.typical?, launch.mean.time))).unzip();
    let of_launches = mean(&medians)? - select_median(&mut medians)?;
    let within = mean(&means)? - mean(&medians)?;
    Some(match (of_launches.abs() > within.abs(), within > 0.0) {
        (true, _) => Differing::SomeLaunches,
        (false, true) => Differing::SlowCalls,
        (false, false) => Differing::FastCalls,
    })
}
