//! Summaries of load generators: oha's JSON, k6's summary, wrk's and wrk2's text. Latencies of requests that wait for each other: their
//! percentiles are kept, and no interval is made of their scatter.

use std::collections::BTreeMap;

use crate::fault::{Fault, Position};
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};

pub(super) fn is_oha(json: &Json) -> bool {
    let root = At::root(json);
    root.get("summary").is_some() && root.get("latencyPercentiles").is_some()
}

pub(super) fn read_oha(source: &Source) -> Result<Reading, Fault> {
    let json = parse(&source.bytes)?;
    let root = At::root(&json);
    let summary = root.need("summary")?;
    let seconds = |of: &At<'_>, name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = of.get(name) else { return Ok(None) };
        time(at.number()?, 1e9, || at.place()).map(Some)
    };
    let mut case = CaseRead::new("http", "requests");
    case.given.dependent = true;
    case.given.mean = seconds(&summary, "average")?;
    case.given.min = seconds(&summary, "fastest")?;
    case.given.max = seconds(&summary, "slowest")?;
    for (name, metric) in
        [("requestsPerSec", "requests_per_s"), ("successRate", "success_rate"), ("sizePerSec", "bytes_per_s")]
    {
        if let Some(value) = summary.maybe(name)? {
            case.metric(metric, value);
        }
    }
    if let Some(total) = seconds(&summary, "total")? {
        case.metric("duration_ns", total);
    }
    let percentiles = root.need("latencyPercentiles")?;
    for (name, at) in percentiles.members() {
        if *at.value == Json::Null {
            continue;
        }
        let value = time(at.number()?, 1e9, || at.place())?;
        case.metric(format!("{name}_ns"), value);
        keep(&mut case, name, value);
    }
    let answers = root.get("statusCodeDistribution").map(|at| at.members()).unwrap_or_default();
    let mut requests = 0;
    for (code, at) in answers {
        let value = count(at.number()?, || at.place())?;
        requests += value;
        case.metric(format!("status_{code}"), value as f64);
    }
    if requests > 0 {
        case.given.samples = Some(requests);
    }
    for (error, at) in root.get("errorDistribution").map(|at| at.members()).unwrap_or_default() {
        case.metric(format!("error: {error}"), at.number()?);
    }
    let mut reading = Reading::of("oha");
    reading.cases.push(case);
    reading.checked()
}

/// Percentiles that Tare has a place for, too.
fn keep(case: &mut CaseRead, name: &str, value: f64) {
    match name.trim_end_matches(".000") {
        "p50" | "50" | "med" | "p(50)" => case.given.median = Some(value),
        "p95" | "95" | "p(95)" => case.given.p95 = Some(value),
        "p99" | "99" | "p(99)" => case.given.p99 = Some(value),
        _ => {}
    }
}

pub(super) fn is_k6(json: &Json) -> bool {
    let root = At::root(json);
    root.get("metrics")
        .is_some_and(|metrics| metrics.get("iterations").is_some() || metrics.get("iteration_duration").is_some())
}

/// `--summary-export` (members beside each other) and what `handleSummary` gets (under `values`). Times are milliseconds.
pub(super) fn read_k6(source: &Source) -> Result<Reading, Fault> {
    let json = parse(&source.bytes)?;
    let root = At::root(&json);
    let mut reading = Reading::of("k6");
    let metrics = root.need("metrics")?.members();
    let mut others: BTreeMap<String, f64> = BTreeMap::new();
    let mut requests = None;
    for (name, metric) in &metrics {
        let kind = metric.text_or_empty("type");
        let contains = metric.text_or_empty("contains");
        let values = metric.get("values").unwrap_or_else(|| metric.clone());
        let is_trend = values.get("avg").is_some();
        // The export has no unit; k6's own trends are times, except where it says otherwise.
        let is_time = is_trend && (contains == "time" || contains.is_empty() && kind.is_empty() && is_own_time(name));
        if !is_time {
            for (figure, at) in values.members() {
                if let Ok(value) = at.number() {
                    others.insert(format!("{name}.{figure}"), value);
                }
            }
            if *name == "http_reqs" {
                requests = values.get("count").map(|at| count(at.number()?, || at.place())).transpose()?;
            }
            continue;
        }
        let mut case = CaseRead::new("http", *name);
        case.given.dependent = true;
        for (figure, at) in values.members() {
            if figure == "thresholds" || at.number().is_err() {
                continue;
            }
            if figure == "count" {
                case.given.samples = Some(count(at.number()?, || at.place())?);
                continue;
            }
            let value = time(at.number()?, 1e6, || at.place())?;
            match figure {
                "avg" => case.given.mean = Some(value),
                "min" => case.given.min = Some(value),
                "max" => case.given.max = Some(value),
                figure => {
                    keep(&mut case, figure, value);
                    case.metric(format!("{figure}_ns"), value);
                }
            }
        }
        reading.cases.push(case);
    }
    for case in &mut reading.cases {
        if case.benchmark == "http_req_duration" {
            case.given.samples = case.given.samples.or(requests);
            for (name, value) in &others {
                case.metric(name.clone(), *value);
            }
        }
    }
    // What counts comes first.
    reading.cases.sort_by_key(|case| case.benchmark != "http_req_duration");
    reading.checked()
}

