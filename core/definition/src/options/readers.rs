//! How the text of an option is read, on the command line and in `tare.toml` alike, and how a value is typed.

use std::path::PathBuf;
use std::time::Duration;

use tare_machine::{CpuListError, parse_cpu_list};
use tare_samples::printable;

use super::kinds::{Cpus, MemoryMode};
use crate::assertion::Assertion;
use crate::error::ArgumentError;
use crate::quantity::{parse_duration, parse_percentage, shown};

pub(super) use super::kinds::Measure;
pub(super) use crate::gate::parse_fail_on as fail_on;
pub(super) use crate::quantity::{parse_about as about, parse_calls as calls, parse_margin as margin};

pub(super) fn measure(text: &str) -> Result<Measure, ArgumentError> {
    Measure::read(text)
}

pub(super) fn launches(text: &str) -> Result<u32, ArgumentError> {
    number(text, 1, 10_000, "6").map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

pub(super) fn samples(text: &str) -> Result<u64, ArgumentError> {
    number(text, 1, 1_000_000, "20")
}

/// Under 2^53: what every store and every reader of JSON takes without loss.
pub(super) fn seed(text: &str) -> Result<u64, ArgumentError> {
    number(text, 0, (1 << 53) - 1, "1")
}

fn number(text: &str, least: u64, most: u64, example: &str) -> Result<u64, ArgumentError> {
    let text = text.trim();
    let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    let wrong = || format!("`{}` is not a whole number from {least} to {most}", shown(text));
    number.ok_or_else(|| ArgumentError::new(wrong(), format!("write one such as {example}")))
}

pub(super) fn flag(text: &str) -> Result<bool, ArgumentError> {
    match text.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(ArgumentError::new(format!("`{}` is neither true nor false", shown(other)), "write one of them")),
    }
}

pub(super) fn duration(text: &str) -> Result<Duration, ArgumentError> {
    parse_duration(text).and_then(|duration| match duration.is_zero() {
        false => Ok(duration),
        true => Err(ArgumentError::new("it is 0", "write a length of time above it, such as 2s")),
    })
}

pub(super) fn precision(text: &str) -> Result<f64, ArgumentError> {
    parse_percentage(text).and_then(|fraction| match fraction > 0.0 {
        true => Ok(fraction),
        false => Err(ArgumentError::new("it is 0", "write a percentage above it, such as 1%")),
    })
}

pub(super) fn cpus(text: &str) -> Result<Cpus, ArgumentError> {
    let read = parse_cpu_list(text).map(Cpus);
    read.map_err(|error| ArgumentError::new(error.message(), CpuListError::REMEDY))
}

pub(super) fn memory(text: &str) -> Result<MemoryMode, ArgumentError> {
    match text {
        "weighed" => Ok(MemoryMode::Weighed),
        "traced" => Ok(MemoryMode::Traced),
        other => {
            let message = format!("`{}` is not a way to measure memory", shown(other));
            Err(ArgumentError::new(message, "write --memory alone, or --memory=traced"))
        }
    }
}

/// As written: it is read again where it is judged.
pub(super) fn assertion(text: &str) -> Result<String, ArgumentError> {
    Assertion::parse(text).map(|_| text.to_owned())
}

pub(super) fn path(text: &str) -> Result<PathBuf, ArgumentError> {
    if text.is_empty() || text.contains('\0') {
        return Err(ArgumentError::new("it is not a path", "name a file or folder, relative to the project's root"));
    }
    Ok(PathBuf::from(text))
}

pub(super) fn clock(text: &str) -> Result<String, ArgumentError> {
    stated(text, "name a clock of the worker, such as hrtime").map(|name| name.trim().to_owned())
}

pub(super) fn base(text: &str) -> Result<String, ArgumentError> {
    stated(text, "name a method or a set, such as benchOld or #md5")
}

pub(super) fn prepare(text: &str) -> Result<String, ArgumentError> {
    stated(text, "write a command, such as \"composer install\", or leave it out")
}

pub(super) fn build(text: &str) -> Result<String, ArgumentError> {
    stated(text, "write a command, such as \"make -C build\", or leave it out")
}

/// The name of a session: what an index of every store takes, and a line shows.
///
/// # Errors
/// A name that is empty, longer than 100 characters, begins or ends with a space, or has a character that isn't seen.
pub fn session(text: &str) -> Result<String, ArgumentError> {
    const LONGEST: usize = 100;
    const REMEDY: &str = "name the work, such as faster-lexer";
    let text = stated(text, REMEDY)?;
    let count = text.chars().count();
    if count > LONGEST {
        return Err(ArgumentError::new(format!("it has {count} characters, and {LONGEST} are the most"), REMEDY));
    }
    match text.trim() == text && printable(&text) == text {
        true => Ok(text),
        false => Err(ArgumentError::new(
            format!("`{}` begins or ends with a space, or has a character that isn't seen", shown(&text)),
            REMEDY,
        )),
    }
}

fn stated(text: &str, remedy: &str) -> Result<String, ArgumentError> {
    match text.trim() {
        "" => Err(ArgumentError::new("it is empty", remedy)),
        _ => Ok(text.to_owned()),
    }
}

/// A fraction as options take it: 0.03 is `3%`, whatever its binary expansion.
pub fn as_percentage(fraction: f64) -> String {
    let text = format!("{:.6}", fraction * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A length of time as options take it, exactly.
pub(super) fn as_span(duration: Duration) -> String {
    match duration.subsec_nanos() % 1_000_000 {
        0 => format!("{}ms", duration.as_millis()),
        _ => format!("{}ns", duration.as_nanos()),
    }
}
