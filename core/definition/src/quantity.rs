use std::time::Duration;

use tare_samples::Calls;

use crate::ArgumentError;

/// Longest unit names first, so that `ms` isn't read as `s`.
const UNITS: [(&str, u64); 9] = [
    ("min", 60_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000), // U+00B5, micro sign
    ("μs", 1_000), // U+03BC, Greek mu
    ("ns", 1),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a length of time: `500ms`, `2s`, `1.5 s`, `2m`. Units are ns, us or µs, ms, s, m or min, h. Exact: the
/// value is counted in whole nanoseconds, and digits beyond those are refused rather than rounded.
///
/// # Errors
/// No unit, an unknown unit, no number, a sign, an exponent, a fraction of a nanosecond, more than about 584 years.
pub fn parse_duration(text: &str) -> Result<Duration, ArgumentError> {
    let error = |reason: &str| {
        ArgumentError::new(
            format!("`{}` is not a length of time: {reason}", shown(text)),
            "write 500ms, 2s, 1.5s or 2m",
        )
    };
    let trimmed = text.trim();
    if trimmed.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err(error("it has no unit"));
    }
    let (number, scale) = UNITS
        .iter()
        .find_map(|&(unit, scale)| Some((trimmed.strip_suffix(unit)?.trim_end(), scale)))
        .ok_or_else(|| error("its unit is not one of ns, us, ms, s, m, h"))?;
    let decimal = Decimal::read(number).ok_or_else(|| error("the number before the unit can't be read"))?;
    let nanoseconds = decimal.times(scale).ok_or_else(|| error("it is too long, or finer than a nanosecond"))?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// Reads a percentage as a fraction from 0 to 1: `0.5%` and `0.5 %` are 0.005.
///
/// # Errors
/// No percent sign, no number, a sign, an exponent, more than 100 %.
pub fn parse_percentage(text: &str) -> Result<f64, ArgumentError> {
    let error = |reason: &str| {
        ArgumentError::new(format!("`{}` is not a percentage: {reason}", shown(text)), "write 1% or 0.5%")
    };
    let number = text.trim().strip_suffix('%').ok_or_else(|| error("it has no % at its end"))?.trim_end();
    Decimal::read(number).ok_or_else(|| error("the number before the % can't be read"))?;
    // The digits are plain, so this reads exactly them.
    let percent: f64 = number.parse().map_err(|_| error("the number before the % can't be read"))?;
    if percent > 100.0 {
        return Err(error("it is more than 100 %"));
    }
    Ok(percent / 100.0)
}

/// Reads calls a sample: `auto` (the pilot finds them), 0 (one bare call, no loop), or a number.
///
/// # Errors
/// Anything else.
pub fn parse_calls(text: &str) -> Result<Calls, ArgumentError> {
    let error = || {
        ArgumentError::new(
            format!("`{}` is not a number of iterations", shown(text)),
            "write auto, 0 (one call without a loop), or a number such as 1000",
        )
    };
    match text.trim() {
        "auto" => Ok(Calls::Pilot),
        digits if !digits.bytes().all(|byte| byte.is_ascii_digit()) => Err(error()),
        digits => digits.parse().ok().and_then(calls).ok_or_else(error),
    }
}

/// A number of calls that the wire can carry (PROTOCOL 1.3).
pub(crate) fn calls(number: u64) -> Option<Calls> {
    match number {
        0 => Some(Calls::Bare),
        number if number < 1 << 53 => Some(Calls::Loop(number)),
        _ => None,
    }
}

/// User's text inside a message: without control characters, and not at length.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.trim().chars().take(80).collect();
    let dots = if short.len() < text.trim().len() { "…" } else { "" };
    format!("{}{dots}", short.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"))
}

/// `12.50`, as 1250 hundredths.
struct Decimal {
    digits: u64,
    fraction_digits: u32,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').map_or((text, ""), |parts| parts);
        let fraction = fraction.trim_end_matches('0');
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || text.ends_with('.') || !plain(whole) || !plain(fraction) {
            return None;
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { digits, fraction_digits: fraction.len().try_into().ok()? })
    }

    /// The product with `scale`; `None` where it isn't a whole number or doesn't fit.
    fn times(&self, scale: u64) -> Option<u64> {
        let product = u128::from(self.digits) * u128::from(scale);
        let divisor = 10u128.checked_pow(self.fraction_digits)?;
        (product % divisor == 0).then(|| (product / divisor).try_into().ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::time::Duration;
    use tare_samples::Calls;

    use super::{parse_calls, parse_duration, parse_percentage};

    #[test]
    fn durations_are_exact() {
        for (text, nanoseconds) in [
            ("500ms", 500_000_000),
            ("2s", 2_000_000_000),
            (" 1.5 s ", 1_500_000_000),
            ("2m", 120_000_000_000),
            ("1min", 60_000_000_000),
            ("0.1h", 360_000_000_000),
            ("0.001µs", 1),
            ("12μs", 12_000),
            ("3us", 3_000),
            ("7ns", 7),
            ("0s", 0),
            ("1.50000000000s", 1_500_000_000),
            ("18446744073709551615ns", u64::MAX),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_duration_is_refused_with_its_reason() {
        for (text, reason) in [
            ("2", "no unit"),
            ("1e3", "no unit"),
            ("", "its unit"),
            ("2 fortnights", "the number"),
            ("2 weeks!", "its unit"),
            ("s", "the number"),
            ("-2s", "the number"),
            ("1e3s", "the number"),
            ("1.s", "the number"),
            (".5s", "the number"),
            ("1m30s", "the number"),
            ("infs", "the number"),
            ("0.5ns", "finer than a nanosecond"),
            ("999999999999h", "too long"),
        ] {
            let message = parse_duration(text).unwrap_err().to_string();
            assert!(
                message.contains(reason) && message.ends_with("write 500ms, 2s, 1.5s or 2m"),
                "{text:?}: {message}"
            );
        }
    }

    #[test]
    fn percentages_are_fractions() {
        assert_eq!(parse_percentage("1%"), Ok(0.01));
        assert_eq!(parse_percentage(" 0.5 % "), Ok(0.005));
        assert_eq!(parse_percentage("100%"), Ok(1.0));
        for (text, reason) in [("1", "no %"), ("%", "number"), ("-1%", "number"), ("NaN%", "number"), ("101%", "100 %")]
        {
            let message = parse_percentage(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text:?}: {message}");
        }
    }

    #[test]
    fn calls_are_auto_none_or_many() {
        assert_eq!(parse_calls("auto"), Ok(Calls::Pilot));
        assert_eq!(parse_calls("0"), Ok(Calls::Bare));
        assert_eq!(parse_calls(" 1000 "), Ok(Calls::Loop(1_000)));
        for text in ["", "-1", "+1", "1e3", "9007199254740992", "many"] {
            assert!(parse_calls(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_message_does_not_repeat_control_characters_or_novels() {
        let message = parse_duration(&format!("\u{1b}[2J{}", "x".repeat(1_000))).unwrap_err().to_string();
        assert!(!message.contains('\u{1b}') && message.len() < 250, "{message}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = (parse_duration(&text), parse_calls(&text));
            prop_assert!(parse_percentage(&text).map_or(true, |fraction| (0.0..=1.0).contains(&fraction)));
        }

        #[test]
        fn whole_milliseconds_survive_their_text(milliseconds in 0u64..1 << 40) {
            let seconds = format!("{}.{:03}s", milliseconds / 1000, milliseconds % 1000);
            prop_assert_eq!(parse_duration(&seconds), Ok(Duration::from_millis(milliseconds)));
        }
    }
}
