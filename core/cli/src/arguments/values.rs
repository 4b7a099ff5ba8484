//! Values of options, read as the files read theirs.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tare_definition::{
    Assertion, FailOn, parse_about, parse_calls, parse_duration, parse_fail_on, parse_margin, parse_percentage,
};
use tare_request::MemoryMode;
use tare_samples::{About, Calls};

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

pub(super) fn percentage(text: &str) -> Result<f64, String> {
    parse_percentage(text).map_err(|error| error.to_string())
}

/// PHPBench's are percentages without their sign.
pub(super) fn threshold(text: &str) -> Result<f64, String> {
    percentage(&format!("{}%", text.trim().trim_end_matches('%')))
}

pub(super) fn margin(text: &str) -> Result<f64, String> {
    parse_margin(text).map_err(|error| error.to_string())
}

pub(super) fn about(text: &str) -> Result<About, String> {
    parse_about(text).map_err(|error| error.to_string())
}

pub(super) fn fail_on(text: &str) -> Result<FailOn, String> {
    parse_fail_on(text).map_err(|error| error.to_string())
}

/// As written: it is read again where it is judged.
pub(super) fn assertion(text: &str) -> Result<String, String> {
    Assertion::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

pub(super) fn calls(text: &str) -> Result<Calls, String> {
    parse_calls(text.trim()).map_err(|error| error.to_string())
}

pub(super) fn memory_mode() -> impl TypedValueParser<Value = MemoryMode> {
    PossibleValuesParser::new(["weighed", "traced"]).map(|mode| match mode.as_str() {
        "traced" => MemoryMode::Traced,
        _ => MemoryMode::Weighed,
    })
}
