//! pyperf's JSON: values by process.

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};
use crate::when;

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    let entries = root.get("benchmarks").and_then(|at| at.entries().ok()).unwrap_or_default();
    entries.iter().any(|entry| entry.get("runs").is_some())
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("pyperf");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    let common = root.get("metadata");
    for entry in root.need("benchmarks")?.entries()? {
        let mut case = CaseRead::default();
        let read = one(&entry, common.as_ref(), &mut case, &mut reading);
        reading.take(case, read);
    }
    reading.checked()
}

fn one(entry: &At<'_>, common: Option<&At<'_>>, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    let own = entry.get("metadata");
    let said = |run: Option<&At<'_>>, name: &str| -> String {
        let places = [run, own.as_ref(), common];
        places.into_iter().flatten().map(|at| at.text_or_empty(name)).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let name = Some(said(None, "name")).filter(|name| !name.is_empty());
    *case = CaseRead::new("python", name.unwrap_or_else(|| "unnamed".to_owned()));
    let unit = said(None, "unit");
    if !matches!(unit.as_str(), "" | "second") {
        return Err(entry.fault(format!("its values are in the unit {unit:?}, and not times")));
    }
    for run in entry.need("runs")?.entries()? {
        let metadata = run.get("metadata");
        let metadata = metadata.as_ref();
        if let Some(started) = when::parsed(&said(metadata, "date")) {
            reading.started = Some(reading.started.take().map_or(started.clone(), |earlier| earlier.min(started)));
        }
        for (fact, member) in [
            ("cpu", "cpu_model_name"),
            ("cpus", "cpu_count"),
            ("host", "hostname"),
            ("os", "platform"),
            ("governor", "cpu_freq_governor"),
        ] {
            reading.fact(fact, said(metadata, member));
        }
        let version = said(metadata, "perf_version");
        if !version.is_empty() {
            reading.version = version;
        }
        case.runtime_version =
            said(metadata, "python_version").split_whitespace().next().unwrap_or_default().to_owned();
        // Calibrations have warm-ups only.
        let Some(values) = run.get("values") else { continue };
        let number = |name: &str| said(metadata, name).parse::<f64>().ok();
        let loops = number("loops")
            .map(|loops| count(loops * number("inner_loops").unwrap_or(1.0), || run.place()))
            .transpose()?;
        let calls = loops.map(|loops| loops.max(1));
        let sample = |value: &f64| Ok(Sample { time: time(*value, 1e9, || values.place())?, calls });
        case.launches.push(values.numbers()?.iter().map(sample).collect::<Result<_, Fault>>()?);
    }
    Ok(())
}
