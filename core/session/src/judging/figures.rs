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

/// A ratio that nobody takes for a change: `1.05×`, `2.49×`; the nearer to 1, the more decimals.
pub(crate) fn times(ratio: f64) -> String {
    let decimals = match (ratio - 1.0).abs() {
        near if near < 0.1 => 4,
        near if near < 1.0 => 3,
        _ => 2,
    };
    let text = format!("{ratio:.decimals$}");
    format!("{}×", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn a_ratio_reads_as_a_factor() {
        assert_eq!(
            [1.0, 1.05, 1.0043, 0.5, 2.493, 12.0].map(times),
            ["1×", "1.05×", "1.0043×", "0.5×", "2.49×", "12×"]
        );
        assert_eq!([0.99996, f64::INFINITY].map(times), ["1×", "inf×"]);
    }
}