fn is_own_time(name: &str) -> bool {
    let bare = name.split('{').next().unwrap_or(name);
    bare.ends_with("_duration")
        || [
            "http_req_blocked",
            "http_req_connecting",
            "http_req_receiving",
            "http_req_sending",
            "http_req_tls_handshaking",
            "http_req_waiting",
            "ws_connecting",
        ]
        .contains(&bare)
}

pub(super) fn is_wrk(text: &str) -> bool {
    text.lines().take(50).any(|line| line.trim_start().starts_with("Running ") && line.contains(" test @ "))
}

/// One summary after another; each is a case, by its address.
pub(super) fn read_wrk(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("wrk");
    for (number, line) in source.text()?.lines().enumerate() {
        let line = line.trim();
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let Some((_, address)) = line.split_once(" test @ ").filter(|_| line.starts_with("Running ")) {
            let mut case = CaseRead::new("http", address.trim());
            case.given.dependent = true;
            reading.cases.push(case);
            continue;
        }
        let Some(case) = reading.cases.last_mut() else { continue };
        let at = || Position::Line(number as u64 + 1);
        match fields.as_slice() {
            ["Latency", mean, deviation, most, ..] if mean.starts_with(|c: char| c.is_ascii_digit()) => {
                case.given.mean = Some(latency(mean, at)?);
                case.given.stddev = Some(latency(deviation, at)?);
                case.given.max = Some(latency(most, at)?);
            }
            [share, value] if share.ends_with('%') && share.starts_with(|c: char| c.is_ascii_digit()) => {
                let share = share.trim_end_matches('%');
                let value = latency(value, at)?;
                case.metric(format!("p{share}_ns"), value);
                keep(case, share, value);
            }
            [requests, "requests", "in", duration, ..] => {
                let requests = requests.parse::<f64>().map_err(|_| Fault::new(at(), "no count of requests"))?;
                case.given.samples = Some(count(requests, at)?);
                let duration = latency(duration.trim_end_matches(','), at)?;
                case.metric("duration_ns", duration);
            }
            ["Requests/sec:", rate] => {
                let rate = rate.parse::<f64>().map_err(|_| Fault::new(at(), format!("{rate:?} is no rate")))?;
                case.metric("requests_per_s", rate);
            }
            ["Non-2xx", "or", "3xx", "responses:", bad] => {
                case.metric("bad_responses", bad.parse().unwrap_or(f64::NAN))
            }
            ["Socket", "errors:", ..] => case.reported.labels.push(line.to_owned()),
            _ if line.starts_with("Thread calibration:") => reading.tool = "wrk2".to_owned(),
            _ => {}
        }
    }
    if let Some(case) = reading.cases.iter().find(|case| case.given.mean.is_none()) {
        let shown: String = case.benchmark.chars().take(60).collect();
        return Err(Fault::of_file(format!("the summary of {shown} has no line of latencies"))
            .with_remedy("it may have been cut off"));
    }
    reading.checked()
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
        _ => return Err(Fault::new(place(), format!("{shown:?} is no time with a unit"))),
    };
    let value = digits.parse::<f64>().map_err(|_| Fault::new(place(), format!("{shown:?} is no time with a unit")))?;
    time(value, unit, place)
}
