//! What a file may hold at most. A file is refused before it takes more memory or time than these leave it.

use crate::fault::{Fault, Position};

/// Bytes of a file. Ten million samples with 17 digits each fit.
pub const LARGEST_FILE: u64 = 512 << 20;
/// Samples of a file, over all its benchmarks.
pub(crate) const MOST_SAMPLES: usize = 20_000_000;
/// Processes that samples are of, over all benchmarks of a file: each is kept as a launch of its own.
pub(crate) const MOST_LAUNCHES: usize = 200_000;
/// Notices about a file: what else it says isn't listed.
pub(crate) const MOST_NOTICES: usize = 100;
/// Figures beside the time, and labels, of one benchmark.
pub(crate) const MOST_FIGURES: usize = 1_000;
/// Benchmarks of a file.
pub(crate) const MOST_CASES: usize = 100_000;
/// Objects and arrays, or elements, within each other.
pub(crate) const DEEPEST: usize = 64;
/// Bytes of a name, a command, a parameter.
pub(crate) const LONGEST_NAME: usize = 1 << 20;
/// Nanoseconds: a hundred years. More is another unit.
const LONGEST_TIME: f64 = 100.0 * 365.25 * 86_400e9;

/// A time in nanoseconds of a value in a unit of `unit` nanoseconds. Refuses what is no time.
pub(crate) fn time(value: f64, unit: f64, place: impl FnOnce() -> Position) -> Result<f64, Fault> {
    let nanoseconds = value * unit;
    let what = if !value.is_finite() {
        format!("{value} is no time")
    } else if value < 0.0 {
        format!("{value} is below 0")
    } else if nanoseconds > LONGEST_TIME {
        format!("{value} is more than a hundred years in the unit of the file: it must be another unit")
    } else {
        return Ok(nanoseconds);
    };
    Err(Fault::new(place(), what).with_remedy("correct the file, or write it again with its tool"))
}

/// A count of calls, samples, requests.
pub(crate) fn count(value: f64, place: impl FnOnce() -> Position) -> Result<u64, Fault> {
    if value >= 0.0 && value <= 2f64.powi(53) && value.fract() == 0.0 {
        return Ok(value as u64);
    }
    Err(Fault::new(place(), format!("{value} is no count"))
        .with_remedy("correct the file, or write it again with its tool"))
}
