//! Google Benchmark's `--benchmark_out_format=json`.

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{MOST_FIGURES, count, time};
use crate::reading::{CaseRead, Reading, Sample, Source, reason};
use crate::when;

/// Members of a benchmark that aren't counters of its author's.
const OWN: &[&str] = &[
    "cpu_time",
    "family_index",
    "per_family_instance_index",
    "iterations",
    "real_time",
    "repetition_index",
    "repetitions",
    "threads",
    "time_unit",
    "aggregate_name",
    "aggregate_unit",
    "name",
    "run_name",
    "run_type",
    "label",
    "error_occurred",
    "error_message",
    "skipped",
    "skip_message",
    "cpu_coefficient",
    "real_coefficient",
    "big_o",
    "rms",
];

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    root.get("context").is_some() && root.get("benchmarks").is_some()
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("Google Benchmark");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let context = root.member("context");
    reading.version = context.text_or_empty("library_version");
    reading.started = when::parsed(&context.text_or_empty("date"));
    reading.fact("cpus", context.text_or_empty("num_cpus"));
    reading.fact("host", context.text_or_empty("host_name"));
    if let Some(scaling) = context.get("cpu_scaling_enabled").and_then(|at| at.printed()) {
        reading.fact("frequency-scaling", scaling);
    }
    if context.text_or_empty("library_build_type") == "debug" {
        reading.notice("the library was built without optimisation (library_build_type debug)".to_owned());
    }
    // Repetitions are of one family; two families of one name are two benchmarks.
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut failures: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut aggregates: BTreeMap<(String, String), Vec<Aggregate<'_>>> = BTreeMap::new();
    let entries = root.need("benchmarks")?.entries()?;
    let names: BTreeSet<String> = entries.iter().map(|entry| entry.text_or_empty("name")).collect();
    for entry in entries {
        let named = entry.get("run_name").or_else(|| entry.get("name")).and_then(|at| at.text().ok());
        let Some(name) = named.filter(|name| !name.is_empty()) else {
            reading.leave_out(&entry.fault("names no benchmark").to_string());
            continue;
        };
        if entry.text_or_empty("run_type") == "aggregate" {
            aggregates.entry((name.to_owned(), family(&entry))).or_default().push((entry, None));
            continue;
        }
        // Before 1.5 nothing but the name says that an entry is an aggregate: it is that of a benchmark with an ending.
        if entry.get("run_type").is_none() && is_fit(&entry) {
            continue;
        }
        let of = entry.get("run_type").is_none().then(|| old_aggregate(name, &names)).flatten();
        if let Some((of, what)) = of {
            aggregates.entry((of.to_owned(), family(&entry))).or_default().push((entry, Some(what)));
            continue;
        }
        let key = (name.to_owned(), family(&entry));
        let index = *known.entry(key).or_insert_with(|| {
            reading.cases.push(CaseRead::new("cpp", name));
            reading.cases.len() - 1
        });
        let case = &mut reading.cases[index];
        match one(case, &entry) {
            Ok(None) => {}
            Ok(Some(failure)) => failures.entry(index).or_default().push(failure),
            Err(fault) => {
                failures.entry(index).or_default().push(format!("its entry can't be read: {}", reason(&fault)))
            }
        }
    }
    for (index, failed) in failures {
        let case = &mut reading.cases[index];
        if case.launches.is_empty() {
            case.failed = failed.into_iter().next();
        } else {
            case.failures = Some(format!("{} repetitions failed: {}", failed.len(), failed[0]));
        }
    }
    for (key, entries) in aggregates {
        // Where repetitions are there, the aggregates are of them and say nothing more; the fit of a complexity is no time.
        if known.contains_key(&key) || entries.iter().any(|(entry, _)| is_fit(entry)) {
            continue;
        }
        let mut case = CaseRead::new("cpp", key.0);
        let read = entries.iter().try_for_each(|(entry, what)| aggregate(&mut case, entry, *what));
        reading.notice("the file has aggregates only: samples aren't kept".to_owned());
        reading.take(case, read);
    }
    reading.tell_apart_by_facts(&["label"]);
    reading.checked()
}

