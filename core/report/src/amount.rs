//! Amounts of data and items, with decimal prefixes.

/// An amount to three digits, with a decimal prefix where it is large: `12`, `3.07 kB`, `1.25 GB`.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    let (scaled, prefix) = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
        .into_iter()
        .find(|(factor, _)| value.abs() >= 0.9995 * factor)
        .map_or((value, ""), |(factor, prefix)| (value / factor, prefix));
    let digits = match scaled.abs() {
        size if size >= 99.95 || scaled == scaled.trunc() && prefix.is_empty() => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.0995 || size == 0.0 => 2,
        _ => 4,
    };
    format!("{scaled:.digits$} {}", format!("{prefix}{unit}").trim_start()).trim_end().to_owned()
}

/// An amount a second: `1.25 GB/s`.
pub(crate) fn rate(value: f64, unit: &str) -> String {
    format!("{}/s", amount(value, unit))
}

#[cfg(test)]
mod tests {
    use super::{amount, rate};

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
