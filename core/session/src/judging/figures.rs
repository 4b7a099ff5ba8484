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

/// How much longer than the base something takes, between two ratios: `4.01 to 5.83 % more time than the base`.
pub(crate) fn longer(low: f64, high: f64) -> String {
    // From twice the time on a percentage is taken for less than it is.
    if low < 0.5 || high >= 2.0 {
        return format!("{} to {} the base's time", times(low), times(high));
    }
    let size = |ratio: f64| percent((ratio - 1.0).abs());
    let number = |ratio: f64| size(ratio).trim_end_matches(" %").to_owned();
    match (low < 1.0, high > 1.0) {
        (false, _) => format!("{} to {} more time than the base", number(low), size(high)),
        (true, false) => format!("{} to {} less time than the base", number(high), size(low)),
        (true, true) => format!("from {} less to {} more time than the base", size(low), size(high)),
    }
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
    use super::{longer, times};

    #[test]
    fn a_range_of_ratios_is_said_as_more_or_less_time() {
        assert_eq!(longer(1.0401, 1.0583), "4.01 to 5.83 % more time than the base");
        assert_eq!(longer(0.95, 0.99), "1 to 5 % less time than the base");
        assert_eq!(longer(0.95, 1.06), "from 5 % less to 6 % more time than the base");
        assert_eq!(longer(1.9, 2.4), "1.9× to 2.4× the base's time");
    }

    #[test]
    fn a_ratio_reads_as_a_factor() {
        assert_eq!(
            [1.0, 1.05, 1.0043, 0.5, 2.493, 12.0].map(times),
            ["1×", "1.05×", "1.0043×", "0.5×", "2.49×", "12×"]
        );
        assert_eq!([0.99996, f64::INFINITY].map(times), ["1×", "inf×"]);
    }
}
