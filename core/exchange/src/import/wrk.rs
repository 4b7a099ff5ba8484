//! Standard output of wrk and wrk2.

use super::requests::{failures, keep};
use crate::fault::{Fault, Position};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};
use tare_statistics::GivenFigures;

pub(super) fn is(text: &str) -> bool {
    text.lines().take(50).any(|line| line.trim_start().starts_with("Running ") && line.contains(" test @ "))
}

/// One summary after another; each is a case, by its address.
pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("wrk");
    let mut open: Option<Wrk> = None;
    for (number, line) in source.text()?.lines().enumerate() {
        let line = line.trim();
        if let Some((_, address)) = line.split_once(" test @ ").filter(|_| line.starts_with("Running ")) {
            let mut case = CaseRead::new("http", address.trim());
            case.given.dependent = true;
            let before = open.replace(Wrk { case, ..Wrk::default() });
            before.into_iter().for_each(|before| before.end(&mut reading));
        } else if line.starts_with("Thread calibration:") {
            reading.tool = "wrk2".to_owned();
        } else if let Some(wrk) = &mut open
            && let Err(fault) = wrk.line(line, || Position::Line(number as u64 + 1))
        {
            wrk.broken.get_or_insert(fault);
        }
    }
    open.into_iter().for_each(|last| last.end(&mut reading));
    reading.checked()
}

const CUT_OFF: &str = "the summary has no line of latencies; it may have been cut off";

/// A summary of wrk's while it is read.
#[derive(Default)]
struct Wrk {
    case: CaseRead,
    requests: Option<u64>,
    bad: u64,
    /// Sockets that failed before there was an answer.
    errors: u64,
    /// Answers that came too late. wrk counts them among its requests and keeps no latency of them; wrk2 doesn't count them.
    late: u64,
    /// What failed, in wrk's own words.
    what: Vec<String>,
    /// wrk2's second list of percentiles, of what it calls uncorrected: it isn't the latency that clients saw.
    uncorrected: bool,
    broken: Option<Fault>,
}

impl Wrk {
    fn line(&mut self, line: &str, at: impl Fn() -> Position + Copy) -> Result<(), Fault> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let case = &mut self.case;
        match fields.as_slice() {
            ["Latency", "Distribution", ..] => self.uncorrected = line.contains("Uncorrected"),
            ["Latency", mean, deviation, most, ..] => {
                case.given.mean = Some(latency(mean, at)?);
                case.given.stddev = case.figure(latency(deviation, at).map(Some));
                case.given.max = case.figure(latency(most, at).map(Some));
            }
            [share, value]
                if share.ends_with('%') && share.starts_with(|c: char| c.is_ascii_digit()) && !self.uncorrected =>
            {
                let share = share.trim_end_matches('%');
                if let Some(value) = case.figure(latency(value, at).map(Some)) {
                    case.metric(format!("p{share}_ns"), value);
                    keep(case, share, value);
                }
            }
            [threads, "threads", "and", connections, "connections"] => {
                let settings = [("threads", *threads), ("connections", *connections)];
                case.set(settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
            }
            [requests, "requests", "in", duration, ..] => {
                let requests = requests.parse::<f64>().map_err(|_| Fault::new(at(), "no count of requests"))?;
                let requests = count(requests, at)?;
                (case.given.samples, self.requests) = (Some(requests), Some(requests));
                if let Some(duration) = case.figure(latency(duration.trim_end_matches(','), at).map(Some)) {
                    case.metric("duration_ns", duration);
                }
            }
            ["Requests/sec:", rate] => case.metric("requests_per_s", rate.parse().unwrap_or(f64::NAN)),
            ["Non-2xx", "or", "3xx", "responses:", bad] => {
                self.bad = bad.parse().map_err(|_| Fault::new(at(), "no count of responses"))?;
                case.metric("bad_responses", self.bad as f64);
                self.what.push(line.to_owned());
            }
            ["Socket", "errors:", ..] => {
                for pair in fields[2..].chunks_exact(2) {
                    let Ok(times) = pair[1].trim_end_matches(',').parse::<u64>() else { continue };
                    let which = if pair[0] == "timeout" { &mut self.late } else { &mut self.errors };
                    *which = which.saturating_add(times);
                }
                self.what.push(line.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// The summary is over.
    fn end(mut self, reading: &mut Reading) {
        let mut read = self.broken.map_or(Ok(()), Err);
        if reading.tool == "wrk2" {
            self.errors = self.errors.saturating_add(std::mem::take(&mut self.late));
        }
        match self.requests {
            Some(0) => {
                let what = if self.what.is_empty() { "0 requests".to_owned() } else { self.what.join(", ") };
                (self.case.failed, self.case.given) =
                    (Some(format!("there was no answer: {what}")), GivenFigures::default());
                read = Ok(());
            }
            Some(requests) => {
                let timed = requests.saturating_sub(self.late);
                self.case.given.samples = Some(timed);
                if timed == 0 || self.case.given.mean == Some(0.0) {
                    let what = self.what.join(", ");
                    self.case.given = GivenFigures::default();
                    self.case.reported.metrics.retain(|(name, _)| !name.starts_with('p'));
                    self.case.failed = Some(format!("wrk recorded no latency of {requests} requests: {what}"));
                } else if self.bad + self.errors + self.late > 0 {
                    let all = requests.saturating_add(self.errors);
                    let failed = self.bad.saturating_add(self.late).min(requests).saturating_add(self.errors);
                    failures(&mut self.case, (failed, self.bad, all), &self.what.join(", "));
                } else if self.case.given.mean.is_none() && read.is_ok() {
                    read = Err(Fault::of_file(CUT_OFF));
                }
            }
            None if self.case.given.mean.is_none() && read.is_ok() => read = Err(Fault::of_file(CUT_OFF)),
            None => {}
        }
        reading.take(self.case, read);
    }
}

/// `6.46ms`, `1.20s`, `921.00us`, `1.50m`.
fn latency(text: &str, place: impl Fn() -> Position) -> Result<f64, Fault> {
    let shown: String = text.chars().take(40).collect();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return Err(Fault::new(place(), format!("{shown:?} is not a time with a unit"))),
    };
    let value =
        digits.parse::<f64>().map_err(|_| Fault::new(place(), format!("{shown:?} is not a time with a unit")))?;
    time(value, unit, place)
}
