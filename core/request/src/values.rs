//! Values of options, from text: read as the files read theirs, with the reason where they can't be.

use std::time::Duration;

use tare_definition::{
    Assertion, FailOn, parse_about, parse_calls, parse_duration, parse_fail_on, parse_margin, parse_measure,
    parse_percentage,
};
use tare_samples::{About, Calls};

/// As `2s`, `300ms`.
pub fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// As `1%`; a fraction.
pub fn percentage(text: &str) -> Result<f64, String> {
    parse_percentage(text).map_err(|error| error.to_string())
}

/// PHPBench's are percentages without their sign.
pub fn threshold(text: &str) -> Result<f64, String> {
    percentage(&format!("{}%", text.trim().trim_end_matches('%')))
}

/// As `3%`; a fraction above 0.
pub fn margin(text: &str) -> Result<f64, String> {
    parse_margin(text).map_err(|error| error.to_string())
}

/// `changed` or `all`: whether all.
pub fn measure(text: &str) -> Result<bool, String> {
    parse_measure(text).map_err(|error| error.to_string())
}

/// `time` or `typical`.
pub fn about(text: &str) -> Result<About, String> {
    parse_about(text).map_err(|error| error.to_string())
}

/// As `slower=2%`.
pub fn fail_on(text: &str) -> Result<FailOn, String> {
    parse_fail_on(text).map_err(|error| error.to_string())
}

/// As written: it is read again where it is judged.
pub fn assertion(text: &str) -> Result<String, String> {
    Assertion::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// A number or `auto`.
pub fn calls(text: &str) -> Result<Calls, String> {
    parse_calls(text.trim()).map_err(|error| error.to_string())
}

/// A fraction as options take it: 0.03 is `3%`, whatever its binary expansion.
pub fn as_percentage(fraction: f64) -> String {
    let text = format!("{:.6}", fraction * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}
