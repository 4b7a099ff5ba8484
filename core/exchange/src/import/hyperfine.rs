//! hyperfine's `--export-json`: each run is a process of its own.

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::time;
use crate::reading::{CaseRead, Reading, Sample, Source, too_many_launches};

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    let entries = root.get("results").and_then(|at| at.entries().ok()).unwrap_or_default();
    entries.iter().any(|entry| entry.get("command").is_some() || entry.get("exit_codes").is_some())
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("hyperfine");
    let json = parse(&source.bytes, &mut reading.notices)?;
    for entry in At::root(&json).need("results")?.entries()? {
        let mut case = CaseRead::new("command", entry.text_or_empty("command"));
        let read = one(&entry, &mut case, &mut reading);
        reading.take(case, read);
    }
    reading.checked()
}

fn one(entry: &At<'_>, case: &mut CaseRead, reading: &mut Reading) -> Result<(), Fault> {
    entry.need("command")?.text()?;
    // They are mostly in the command, too; those of --prepare aren't.
    let parameters = entry.get("parameters").map(|at| at.members()).unwrap_or_default();
    case.parametrise(
        parameters.iter().map(|(name, at)| ((*name).to_owned(), at.printed().unwrap_or_default())).collect(),
    );
    let seconds = |name: &str| -> Result<Option<f64>, Fault> {
        let Some(at) = entry.get(name) else { return Ok(None) };
        time(at.number()?, 1e9, || at.place()).map(Some)
    };
    // `--ignore-failure` goes on after a failure: a status other than 0, or null where a signal ended it.
    let codes = entry.get("exit_codes").map(|at| at.values()).unwrap_or_default();
    let is_bad = |code: &Json| !matches!(code, Json::Number(code) if *code == 0.0);
    let bad: Vec<bool> = codes.iter().map(is_bad).collect();
    let failed = bad.iter().filter(|is_bad| **is_bad).count();
    if let Some(times) = entry.get("times") {
        let times_of_runs = times.numbers()?;
        too_many_launches(times_of_runs.len())?;
        for (number, value) in times_of_runs.iter().enumerate() {
            let value = time(*value, 1e9, || times.place())?;
            if !bad.get(number).is_some_and(|is_bad| *is_bad) {
                case.launches.push(vec![Sample { time: value, calls: Some(1) }]);
            }
        }
    } else {
        reading.notice("the file has no single times: samples aren't kept".to_owned());
    }
    if failed > 0 {
        let what = format!("{failed} of {} runs ended with a status other than 0", codes.len());
        if failed == codes.len() || case.launches.is_empty() {
            case.failed = Some(what);
            return Ok(());
        }
        // hyperfine's own figures are of all runs.
        case.failures = Some(format!("{what}; their times aren't taken over"));
        return Ok(());
    }
    case.given.mean = case.figure(seconds("mean"));
    case.given.median = case.figure(seconds("median"));
    case.given.stddev = case.figure(seconds("stddev"));
    case.given.min = case.figure(seconds("min"));
    case.given.max = case.figure(seconds("max"));
    for name in ["user", "system"] {
        if let Some(value) = case.figure(seconds(name)) {
            case.metric(format!("{name}_ns"), value);
        }
    }
    Ok(())
}
