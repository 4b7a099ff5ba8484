//! Summaries of load generators: oha's JSON, k6's summary, wrk's and wrk2's text. Latencies of requests that wait for each other: their
//! percentiles are kept, and no interval is made of their scatter. Requests that failed are told, and where too many of them are in the
//! latencies, there is no time.

use std::collections::BTreeMap;

use crate::fault::{Fault, Position};
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};
use tare_statistics::Given;

pub(super) fn is_oha(json: &Json) -> bool {
    let root = At::root(json);
    root.get("summary").is_some() && root.get("latencyPercentiles").is_some()
}

pub(super) fn read_oha(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("oha");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let summary = root.need("summary")?;
    let seconds = |of: &At<'_>, name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = of.get(name) else { return Ok(None) };
        time(at.number()?, 1e9, || at.place()).map(Some)
    };
    let mut case = CaseRead::new("http", "requests");
    case.given.dependent = true;
    case.given.mean = case.figure(seconds(&summary, "average"));
    case.given.min = case.figure(seconds(&summary, "fastest"));
    case.given.max = case.figure(seconds(&summary, "slowest"));
    for (name, metric) in
        [("requestsPerSec", "requests_per_s"), ("successRate", "success_rate"), ("sizePerSec", "bytes_per_s")]
    {
        if let Some(value) = case.figure(summary.maybe(name)) {
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
        if let Some(value) = case.figure(at.number().and_then(|value| time(value, 1e9, || at.place())).map(Some)) {
            case.metric(format!("{name}_ns"), value);
            keep(&mut case, name, value);
        }
    }
    let answers = root.get("statusCodeDistribution").map(|at| at.members()).unwrap_or_default();
    let (mut requests, mut bad, mut lost) = (0, 0, 0);
    let mut what = Vec::new();
    for (code, at) in answers {
        let value = count(at.number()?, || at.place())?;
        requests += value;
        if !is_expected(code) {
            bad += value;
            what.push(format!("status {code} {value} times"));
        }
        case.metric(format!("status_{code}"), value as f64);
    }
    if requests > 0 {
        case.given.samples = Some(requests);
    }
    for (error, at) in root.get("errorDistribution").map(|at| at.members()).unwrap_or_default() {
        let times = count(at.number()?, || at.place())?;
        // What `-z` cuts off at its end was no failure.
        if error != "aborted due to deadline" {
            lost += times;
            what.push(format!("{} {times} times", error.chars().take(60).collect::<String>()));
        }
        case.metric(format!("error: {error}"), times as f64);
    }
    // `--stats-success-breakdown` has the latencies of what succeeded beside those of all.
    let good = root.get("latencyPercentilesSuccessful").filter(|_| bad > 0 && bad < requests);
    let inside = match &good {
        Some(good) => {
            case.given = Given { dependent: true, samples: Some(requests - bad), ..Given::default() };
            for (name, at) in good.members().into_iter().filter(|(_, at)| *at.value != Json::Null) {
                let value = time(at.number()?, 1e9, || at.place())?;
                case.reported.metrics.retain(|(own, _)| *own != format!("{name}_ns"));
                case.metric(format!("{name}_ns"), value);
                keep(&mut case, name, value);
            }
            0
        }
        None => bad,
    };
    if requests + lost > 0 || case.given.mean.is_none_or(|mean| mean == 0.0) {
        failures(&mut case, &mut reading, (bad + lost, inside, requests + lost), &what.join(", "));
    }
    reading.cases.push(case);
    reading.checked()
}

/// A share of failures from which on latencies that hold failures, too, say nothing of the others.
const MOST_FAILED: f64 = 0.01;

/// Says that requests failed. `inside` are those of them whose latencies are in the figures.
fn failures(case: &mut CaseRead, reading: &mut Reading, (failed, inside, all): (u64, u64, u64), what: &str) {
    if failed == 0 && all > 0 {
        return;
    }
    let told = format!("{failed} of {all} requests failed{}{what}", if what.is_empty() { "" } else { ": " });
    if failed >= all {
        case.failed = Some(told);
    } else if inside as f64 >= MOST_FAILED * all as f64 {
        case.failed = Some(format!("{told}; its latencies are of all together, so those of the others aren't known"));
    } else {
        let shown = case.shown();
        reading.notice(format!("{shown}: {told}"));
        case.reported.labels.push(told);
    }
    if case.failed.is_some() {
        case.given = Given::default();
    }
}

/// Whether a status is that of an answer that was wanted: 200 to 299.
fn is_expected(status: &str) -> bool {
    status.len() == 3 && status.starts_with('2')
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
    let results = root.get("results").filter(|results| results.get("metrics").is_some());
    let own = ["iterations", "iteration_duration", "http_reqs", "http_req_duration", "data_sent"];
    results.is_some_and(|_| root.get("metadata").is_some_and(|metadata| metadata.get("k6Version").is_some()))
        || root.get("metrics").is_some_and(|metrics| own.iter().any(|name| metrics.get(name).is_some()))
}