/// An entry that is made of others, and what it is where only its name says so.
type Aggregate<'a> = (At<'a>, Option<&'a str>);

/// Which registration an entry is of, and which of its instances.
fn family(entry: &At<'_>) -> String {
    ["family_index", "per_family_instance_index"].map(|member| entry.text_or_empty(member)).join(" ")
}

fn unit(entry: &At<'_>) -> Result<f64, Fault> {
    let Some(at) = entry.get("time_unit") else { return Ok(1.0) };
    match at.text()? {
        "ns" => Ok(1.0),
        "us" => Ok(1e3),
        "ms" => Ok(1e6),
        "s" => Ok(1e9),
        other => Err(at.fault(format!("{other:?} is no unit of time that is known here"))),
    }
}

/// Takes a repetition; `Some` is why it failed.
fn one(case: &mut CaseRead, entry: &At<'_>) -> Result<Option<String>, Fault> {
    let failed = matches!(entry.get("error_occurred").map(|at| at.value), Some(Json::Bool(true)));
    if failed {
        return Ok(Some(entry.text_or_empty("error_message")));
    }
    if let Some(message) = entry.get("skip_message") {
        case.skipped = Some(message.printed().unwrap_or_default());
        return Ok(None);
    }
    let real = entry.need("real_time")?;
    let value = time(real.number()?, unit(entry)?, || real.place())?;
    let calls = entry.need("iterations")?;
    let calls = count(calls.number()?, || calls.place())?;
    let sample = Sample { time: value, calls: (calls > 0).then_some(calls) };
    match case.launches.first_mut() {
        Some(samples) => samples.push(sample),
        None => case.launches.push(vec![sample]),
    }
    case.reported.metrics.clear();
    if let Some(cpu) = case.figure(entry.maybe("cpu_time")) {
        case.metric("cpu_time_ns", cpu * unit(entry)?);
    }
    for (name, at) in entry.members().into_iter().filter(|(name, _)| !OWN.contains(name)) {
        if let Ok(value) = at.number() {
            case.metric(name, value);
        }
    }
    let label = entry.text_or_empty("label");
    if !label.is_empty() {
        case.facts.insert("label".to_owned(), label.clone());
    }
    if !label.is_empty() && case.reported.labels.len() < MOST_FIGURES && !case.reported.labels.contains(&label) {
        case.reported.labels.push(label);
    }
    Ok(None)
}

/// The fit of a complexity, or how well it fits: no time of a benchmark.
fn is_fit(entry: &At<'_>) -> bool {
    entry.get("big_o").is_some() || entry.get("rms").is_some() && entry.get("real_time").is_none()
}

/// Of which benchmark of the file `name` is an aggregate, and which one.
fn old_aggregate<'n>(name: &'n str, names: &BTreeSet<String>) -> Option<(&'n str, &'n str)> {
    let (of, what) = name.rsplit_once('_')?;
    let is_one = matches!(what, "mean" | "median" | "stddev");
    // With `--benchmark_report_aggregates_only` only the others of its kind tell.
    let others = ["mean", "median", "stddev"].iter().filter(|other| **other != what);
    let known = names.contains(of) || others.clone().all(|other| names.contains(&format!("{of}_{other}")));
    (is_one && known).then_some((of, what))
}

fn aggregate(case: &mut CaseRead, entry: &At<'_>, what: Option<&str>) -> Result<(), Fault> {
    let real = entry.need("real_time")?;
    let value = || time(real.number()?, unit(entry)?, || real.place()).map(Some);
    match what.map_or_else(|| entry.text_or_empty("aggregate_name"), str::to_owned).as_str() {
        "mean" => {
            case.given.mean = value()?;
            let repetitions = entry.need("iterations")?;
            case.given.samples = Some(count(repetitions.number()?, || repetitions.place())?);
        }
        "median" => case.given.median = value()?,
        "stddev" => case.given.stddev = case.figure(value()),
        // A share, and no time.
        _ if entry.text_or_empty("aggregate_unit") == "percentage" => {}
        "cv" => {}
        other => case.metric(format!("{other}_ns"), real.number()? * unit(entry)?),
    }
    Ok(())
}
