//! How noisy samples are.

use tare_statistics::Summary;

/// Scaled median absolute deviation over the raw time: the standard deviation of the samples, were they Gaussian. A
/// standard deviation proper (`rstdev`, among the details) would show the worst sample of thousands, not the others. Not a number where it isn't known.
pub(crate) fn robust_spread(summary: &Summary) -> f64 {
    if summary.raw.estimate > 0.0 {
        1.4826 * summary.statistics.mad / summary.raw.estimate
    } else {
        0.0 * summary.statistics.mad
    }
}

/// The same where it is known: another tool may not tell how its samples scatter.
pub(crate) fn known_spread(summary: &Summary) -> Option<f64> {
    Some(robust_spread(summary)).filter(|spread| spread.is_finite())
}
