//! Figures as gates say them.

use tare_samples::TimeUnit;

/// A fraction with two decimals at the most.
pub(crate) fn percent(fraction: f64) -> String {
    let text = format!("{:.2}", 100.0 * fraction);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// Nanoseconds in a unit that fits.
pub(crate) fn time(nanoseconds: f64) -> String {
    let unit = TimeUnit::fitting(nanoseconds);
    format!("{:.3} {}", nanoseconds / unit.nanoseconds(), unit.symbol())
}
