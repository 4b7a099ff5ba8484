//! Histogram logs of HdrHistogram: one line an interval. Values are taken for nanoseconds, as jHiccup and Tare write them: the format
//! doesn't say.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use tare_histogram_log::{Entry, ReadError, merged};

use crate::fault::Fault;
use crate::limits::time;
use crate::reading::{CaseRead, Reading, Source};
use crate::when;

pub(super) fn is(text: &str) -> bool {
    let line = |line: &str| line.starts_with("#[") || line.starts_with("\"StartTimestamp\"");
    text.lines().take(20).any(line) && text.contains("HISTF")
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("HdrHistogram");
    // Each line by itself: one that is broken costs its interval.
    let mut intervals = Vec::new();
    for (number, line) in source.bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match tare_histogram_log::read(&[line.trim_ascii_end(), b"\n"].concat()) {
            Ok(log) => {
                if let Some(started) = log.started {
                    reading.started = when::of_seconds(started.as_secs_f64());
                }
                intervals.extend(log.entries);
            }
            Err(error) => {
                let what = match error {
                    ReadError::Line { .. } => "it isn't a line of a histogram log".to_owned(),
                    ReadError::Histogram { what, .. } => format!("its histogram can't be decoded: {what}"),
                };
                reading.leave_out(&format!("line {}: {what}", number + 1));
            }
        }
    }
    let mut by_tag: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &intervals {
        by_tag.entry(entry.tag.as_deref().unwrap_or_default()).or_default().push(entry);
    }
    for (tag, entries) in by_tag {
        let seconds = entries.iter().map(|entry| entry.duration.as_secs_f64()).sum();
        let mut case = CaseRead::new("latency", if tag.is_empty() { "logged" } else { tag });
        let read = match merged(entries.into_iter()).filter(|histogram| !histogram.is_empty()) {
            Some(histogram) => one(&mut case, &histogram, seconds),
            None => Err(Fault::of_file("its intervals hold no value")),
        };
        reading.take(case, read);
    }
    reading.notice("values were taken for nanoseconds: a histogram log doesn't say its unit".to_owned());
    reading.checked()
}

fn one(case: &mut CaseRead, histogram: &Histogram<u64>, seconds: f64) -> Result<(), Fault> {
    let time = |value: f64| time(value, 1.0, crate::fault::Position::default);
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
    Ok(())
}
