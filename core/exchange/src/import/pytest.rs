//! pytest-benchmark's `--benchmark-json`.

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};
use crate::when;

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    root.get("machine_info").is_some() && root.get("benchmarks").is_some()
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("pytest-benchmark");
    let json = parse(&source.bytes, &mut reading.notices)?;
    let root = At::root(&json);
    reading.version = root.text_or_empty("version");
    reading.started = when::parsed(&root.text_or_empty("datetime"));
    let machine = root.member("machine_info");
    reading.fact("host", machine.text_or_empty("node"));
    reading.fact("arch", machine.text_or_empty("machine"));
    reading.fact("os", format!("{} {}", machine.text_or_empty("system"), machine.text_or_empty("release")).trim());
    if let Some(cpu) = machine.get("cpu") {
        reading.fact("cpu", cpu.text_or_empty("brand_raw"));
        reading.fact("cpus", cpu.text_or_empty("count"));
    }
    if let Some(commit) = root.get("commit_info") {
        for (name, member) in [("commit", "id"), ("branch", "branch"), ("dirty", "dirty")] {
            let value = commit.text_or_empty(member);
            if !value.is_empty() {
                reading.git.insert(name.to_owned(), value);
            }
        }
    }
    let (version, implementation) =
        (machine.text_or_empty("python_version"), machine.text_or_empty("python_implementation"));
    for entry in root.need("benchmarks")?.entries()? {
        let mut case = CaseRead::default();
        let read = one(&entry, &mut case, &mut reading);
        case.runtime_version.clone_from(&version);
        if !implementation.is_empty() {
            case.facts.insert("implementation".to_owned(), implementation.clone());
        }
        reading.take(case, read);
    }
    reading.checked()
}

fn one(entry: &At<'_>, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    let fullname = entry.text_or_empty("fullname");
    let name = if fullname.is_empty() { entry.need("name")?.text()?.to_owned() } else { fullname };
    let param = entry.text_or_empty("param");
    // `test_split[10]` is the case 10 of test_split.
    let bare = name.strip_suffix(&format!("[{param}]")).filter(|_| !param.is_empty());
    *case = CaseRead::new("python", bare.unwrap_or(&name));
    if bare.is_some() {
        let values = entry.get("params").map(|at| at.members()).unwrap_or_default();
        case.parameters.name = Some(param);
        case.parameters.values =
            values.iter().map(|(name, at)| ((*name).to_owned(), at.printed().unwrap_or_default())).collect();
    }
    let group = entry.text_or_empty("group");
    if !group.is_empty() {
        case.groups.push(group);
    }
    let stats = entry.need("stats")?;
    let figure = |name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = stats.get(name) else { return Ok(None) };
        time(at.number()?, 1e9, || at.place()).map(Some)
    };
    let calls = match stats.get("iterations").or_else(|| entry.get("iterations")) {
        Some(at) => Some(count(at.number()?, || at.place())?.max(1)),
        None => None,
    };
    if let Some(data) = stats.get("data") {
        let sample = |value: &f64| Ok(Sample { time: time(*value, 1e9, || data.place())?, calls });
        case.launches.push(data.numbers()?.iter().map(sample).collect::<Result<_, Fault>>()?);
    } else {
        reading.notice(
            "the file was written without --benchmark-json's data (as by --benchmark-save): samples aren't kept"
                .to_owned(),
        );
    }
    case.given.mean = case.figure(figure("mean"));
    case.given.median = case.figure(figure("median"));
    case.given.stddev = case.figure(figure("stddev"));
    case.given.min = case.figure(figure("min"));
    case.given.max = case.figure(figure("max"));
    if let Some(rounds) = stats.get("rounds") {
        let rounds = rounds.number().and_then(|number| count(number, || rounds.place()));
        case.given.samples = case.figure(rounds.map(Some));
    }
    for (name, at) in entry.get("extra_info").map(|at| at.members()).unwrap_or_default() {
        if let Ok(value) = at.number() {
            case.metric(name, value);
        }
    }
    Ok(())
}
