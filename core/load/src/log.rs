//! Histograms in HdrHistogram's log format, version 2 of the encoding: one line for each interval, as its tools draw and merge.
//!
//! Source: the format of HistogramLogWriter of the HdrHistogram project; the codec is that of the `hdrhistogram` crate.

use std::io::{Read, Write};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriterBuilder, IntervalLogWriterError, LogEntry, LogIteratorError, Tag,
};

use crate::histogram::{DIGITS, Latencies};
use crate::series::Series;

/// Why a log can't be written or read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Writing failed.
    #[error("the histogram log can't be written: {0}")]
    Write(String),
    /// A line is none of the format.
    #[error("after {intervals} intervals comes a line that is none of a histogram log: {what}")]
    Line {
        /// Intervals read before it.
        intervals: usize,
        /// What is wrong.
        what: String,
    },
    /// The histogram of a line can't be decoded.
    #[error("the histogram of interval {interval} can't be decoded: {what}")]
    Histogram {
        /// Which, from 1.
        interval: usize,
        /// What is wrong.
        what: String,
    },
}

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
/// [`LogError::Write`].
pub fn write(out: &mut impl Write, started: SystemTime, targets: &[Logged<'_>]) -> Result<(), LogError> {
    let failed = |error: &dyn std::fmt::Display| LogError::Write(error.to_string());
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

/// One line of a log.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The tag, where the line has one.
    pub tag: Option<String>,
    /// Its beginning, as the log says it: after the start of the log, or since 1970.
    pub start: Duration,
    /// How long it lasted.
    pub duration: Duration,
    /// Its values in ascending order, in the log's own unit, which the format doesn't say: nanoseconds in those of jHiccup and of Tare.
    /// Each with how often it was seen. A whole histogram takes many times the memory.
    counts: Vec<(u64, u64)>,
}

impl Entry {
    /// How many values it holds.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |all, (_, count)| all.saturating_add(*count))
    }
}

/// Reads a log.
///
/// # Errors
/// [`LogError::Line`] and [`LogError::Histogram`].
pub fn read(text: &[u8]) -> Result<Vec<Entry>, LogError> {
    let mut entries = Vec::new();
    let mut deserializer = Deserializer::new();
    for line in IntervalLogIterator::new(text) {
        let interval = match line {
            Ok(LogEntry::Interval(interval)) => interval,
            Ok(_) => continue,
            Err(LogIteratorError::ParseError { offset }) => {
                let what = format!("at byte {offset}");
                return Err(LogError::Line { intervals: entries.len(), what });
            }
        };
        let number = entries.len() + 1;
        let undecodable = |what: String| LogError::Histogram { interval: number, what };
        let encoded = STANDARD.decode(interval.encoded_histogram()).map_err(|error| undecodable(error.to_string()))?;
        check_length(&encoded).map_err(undecodable)?;
        let histogram =
            deserializer.deserialize(&mut encoded.as_slice()).map_err(|error| undecodable(error.to_string()))?;
        entries.push(Entry {
            tag: interval.tag().map(|tag| tag.as_str().to_owned()),
            start: interval.start_timestamp(),
            duration: interval.duration(),
            counts: counts(&histogram),
        });
    }
    Ok(entries)
}

/// What comes before a payload: a cookie, its length, and the histogram's bounds.
const HEAD: usize = 40;
const PLAIN: u32 = 0x1c84_9313;
const DEFLATED: u32 = 0x1c84_9314;
/// Deflate makes no more of a byte (zlib, "Technical Details").
const MOST_INFLATED: usize = 1032;
/// Histograms of five digits have up to 6.4 million counts, each of up to nine bytes.
const LARGEST_PAYLOAD: usize = 64 << 20;

/// Refuses what claims to be longer than it can be: the decoder makes room for all of it before it reads any.
fn check_length(encoded: &[u8]) -> Result<(), String> {
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_be_bytes);
    let mut head = [0; 8];
    let (inner, most): (&[u8], usize) = match encoded.get(..8).map(|outer| (number(&outer[..4]), &encoded[8..])) {
        Some((PLAIN, rest)) => (&encoded[..8], (rest.len() + 8).saturating_sub(HEAD)),
        Some((DEFLATED, deflated)) => {
            ZlibDecoder::new(deflated).read_exact(&mut head).map_err(|error| error.to_string())?;
            (&head, deflated.len().saturating_mul(MOST_INFLATED))
        }
        // The decoder says what it is instead.
        _ => return Ok(()),
    };
    let claimed = number(&inner[4..]) as usize;
    match claimed <= most.min(LARGEST_PAYLOAD) {
        true => Ok(()),
        false => Err(format!("it claims {claimed} bytes of counts, more than {} bytes can hold", encoded.len())),
    }
}

/// The lowest value of each bucket that isn't empty, and how many it holds.
fn counts(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    let lowest = |value: u64| histogram.lowest_equivalent(value);
    histogram.iter_recorded().map(|bucket| (lowest(bucket.value_iterated_to()), bucket.count_at_value())).collect()
}

/// All entries merged, to three digits, as the format's own tools accumulate them: entries of one log may be kept to different
/// digits and from different units on. `None` where there is none.
pub fn merged<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<Histogram<u64>> {
    let mut merged: Option<Histogram<u64>> = None;
    for entry in entries {
        if merged.is_none() {
            // It grows as the values need.
            merged = Histogram::new(DIGITS).ok();
        }
        if let Some(merged) = &mut merged {
            for (value, count) in &entry.counts {
                let _ = merged.record_n(*value, *count);
            }
        }
    }
    merged
}
