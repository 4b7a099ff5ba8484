//! hyperfine's `--export-json`: each run is a process of its own.

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::time;
use crate::reading::{CaseRead, Reading, Sample, Source, too_many_launches};

pub(super) fn is(json: &Json) -> bool {
    let root = At::root(json);
    let first = root.get("results").and_then(|at| at.entries().ok()).and_then(|all| all.into_iter().next());
    first.is_some_and(|entry| entry.get("command").is_some() && entry.get("mean").is_some())
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let json = parse(&source.bytes)?;
    let mut reading = Reading::of("hyperfine");
    for entry in At::root(&json).need("results")?.entries()? {
        let mut case = CaseRead::new("command", entry.need("command")?.text()?);
        let parameters = entry.get("parameters").map(|at| at.members()).unwrap_or_default();
        case.parameters.values =
            parameters.iter().map(|(name, at)| ((*name).to_owned(), at.printed().unwrap_or_default())).collect();
        let seconds = |name: &str| -> Result<Option<f64>, Fault> {
            let Some(at) = entry.get(name) else { return Ok(None) };
            time(at.number()?, 1e9, || at.place()).map(Some)
        };
        if let Some(times) = entry.get("times") {
            let times_of_runs = times.numbers()?;
            too_many_launches(times_of_runs.len())?;
            for value in times_of_runs {
                case.launches.push(vec![Sample { time: time(*value, 1e9, || times.place())?, calls: Some(1) }]);
            }
        } else {
            reading.notice("the file has no single times: samples aren't kept".to_owned());
        }
        case.given.mean = seconds("mean")?;
        case.given.median = seconds("median")?;
        case.given.stddev = seconds("stddev")?;
        case.given.min = seconds("min")?;
        case.given.max = seconds("max")?;
        for name in ["user", "system"] {
            if let Some(value) = seconds(name)? {
                case.metric(format!("{name}_ns"), value);
            }
        }
        let codes = entry.get("exit_codes");
        let codes = codes.as_ref().and_then(|at| at.numbers().ok()).unwrap_or_default();
        let bad = codes.iter().filter(|code| **code != 0.0).count();
        if bad > 0 {
            case.reported.labels.push(format!("{bad} of {} runs ended with a status other than 0", codes.len()));
        }
        reading.cases.push(case);
    }
    reading.tell_apart(|case| case.parameters.values.clone());
    reading.checked()
}
