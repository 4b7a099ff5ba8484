//! Amounts of data and items, with decimal prefixes.

use tare_statistics::Estimate;

/// An amount to three digits, with a decimal prefix where it is large: `12`, `3.07 kB`, `1.25 GB`.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    let (factor, prefix) = prefix(value);
    let scaled = value / factor;
    let digits = match scaled.abs() {
        size if size >= 99.95 || scaled == scaled.trunc() && prefix.is_empty() => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.0995 || size == 0.0 => 2,
        _ => 4,
    };
    format!("{scaled:.digits$} {}", format!("{prefix}{unit}").trim_start()).trim_end().to_owned()
}

/// How many, whole where it is, else with one digit after the point: `5312`, `17.4`. What is too long for a table is an amount.
pub(crate) fn count(value: f64) -> String {
    match value {
        value if !value.is_finite() => "unknown".to_owned(),
        value if value.abs() >= 1e10 => amount(value, ""),
        value if value == value.trunc() => format!("{value:.0}"),
        value => format!("{value:.1}"),
    }
}

/// Bytes with their interval, as `16.78 MB ± 0.21`: the half-width with two significant digits, the estimate to the same place; what
/// is exact is an amount alone.
pub(crate) fn bytes(estimate: &Estimate) -> String {
    let half = estimate.half_width();
    if half == 0.0 || !half.is_finite() || !estimate.estimate.is_finite() {
        return amount(estimate.estimate, "B");
    }
    // By the larger of the two: 3 B ± 210,000 isn't to be read in bytes.
    let (factor, prefix) = prefix(estimate.estimate.abs().max(half));
    let (value, half) = (estimate.estimate / factor, half / factor);
    let digits = (1.0 - half.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$} {prefix}B ± {half:.digits$}")
}

/// The upper end of what can't be resolved: `< 0.21 MB`, two digits, rounded up.
pub(crate) fn bytes_bound(high: f64) -> String {
    let (factor, prefix) = prefix(high);
    let value = high / factor;
    let step = 10f64.powi(value.abs().log10().floor() as i32 - 1);
    let digits = (-step.log10().round()).max(0.0) as usize;
    format!("< {:.digits$} {prefix}B", (value / step * (1.0 - 1e-12)).ceil() * step)
}

fn prefix(value: f64) -> (f64, &'static str) {
    [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
        .into_iter()
        .find(|(factor, _)| value.abs() >= 0.9995 * factor)
        .unwrap_or((1.0, ""))
}

/// An amount a second: `1.25 GB/s`.
pub(crate) fn rate(value: f64, unit: &str) -> String {
    format!("{}/s", amount(value, unit))
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;

    use super::{amount, bytes, bytes_bound, count, rate};

    #[test]
    fn bytes_have_the_place_of_their_interval() {
        let around = |estimate: f64, half: f64| Estimate { estimate, low: estimate - half, high: estimate + half };
        assert_eq!(bytes(&around(16_777_216.0, 209_000.0)), "16.78 MB ± 0.21");
        assert_eq!(bytes(&around(16_777_216.0, 2_090_000.0)), "16.8 MB ± 2.1");
        assert_eq!(bytes(&around(3.0, 209_000.0)), "0 kB ± 209");
        assert_eq!(bytes(&around(2000.0, 0.0)), "2.00 kB");
        assert_eq!(bytes(&around(0.0, 0.0)), "0 B");
        assert_eq!(bytes_bound(208_300.0), "< 210 kB");
        assert_eq!(bytes_bound(1_234_000.0), "< 1.3 MB");
    }

    #[test]
    fn counts_are_whole_where_they_are() {
        let shown = [0.0, 5312.0, -3.0, 17.44, 123_456_789.0, 2e10, f64::NAN].map(count);
        assert_eq!(shown, ["0", "5312", "-3", "17.4", "123456789", "20.0 G", "unknown"]);
    }

    #[test]
    fn amounts_have_three_digits_and_a_prefix() {
        let shown =
            [0.0, 1.0, 12.0, 0.25, 0.001_25, 12.34, 999.6, 3072.0, 1.25e9, -2e6].map(|value| amount(value, "B"));
        assert_eq!(
            shown,
            ["0 B", "1 B", "12 B", "0.25 B", "0.0013 B", "12.3 B", "1.00 kB", "3.07 kB", "1.25 GB", "-2.00 MB"]
        );
        assert_eq!(
            (amount(12.0, ""), amount(2e3, ""), rate(5e6, " items")),
            ("12".into(), "2.00 k".into(), "5.00 M items/s".into())
        );
    }
}
