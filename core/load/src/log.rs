//! Histograms written in HdrHistogram's log format, version 2 of the encoding: one line for each interval, as its tools draw and merge.
//!
//! Source: the format of HistogramLogWriter of the HdrHistogram project; the codec is that of the `hdrhistogram` crate.

use std::io::Write;
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, IntervalLogWriterError, Tag};

use crate::histogram::Latencies;
use crate::series::Series;

/// Why a log can't be written.
#[derive(Debug, thiserror::Error)]
#[error("the histogram log can't be written: {0}")]
pub struct WriteError(pub String);

/// Latencies (ns) of one target by second, to write.
#[derive(Debug, Clone, Copy)]
pub struct Logged<'a> {
    /// What it is called in the log; `None` where there is only one. Commas, spaces and line ends become `_`: the format has no
    /// escape for them.
    pub tag: Option<&'a str>,
    /// What was seen.
    pub series: &'a Series,
}

/// Writes the log of a run that began at `started`, to the last byte: values in nanoseconds, the column of maxima in milliseconds, as
/// usual.
///
/// # Errors
/// [`WriteError`].
pub fn write(out: &mut impl Write, started: SystemTime, targets: &[Logged<'_>]) -> Result<(), WriteError> {
    let failed = |error: &dyn std::fmt::Display| WriteError(error.to_string());
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    let mut log = builder
        .add_comment("[Logged with tare; latencies in nanoseconds from the intended start]")
        .with_start_time(started)
        .with_max_value_divisor(1e6)
        .begin_log_with(out, &mut serializer)
        .map_err(|error| failed(&error))?;
    let mut latencies = Latencies::new();
    let mut seconds: Vec<(u32, usize)> = Vec::new();
    for (at, target) in targets.iter().enumerate() {
        seconds.extend(target.series.seconds.keys().map(|second| (*second, at)));
    }
    // Readers expect intervals in the order of time.
    seconds.sort_unstable();
    for (second, at) in seconds {
        let target = &targets[at];
        latencies.clear();
        target.series.seconds[&second].latencies.add_to(&mut latencies);
        let tag = target.tag.map(plain);
        let tag = tag.as_deref().and_then(Tag::new);
        let start = Duration::from_secs(u64::from(second));
        log.write_histogram(latencies.as_hdr(), start, Duration::from_secs(1), tag).map_err(|error| match &error {
            IntervalLogWriterError::IoError(error) => failed(error),
            IntervalLogWriterError::SerializeError(error) => failed(error),
        })?;
    }
    // What a buffer still holds would be dropped with it, and so would the error.
    out.flush().map_err(|error| failed(&error))
}

fn plain(tag: &str) -> String {
    tag.chars().map(|c| if c == ',' || c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}
