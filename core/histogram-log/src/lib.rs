//! Histogram logs of the HdrHistogram project as they are read: one line an interval, each with a whole histogram.
//!
//! Source: the format of HistogramLogWriter of the HdrHistogram project; the codec is that of the `hdrhistogram` crate.

use std::io::Read;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry, LogIteratorError};

/// Decimal digits that are kept of merged values: an error of 0.05 % at most.
const DIGITS: u8 = 3;

/// Why a log can't be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ReadError {
    /// A line is none of the format.
    #[error("line {line} isn't a line of a histogram log, after {intervals} intervals")]
    Line {
        /// Which, from 1.
        line: usize,
        /// Intervals read before it.
        intervals: usize,
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

/// What is in a log.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// When it began, since 1970, where it says so.
    pub started: Option<Duration>,
    /// Its intervals in their order.
    pub entries: Vec<Entry>,
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
/// [`ReadError`].
pub fn read(text: &[u8]) -> Result<Log, ReadError> {
    let mut log = Log::default();
    let mut deserializer = Deserializer::new();
    for line in IntervalLogIterator::new(text) {
        let interval = match line {
            Ok(LogEntry::Interval(interval)) => interval,
            Ok(LogEntry::StartTime(start)) => {
                log.started = Some(start);
                continue;
            }
            Ok(_) => continue,
            Err(LogIteratorError::ParseError { offset }) => {
                let before = &text[..offset.min(text.len())];
                let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
                return Err(ReadError::Line { line, intervals: log.entries.len() });
            }
        };
        let number = log.entries.len() + 1;
        let undecodable = |what: String| ReadError::Histogram { interval: number, what };
        let encoded = STANDARD.decode(interval.encoded_histogram()).map_err(|error| undecodable(error.to_string()))?;
        check_length(&encoded).map_err(undecodable)?;
        let histogram =
            deserializer.deserialize(&mut encoded.as_slice()).map_err(|error| undecodable(error.to_string()))?;
        log.entries.push(Entry {
            tag: interval.tag().map(|tag| tag.as_str().to_owned()),
            start: interval.start_timestamp(),
            duration: interval.duration(),
            counts: counts(&histogram),
        });
    }
    Ok(log)
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