/// `--summary-export` (members beside each other), what `handleSummary` gets (under `values`), and the summary of k6 2 (a list under `results`).
/// Times are milliseconds.
pub(super) fn read_k6(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("k6");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let (metrics, nameless) = k6_metrics(&root)?;
    for _ in 0..nameless {
        reading.leave_out("a metric without a name");
    }
    if let Some(metadata) = root.get("metadata") {
        reading.version = metadata.text_or_empty("k6Version");
    }
    let failed = metrics.iter().find(|(name, _)| *name == "http_req_failed").and_then(|(_, at)| k6_failed(at));
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
                let told = values.get("count").and_then(|at| at.number().ok());
                requests = told.and_then(|told| count(told, || values.place()).ok());
            }
            if *name == "checks"
                && let Some((failed, all)) =
                    k6_failed(metric).map(|(passed, all)| (all - passed, all)).filter(|(failed, _)| *failed > 0)
            {
                reading.notice(format!("{failed} of {all} checks failed"));
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
                let told = at.number().and_then(|told| count(told, || at.place()));
                case.given.samples = case.figure(told.map(Some));
                continue;
            }
            let Some(value) = case.figure(at.number().and_then(|value| time(value, 1e6, || at.place())).map(Some))
            else {
                continue;
            };
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
        let of_good = name.contains("expected_response:true");
        if let Some((failed, all)) = failed.filter(|_| name.starts_with("http_req_") || *name == "iteration_duration") {
            let inside = if of_good { 0 } else { failed };
            if !of_good || failed == all {
                let see = if failed < all { "http_req_duration{expected_response:true} has the others" } else { "" };
                failures(&mut case, &mut reading, (failed, inside, all), see);
            }
        }
        reading.take(case, Ok(()));
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

/// Metrics by name, and how many have none.
fn k6_metrics<'a>(root: &At<'a>) -> Result<(Vec<(&'a str, At<'a>)>, usize), Fault> {
    let Some(results) = root.get("results") else { return Ok((root.need("metrics")?.members(), 0)) };
    let mut metrics = results.need("metrics")?.entries()?;
    if let Some(checks) = results.get("checks").and_then(|checks| checks.get("metrics")) {
        metrics.extend(checks.entries()?);
    }
    let all = metrics.len();
    let named = |metric: At<'a>| Some((metric.get("name")?.text().ok()?, metric));
    let named: Vec<_> = metrics.into_iter().filter_map(named).collect();
    let nameless = all - named.len();
    Ok((named, nameless))
}

/// How often a rate was true, and of how many: `http_req_failed` is true of a request that failed.
fn k6_failed(metric: &At<'_>) -> Option<(u64, u64)> {
    let values = metric.get("values").unwrap_or_else(|| metric.clone());
    let whole = |name: &str| {
        let at = values.get(name)?;
        count(at.number().ok()?, || at.place()).ok()
    };
    match (whole("matches"), whole("total"), whole("passes"), whole("fails")) {
        (Some(matches), Some(total), ..) => Some((matches, total)),
        (_, _, Some(passes), Some(fails)) => Some((passes, passes + fails)),
        _ => None,
    }
    .filter(|(_, all)| *all > 0)
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

/// A summary of wrk's while it is read.
#[derive(Default)]
struct Wrk {
    case: CaseRead,
    requests: Option<u64>,
    bad: u64,
    errors: u64,
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
                let digits = fields.iter().filter_map(|field| field.trim_end_matches(',').parse::<u64>().ok());
                self.errors = digits.fold(0, u64::saturating_add);
                self.what.push(line.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// The summary is over.
    fn end(mut self, reading: &mut Reading) {
        let mut read = self.broken.map_or(Ok(()), Err);
        match self.requests {
            Some(0) => {
                let what = if self.what.is_empty() { "0 requests".to_owned() } else { self.what.join(", ") };
                (self.case.failed, self.case.given) = (Some(format!("there was no answer: {what}")), Given::default());
                read = Ok(());
            }
            Some(requests) if self.bad + self.errors > 0 => {
                let all = requests.saturating_add(self.errors);
                let failed = self.bad.min(requests) + self.errors;
                failures(&mut self.case, reading, (failed, self.bad, all), &self.what.join(", "));
            }
            _ if self.case.given.mean.is_none() && read.is_ok() => {
                read = Err(Fault::of_file("the summary has no line of latencies; it may have been cut off"));
            }
            _ => {}
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
        _ => return Err(Fault::new(place(), format!("{shown:?} is no time with a unit"))),
    };
    let value = digits.parse::<f64>().map_err(|_| Fault::new(place(), format!("{shown:?} is no time with a unit")))?;
    time(value, unit, place)
}
