//! oha's `--output-format json`.

use super::requests::{failures, is_expected, keep};
use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};
use tare_statistics::GivenFigures;

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    root.get("summary").is_some() && root.get("latencyPercentiles").is_some()
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("oha");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let summary = root.member("summary");
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
    if let Some(total) = case.figure(seconds(&summary, "total")) {
        case.metric("duration_ns", total);
    }
    for (name, at) in root.member("latencyPercentiles").members() {
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
    let mut is_known = !answers.is_empty();
    let mut what = Vec::new();
    for (code, at) in answers {
        let Some(value) = case.figure(whole(&at)) else {
            is_known = false;
            continue;
        };
        requests += value;
        if !is_expected(code) {
            bad += value;
            what.push(format!("status {code} {value} times"));
        }
        case.metric(format!("status_{code}"), value as f64);
    }
    case.given.samples = (is_known && requests > 0).then_some(requests);
    for (error, at) in root.get("errorDistribution").map(|at| at.members()).unwrap_or_default() {
        let Some(times) = case.figure(whole(&at)) else { continue };
        // What `-z` cuts off at its end was no failure.
        if error != "aborted due to deadline" {
            lost += times;
            what.push(format!("{} {times} times", error.chars().take(60).collect::<String>()));
        }
        case.metric(format!("error: {error}"), times as f64);
    }
    // `--stats-success-breakdown` has the latencies of what succeeded beside those of all.
    let good = root.get("latencyPercentilesSuccessful").filter(|_| is_known && bad > 0 && bad < requests);
    let inside = match &good {
        Some(good) => {
            case.given = GivenFigures { dependent: true, samples: Some(requests - bad), ..GivenFigures::default() };
            for (name, at) in good.members().into_iter().filter(|(_, at)| *at.value != Json::Null) {
                let Some(value) = case.figure(at.number().and_then(|value| time(value, 1e9, || at.place())).map(Some))
                else {
                    continue;
                };
                case.reported.metrics.retain(|(own, _)| *own != format!("{name}_ns"));
                case.metric(format!("{name}_ns"), value);
                keep(&mut case, name, value);
            }
            0
        }
        None => bad,
    };
    let is_empty = case.given.mean.or(case.given.median).is_none_or(|mean| mean == 0.0);
    if !is_known && bad + lost > 0 && !is_empty {
        // How many there were isn't told.
        case.failures = Some(format!("{} requests failed: {}", bad + lost, what.join(", ")));
    } else if requests > 0 || is_empty {
        failures(&mut case, (bad + lost, inside, requests + lost), &what.join(", "));
    }
    reading.cases.push(case);
    reading.checked()
}

/// A count of answers or of errors.
fn whole(at: &At<'_>) -> Result<Option<u64>, Fault> {
    at.number().and_then(|number| count(number, || at.place())).map(Some)
}
