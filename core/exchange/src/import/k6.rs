//! k6's summaries: `--summary-export`, `handleSummary`, and that of k6 2.

use std::collections::BTreeMap;

use super::requests::{failures, keep};
use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    let results = root.get("results").filter(|results| results.get("metrics").is_some());
    let own = ["iterations", "iteration_duration", "http_reqs", "http_req_duration", "data_sent"];
    results.is_some_and(|_| root.get("metadata").is_some_and(|metadata| metadata.get("k6Version").is_some()))
        || root.get("metrics").is_some_and(|metrics| own.iter().any(|name| metrics.get(name).is_some()))
}

/// `--summary-export` (members beside each other), what `handleSummary` gets (under `values`), and the summary of k6 2 (a list under `results`).
/// Times are milliseconds.
pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("k6");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let (metrics, nameless) = all_metrics(&root)?;
    for _ in 0..nameless {
        reading.leave_out("a metric without a name");
    }
    if let Some(metadata) = root.get("metadata") {
        reading.version = metadata.text_or_empty("k6Version");
    }
    let failed = metrics.iter().find(|(name, _)| *name == "http_req_failed").and_then(|(_, at)| share(at));
    let mut others: BTreeMap<String, f64> = BTreeMap::new();
    let mut requests = None;
    for (name, metric) in &metrics {
        let values = metric.get("values").unwrap_or_else(|| metric.clone());
        for condition in crossed(metric) {
            reading.notice(format!("k6's threshold {condition} on {name} was crossed"));
        }
        let Some(is_time) = is_time(name, metric, values.get("avg").is_some()) else {
            let shown: String = name.chars().take(100).collect();
            reading.leave_out(&format!("it is unknown whether the metric {shown} is a time"));
            continue;
        };
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
                    share(metric).map(|(passed, all)| (all - passed, all)).filter(|(failed, _)| *failed > 0)
            {
                reading.notice(format!("{failed} of {all} checks failed"));
            }
            continue;
        }
        let mut case = CaseRead::new("http", *name);
        case.given.dependent = true;
        for (figure, at) in values.members() {
            if matches!(figure, "name" | "type" | "contains" | "thresholds") {
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
                failures(&mut case, (failed, inside, all), see);
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

/// Whether a metric is a trend of times; `None` where it says so by words that are none of k6's, or not at all. The export has no words: there k6's own
/// are known by their names.
fn is_time(name: &str, metric: &At<'_>, has_mean: bool) -> Option<bool> {
    let (kind, contains) = (metric.text_or_empty("type"), metric.text_or_empty("contains"));
    let is_trend = match kind.as_str() {
        "trend" => true,
        // One whose mean is lost is one still.
        "" => has_mean || is_own_time(name),
        "counter" | "gauge" | "rate" => has_mean,
        _ if has_mean => true,
        _ => return None,
    };
    match contains.as_str() {
        "time" => Some(is_trend),
        "default" | "data" => Some(false),
        "" if !is_trend || kind.is_empty() || is_own_time(name) => Some(is_trend && is_own_time(name)),
        _ => None,
    }
}

/// A metric and its name.
type Named<'a> = (&'a str, At<'a>);

/// Metrics by name, and how many have none.
fn all_metrics<'a>(root: &At<'a>) -> Result<(Vec<Named<'a>>, usize), Fault> {
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
fn share(metric: &At<'_>) -> Option<(u64, u64)> {
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

/// Thresholds that didn't hold. `--summary-export` writes true of one that was crossed; what `handleSummary` gets has `ok`.
fn crossed(metric: &At<'_>) -> Vec<String> {
    let thresholds = metric.get("thresholds").map(|at| at.members()).unwrap_or_default();
    let is_crossed = |at: &At<'_>| match at.value {
        Json::Bool(crossed) => *crossed,
        _ => matches!(at.get("ok").map(|ok| ok.value), Some(Json::Bool(false))),
    };
    let shown = |name: &str| name.chars().take(100).collect();
    thresholds.into_iter().filter(|(_, at)| is_crossed(at)).map(|(name, _)| shown(name)).collect()
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
