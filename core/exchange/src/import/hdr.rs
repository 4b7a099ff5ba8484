//! Histogram logs of HdrHistogram: one line an interval. Values are taken for nanoseconds, as jHiccup and Tare write them: the format
//! doesn't say.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry, LogIteratorError};

use crate::fault::Fault;
use crate::limits::time;
use crate::reading::{CaseRead, Reading, Source};
use crate::when;

/// What comes before a payload: a cookie, its length, and the histogram's bounds.
const HEAD: usize = 40;
const PLAIN: u32 = 0x1c84_9313;
const DEFLATED: u32 = 0x1c84_9314;
/// Deflate makes no more of a byte (zlib, "Technical Details").
const MOST_INFLATED: usize = 1032;
/// Histograms of five digits have up to 6.4 million counts, each of up to nine bytes.
const LARGEST_PAYLOAD: usize = 64 << 20;

pub(super) fn is(text: &str) -> bool {
    let line = |line: &str| line.starts_with("#[") || line.starts_with("\"StartTimestamp\"");
    text.lines().take(20).any(line) && text.contains("HISTF")
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("HdrHistogram");
    let mut by_tag: BTreeMap<String, (Histogram<u64>, f64)> = BTreeMap::new();
    let mut deserializer = Deserializer::new();
    let mut intervals = 0;
    for line in IntervalLogIterator::new(&source.bytes) {
        let interval = match line {
            Ok(LogEntry::Interval(interval)) => interval,
            Ok(LogEntry::StartTime(start)) => {
                reading.started = when::of_seconds(start.as_secs_f64());
                continue;
            }
            Ok(_) => continue,
            Err(LogIteratorError::ParseError { offset }) => {
                let upto = &source.bytes[..offset.min(source.bytes.len())];
                let line = 1 + upto.iter().filter(|byte| **byte == b'\n').count();
                return Err(Fault::at_line(line, "the line is none of a histogram log"));
            }
        };
        intervals += 1;
        let undecodable =
            |what: String| Fault::of_file(format!("the histogram of interval {intervals} can't be decoded: {what}"));
        let encoded = STANDARD.decode(interval.encoded_histogram()).map_err(|error| undecodable(error.to_string()))?;
        check_length(&encoded).map_err(undecodable)?;
        let histogram: Histogram<u64> =
            deserializer.deserialize(&mut encoded.as_slice()).map_err(|error| undecodable(error.to_string()))?;
        let tag = interval.tag().map(|tag| tag.as_str().to_owned()).unwrap_or_default();
        if !by_tag.contains_key(&tag) {
            let empty = Histogram::new(3).map_err(|error| Fault::of_file(error.to_string()))?;
            by_tag.insert(tag.clone(), (empty, 0.0));
        }
        if let Some((merged, seconds)) = by_tag.get_mut(&tag) {
            for bucket in histogram.iter_recorded() {
                let value = histogram.lowest_equivalent(bucket.value_iterated_to());
                merged.record_n(value, bucket.count_at_value()).map_err(|error| undecodable(error.to_string()))?;
            }
            *seconds += interval.duration().as_secs_f64();
        }
    }
    for (tag, (histogram, seconds)) in by_tag.iter().filter(|(_, (histogram, _))| !histogram.is_empty()) {
        reading.cases.push(one(tag, histogram, *seconds)?);
    }
    if reading.cases.is_empty() {
        return Err(Fault::of_file(format!("there is nothing in it: {intervals} intervals without a value")));
    }
    reading.notice("values were taken for nanoseconds: a histogram log doesn't say its unit".to_owned());
    reading.checked()
}

fn one(tag: &str, histogram: &Histogram<u64>, seconds: f64) -> Result<CaseRead, Fault> {
    let mut case = CaseRead::new("latency", if tag.is_empty() { "logged" } else { tag });
    let time = |value: f64| time(value, 1.0, crate::fault::Place::default);
    case.given.dependent = true;
    case.given.mean = Some(time(histogram.mean())?);
    case.given.stddev = Some(time(histogram.stdev())?);
    case.given.min = Some(time(histogram.min() as f64)?);
    case.given.max = Some(time(histogram.max() as f64)?);
    let at = |percentile: f64| time(histogram.value_at_percentile(percentile) as f64);
    case.given.median = Some(at(50.0)?);
    case.given.p95 = Some(at(95.0)?);
    case.given.p99 = Some(at(99.0)?);
    case.given.samples = Some(histogram.len());
    for (name, percentile) in
        [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)]
    {
        case.metric(format!("{name}_ns"), at(percentile)?);
    }
    if seconds > 0.0 {
        case.metric("per_s", histogram.len() as f64 / seconds);
    }
    Ok(case)
}

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
