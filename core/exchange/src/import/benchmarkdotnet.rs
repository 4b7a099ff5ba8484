//! BenchmarkDotNet's JSON exporters: brief, full and with measurements.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    root.get("HostEnvironmentInfo").is_some() && root.get("Benchmarks").is_some()
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let json = parse(&source.bytes)?;
    let root = At::root(&json);
    let host = root.need("HostEnvironmentInfo")?;
    let mut reading = Reading::of("BenchmarkDotNet");
    reading.version = host.text_or_empty("BenchmarkDotNetVersion");
    for (fact, member) in
        [("cpu", "ProcessorName"), ("cpus", "LogicalCoreCount"), ("os", "OsVersion"), ("arch", "Architecture")]
    {
        reading.fact(fact, host.text_or_empty(member));
    }
    for entry in root.need("Benchmarks")?.entries()? {
        let mut case = one(&entry, &mut reading)?;
        case.runtime_version = host.text_or_empty("RuntimeVersion");
        reading.cases.push(case);
    }
    reading.checked()
}

fn one(entry: &At<'_>, reading: &mut Reading) -> Result<CaseRead, Fault> {
    let said = [entry.text_or_empty("Namespace"), entry.text_or_empty("Type"), entry.text_or_empty("Method")];
    let parts: Vec<&str> = said.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let name = if said[2].is_empty() { entry.need("FullName")?.text()?.to_owned() } else { parts.join(".") };
    let mut case = CaseRead::new("csharp", name);
    let parameters = entry.text_or_empty("Parameters");
    if !parameters.is_empty() {
        case.parameters.values = parameters
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        case.parameters.name = Some(parameters);
    }
    let Some(statistics) = entry.get("Statistics") else {
        case.failed = Some("it has no statistics: it failed or was not run".to_owned());
        return Ok(case);
    };
    let figure = |name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = statistics.get(name) else { return Ok(None) };
        time(at.number()?, 1.0, || at.place()).map(Some)
    };
    case.given.mean = figure("Mean")?;
    case.given.median = figure("Median")?;
    case.given.stddev = figure("StandardDeviation")?;
    case.given.min = figure("Min")?;
    case.given.max = figure("Max")?;
    if let Some(n) = statistics.get("N") {
        case.given.samples = Some(count(n.number()?, || n.place())?);
    }
    let measured = entry.get("Measurements").map(|at| measurements(&at)).transpose()?.unwrap_or_default();
    if !measured.is_empty() {
        // By launch, and without what the overhead's loop took off the mean: BenchmarkDotNet's own is in its statistics.
        case.launches = measured;
        case.given.samples = None;
    } else if let Some(values) = statistics.get("OriginalValues") {
        let sample = |value: &f64| Ok(Sample { time: time(*value, 1.0, || values.place())?, calls: None });
        case.launches.push(values.numbers()?.iter().map(sample).collect::<Result<_, Fault>>()?);
    } else {
        reading.notice("the file has figures only (the brief exporter's): samples aren't kept".to_owned());
    }
    if let Some(memory) = entry.get("Memory")
        && let Some(bytes) = memory.maybe("BytesAllocatedPerOperation")?
    {
        case.metric("B/op", bytes);
    }
    Ok(case)
}

/// The results of each launch: workload less overhead.
fn measurements(all: &At<'_>) -> Result<Vec<Vec<Sample>>, Fault> {
    let mut launches: BTreeMap<u64, Vec<Sample>> = BTreeMap::new();
    for entry in all.entries()? {
        let mode = entry.text_or_empty("IterationMode");
        let stage = entry.text_or_empty("IterationStage");
        let is_result = mode == "Result" || mode == "Workload" && stage == "Result";
        if !is_result {
            continue;
        }
        let launch = entry.need("LaunchIndex")?;
        let launch = count(launch.number()?, || launch.place())?;
        let (calls, total) = (entry.need("Operations")?, entry.need("Nanoseconds")?);
        let calls = count(calls.number()?, || calls.place())?.max(1);
        let total = time(total.number()?, 1.0, || total.place())?;
        launches.entry(launch).or_default().push(Sample { time: total / calls as f64, calls: Some(calls) });
    }
    Ok(launches.into_values().collect())
}
