//! Values of a load's options, from their text.

use std::time::Duration;

use tare_definition::parse_duration;
use tare_load::schedule::Arrivals;

/// More a second than this is no rate that one machine can send.
const HIGHEST_RATE: f64 = 10_000_000.0;

/// Operations a second.
///
/// # Errors
///
/// What is wrong with it, and how to write it.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.trim().parse().map_err(|_| "it isn't a number; write how many a second, as 500".to_owned())?;
    if rate > 0.0 && rate <= HIGHEST_RATE {
        Ok(rate)
    } else {
        Err(format!("a rate is more than 0 and at most {HIGHEST_RATE} a second"))
    }
}

/// `constant`, `poisson`.
///
/// # Errors
///
/// As above.
pub fn parse_arrivals(text: &str) -> Result<Arrivals, String> {
    let all = [Arrivals::Constant, Arrivals::Poisson];
    all.into_iter().find(|known| known.name() == text.trim()).ok_or_else(|| "write constant or poisson".to_owned())
}

/// Some time.
///
/// # Errors
///
/// As above.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("no time at all; write 500ms or 10s".to_owned()) } else { Ok(duration) }
}

/// Some time, or none: 0.
///
/// # Errors
///
/// As above.
pub fn parse_time_or_none(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" { Ok(Duration::ZERO) } else { parse_duration(text).map_err(|error| error.to_string()) }
}
