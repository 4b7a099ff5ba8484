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
    let mut reading = Reading::of("BenchmarkDotNet");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let host = root.member("HostEnvironmentInfo");
    reading.version = host.text_or_empty("BenchmarkDotNetVersion");
    for (fact, member) in
        [("cpu", "ProcessorName"), ("cpus", "LogicalCoreCount"), ("os", "OsVersion"), ("arch", "Architecture")]
    {
        reading.fact(fact, host.text_or_empty(member));
    }
    for entry in root.need("Benchmarks")?.entries()? {
        let mut case = CaseRead::default();
        let read = one(&entry, &mut case, &mut reading);
        case.runtime_version = host.text_or_empty("RuntimeVersion");
        reading.take(case, read);
    }
    reading.checked()
}

fn one(entry: &At<'_>, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    let said = [entry.text_or_empty("Namespace"), entry.text_or_empty("Type"), entry.text_or_empty("Method")];
    let parts: Vec<&str> = said.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let name = if said[2].is_empty() { entry.need("FullName")?.text()?.to_owned() } else { parts.join(".") };
    *case = CaseRead::new("csharp", name);
    // `Sorting.Quick: Job-XYZABC(Runtime=.NET 9.0) [N=10]`
    let display = entry.text_or_empty("DisplayInfo");
    let mut job_of = None;
    if let Some((_, job)) = display.split_once(": ") {
        let job = job.rsplit_once(" [").map_or(job, |(job, _)| job);
        job_of = (job != "DefaultJob").then(|| ("job".to_owned(), job.to_owned()));
    }
    let parameters = entry.text_or_empty("Parameters");
    if !parameters.is_empty() {
        case.parameters.values = parameters
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        case.parameters.name = Some(parameters);
    }
    case.set(job_of.into_iter().collect());
    let Some(statistics) = entry.get("Statistics") else {
        case.failed = Some("it has no statistics: it failed or was not run".to_owned());
        return Ok(());
    };
    let figure = |name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = statistics.get(name) else { return Ok(None) };
        time(at.number()?, 1.0, || at.place()).map(Some)
    };
    case.given.mean = case.figure(figure("Mean"));
    case.given.median = case.figure(figure("Median"));
    case.given.stddev = case.figure(figure("StandardDeviation"));
    case.given.min = case.figure(figure("Min"));
    case.given.max = case.figure(figure("Max"));
    if let Some(n) = statistics.get("N") {
        case.given.samples = case.figure(n.number().and_then(|number| count(number, || n.place())).map(Some));
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
        && let Some(bytes) = case.figure(memory.maybe("BytesAllocatedPerOperation"))
    {
        case.metric("B/op", bytes);
    }
    Ok(())
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
