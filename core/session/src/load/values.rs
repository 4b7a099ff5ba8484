//! Values of a load's options, from their text.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::parse_duration;
use tare_load::schedule::Arrivals;

/// More a second than this is no rate that one machine can send.
const HIGHEST_RATE: f64 = 10_000_000.0;

/// Operations a second: one rate, or from one to another in stages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The only one, or the first.
    pub from: f64,
    /// The last.
    pub to: f64,
}

/// Rates one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RateLadder {
    pub(crate) rates: Vec<f64>,
    /// How long each lasts.
    pub(crate) each: Duration,
}

impl Rates {
    /// It is more than one.
    pub(crate) fn is_ladder(self) -> bool {
        self.from != self.to
    }

    /// So many rates, each higher than the one before (or lower) by the same factor.
    pub(crate) fn stages(self, count: u32) -> Vec<f64> {
        let step = (self.to / self.from).ln() / f64::from(count.max(2) - 1);
        (0..count.max(2)).map(|number| self.from * (step * f64::from(number)).exp()).collect()
    }
}

/// `500`, or `100..2000`.
///
/// # Errors
///
/// What is wrong with it, and how to write it.
pub fn parse_rate(text: &str) -> Result<Rates, String> {
    match text.split_once("..") {
        Some((from, to)) => Ok(Rates { from: one_rate(from)?, to: one_rate(to)? }),
        None => one_rate(text).map(|rate| Rates { from: rate, to: rate }),
    }
}

fn one_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text
        .trim()
        .parse()
        .map_err(|_| "it isn't a number; write how many a second, as 500, or as 100..2000 with --stages".to_owned())?;
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
    if duration.is_zero() { Err("the time must be more than 0; write 500ms or 10s".to_owned()) } else { Ok(duration) }
}

/// Some time, or none: 0.
///
/// # Errors
///
/// As above.
pub fn parse_time_or_none(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" { Ok(Duration::ZERO) } else { parse_duration(text).map_err(|error| error.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::{Rates, parse_rate};

    #[test]
    fn a_rate_is_one_or_a_ladder_of_equal_factors() {
        assert_eq!(parse_rate("500"), Ok(Rates { from: 500.0, to: 500.0 }));
        assert!(!parse_rate("5..5").unwrap().is_ladder());
        let stages = parse_rate("100..1600").unwrap().stages(5);
        let rounded: Vec<f64> = stages.iter().map(|rate| rate.round()).collect();
        assert_eq!(rounded, [100.0, 200.0, 400.0, 800.0, 1600.0]);
        assert_eq!(parse_rate("1600..100").unwrap().stages(2).first(), Some(&1600.0));
        for wrong in ["", "x", "1..", "..5", "0..5", "-1", "1..2..3", "inf", "nan..5"] {
            assert!(parse_rate(wrong).is_err(), "{wrong}");
        }
    }
}
