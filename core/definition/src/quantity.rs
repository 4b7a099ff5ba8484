use std::time::Duration;

use tare_samples::{About, Calls, printable_line};

use crate::error::ArgumentError;

/// Characters of a user's text that a message repeats.
const LONGEST_SHOWN: usize = 80;

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

/// As written by people of either habit: kB and KB are 1000 bytes, KiB is 1024.
const SIZES: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
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
    let (decimal, _, scale) = quantity(text, &UNITS, "ns, us, ms, s, m, h").map_err(|reason| error(&reason))?;
    let nanoseconds = decimal.times(scale).ok_or_else(|| error("it is too long, or finer than a nanosecond"))?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// Reads a time per call, in nanoseconds: `2 µs`, `0.35 ns`. Units as in [`parse_duration`]; fractions of a nanosecond are
/// allowed.
///
/// # Errors
/// No unit, an unknown unit, no number, a sign, an exponent.
pub fn parse_time(text: &str) -> Result<f64, ArgumentError> {
    let error = |reason: &str| {
        ArgumentError::new(format!("`{}` is not a time: {reason}", shown(text)), "write 350ns, 2us or 1.5ms")
    };
    let (_, number, scale) = quantity(text, &UNITS, "ns, us, ms, s, m, h").map_err(|reason| error(&reason))?;
    let number: f64 = number.parse().map_err(|_| error("the number before the unit can't be read"))?;
    Ok(number * scale as f64)
}

/// Reads a size in bytes: `512B`, `20 MB`, `1.5GiB`. Units are B, kB or KB, KiB, MB, MiB, GB, GiB. Exact: a fraction of a
/// byte is refused.
///
/// # Errors
/// No unit, an unknown unit, no number, a sign, an exponent, a fraction of a byte, 2⁶⁴ bytes or more.
pub fn parse_size(text: &str) -> Result<u64, ArgumentError> {
    let error = |reason: &str| {
        ArgumentError::new(format!("`{}` is not a size: {reason}", shown(text)), "write 512B, 64kB, 20MB or 1.5GiB")
    };
    let (decimal, _, scale) =
        quantity(text, &SIZES, "B, kB, KiB, MB, MiB, GB, GiB").map_err(|reason| error(&reason))?;
    decimal.times(scale).ok_or_else(|| error("it is too large, or not a whole number of bytes"))
}

/// Reads a margin of a comparison, as a fraction above 0 and below 1: `0.5%` is 0.005.
///
/// # Errors
/// What [`parse_percentage`] refuses, 0 % or less, 100 % or more.
pub fn parse_margin(text: &str) -> Result<f64, ArgumentError> {
    let refused =
        |why: &str| ArgumentError::new(format!("`{}` can't be the margin: {why}", shown(text)), "write 0.5% or 2%");
    // A negative number is no percentage either, but has a reason of its own.
    let negative = text.trim().strip_prefix('-').map(parse_percentage);
    match negative.unwrap_or_else(|| parse_percentage(text))? {
        fraction if fraction == 0.0 || text.trim().starts_with('-') => {
            Err(refused("it must be more than 0, since no interval fits into a margin of 0"))
        }
        fraction if fraction >= 1.0 => {
            Err(refused("it must be less than 100%, or twice the time would be called the same"))
        }
        fraction => Ok(fraction),
    }
}

/// Reads what a verdict is about: `time` or `typical`.
///
/// # Errors
/// Any other word.
pub fn parse_about(text: &str) -> Result<About, ArgumentError> {
    About::named(text.trim()).ok_or_else(|| {
        ArgumentError::new(
            format!("a verdict can't be about `{}`", shown(text)),
            "write time (the mean of all calls) or typical (the time of an undisturbed call)",
        )
    })
}

/// Reads how much slower or larger something may become, as a fraction above 0: `300%` is 3, four times as much.
///
/// # Errors
/// As [`parse_percentage`], but without its upper end, and 0.
pub fn parse_increase(text: &str) -> Result<f64, ArgumentError> {
    let refused = |why: &str| ArgumentError::new(format!("`{}` {why}", shown(text)), "write 2% or 300%");
    if text.trim().starts_with('-') {
        return Err(refused("is below 0; say by how much a time or a size may grow"));
    }
    match percentage(text)? {
        0.0 => Err(refused("is 0, and noise alone is more than that")),
        fraction => Ok(fraction),
    }
}

/// Reads a percentage as a fraction from 0 to 1: `0.5%` and `0.5 %` are 0.005.
///
/// # Errors
/// No percent sign, no number, a sign, an exponent, more than 100 %.
pub fn parse_percentage(text: &str) -> Result<f64, ArgumentError> {
    match percentage(text)? {
        fraction if fraction > 1.0 => Err(ArgumentError::new(
            format!("`{}` is not a percentage: it is more than 100 %", shown(text)),
            "write 1% or 0.5%",
        )),
        fraction => Ok(fraction),
    }
}

