//! Sizes of differences, as fractions of the base.

use crate::figure::share;

/// From here on a smallest effect that would have been seen says that nothing would have been: eleven times as much.
pub(crate) const TOO_NOISY: f64 = 10.0;

/// The size of a difference: `1.4 %`; from twice the time on `2.2×`, since 120 % might be taken for a fifth more.
pub(crate) fn size(fraction: f64) -> String {
    if fraction < 1.0 { share(fraction) } else { format!("{:.1}×", 1.0 + fraction) }
}