fn percentage(text: &str) -> Result<f64, ArgumentError> {
    let error = |reason: &str| {
        ArgumentError::new(format!("`{}` is not a percentage: {reason}", shown(text)), "write 1% or 0.5%")
    };
    let number = text.trim().strip_suffix('%').ok_or_else(|| error("it has no % at its end"))?.trim_end();
    Decimal::read(number).ok_or_else(|| error("the number before the % can't be read"))?;
    // The digits are plain, so this reads exactly them.
    let percent: f64 = number.parse().map_err(|_| error("the number before the % can't be read"))?;
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

/// User's text inside a message: with what is hidden in it escaped, and not at length.
pub(crate) fn shown(text: &str) -> String {
    printable_line(text, LONGEST_SHOWN)
}

/// The number in front of a unit, in two forms, and what the unit is worth; or why there is none. Of two units with the same
/// end the longer must stand first.
fn quantity<'a>(text: &'a str, units: &[(&str, u64)], names: &str) -> Result<(Decimal, &'a str, u64), String> {
    let trimmed = text.trim();
    if trimmed.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err("it has no unit".to_owned());
    }
    let (number, scale) = units
        .iter()
        .find_map(|&(unit, scale)| Some((trimmed.strip_suffix(unit)?.trim_end(), scale)))
        .ok_or_else(|| format!("its unit is not one of {names}"))?;
    match Decimal::read(number) {
        Some(decimal) => Ok((decimal, number, scale)),
        None => Err("the number before the unit can't be read".to_owned()),
    }
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

    use super::{parse_calls, parse_duration, parse_margin, parse_percentage, parse_size, parse_time};

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
    fn a_margin_leaves_room_for_sameness() {
        assert_eq!(parse_margin(" 0.5 % "), Ok(0.005));
        assert_eq!(parse_margin("99%"), Ok(0.99));
        let zero = "it must be more than 0, since no interval fits into a margin of 0; write 0.5% or 2%";
        for (text, reason) in [
            ("0%", zero),
            ("0.00 %", zero),
            ("-1%", zero),
            ("-0%", zero),
            ("100%", "twice the time would be called the same; write 0.5% or 2%"),
            ("1", "it has no % at its end; write 1% or 0.5%"),
            ("-x%", "the number before the % can't be read; write 1% or 0.5%"),
        ] {
            let message = parse_margin(text).unwrap_err().to_string();
            assert!(message.ends_with(reason), "{text}: {message}");
        }
    }

    #[test]
    fn sizes_are_exact() {
        for (text, bytes) in [
            ("0B", 0),
            ("512 B", 512),
            ("64kB", 64_000),
            ("64 KB", 64_000),
            ("64KiB", 65_536),
            (" 20 MB ", 20_000_000),
            ("0.5MiB", 524_288),
            ("1.5GiB", 1_610_612_736),
            ("2GB", 2_000_000_000),
            ("0.001kB", 1),
            ("18446744073709551615B", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for (text, reason) in [
            ("20", "no unit"),
            ("20M", "its unit"),
            ("20 mb", "its unit"),
            ("MB", "the number"),
            ("-1MB", "the number"),
            ("1e3MB", "the number"),
            ("0.5B", "whole number of bytes"),
            ("18446744073709551616B", "the number"),
            ("18446744074GB", "too large"),
        ] {
            let message = parse_size(text).unwrap_err().to_string();
            assert!(
                message.contains(reason) && message.ends_with("write 512B, 64kB, 20MB or 1.5GiB"),
                "{text}: {message}"
            );
        }
    }

    #[test]
    fn a_time_per_call_may_be_a_fraction_of_a_nanosecond() {
        for (text, nanoseconds) in [("2 µs", 2_000.0), ("0.35ns", 0.35), ("1.5ms", 1_500_000.0), ("0s", 0.0)] {
            assert_eq!(parse_time(text), Ok(nanoseconds), "{text}");
        }
        for (text, reason) in
            [("2", "no unit"), ("2 parsecs", "the number"), ("-2ns", "the number"), ("infns", "the number")]
        {
            let message = parse_time(text).unwrap_err().to_string();
            assert!(message.contains(reason) && message.ends_with("write 350ns, 2us or 1.5ms"), "{text}: {message}");
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
            let _ = (parse_duration(&text), parse_calls(&text), parse_size(&text));
            prop_assert!(parse_margin(&text).map_or(true, |fraction| fraction > 0.0 && fraction < 1.0));
            prop_assert!(parse_time(&text).map_or(true, |time| time.is_finite() && time >= 0.0));
            prop_assert!(parse_percentage(&text).map_or(true, |fraction| (0.0..=1.0).contains(&fraction)));
        }

        #[test]
        fn whole_milliseconds_survive_their_text(milliseconds in 0u64..1 << 40) {
            let seconds = format!("{}.{:03}s", milliseconds / 1000, milliseconds % 1000);
            prop_assert_eq!(parse_duration(&seconds), Ok(Duration::from_millis(milliseconds)));
        }
    }
}
