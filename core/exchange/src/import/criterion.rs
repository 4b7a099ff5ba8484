//! Criterion's files of one benchmark (`estimates.json`, `sample.json`, each read with what lies beside it), and cargo-criterion's messages.

use std::path::Path;

use tare_statistics::Estimate;

use crate::fault::Fault;
use crate::json::{At, Json, parse};
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Sample, Source, reason};

/// What belongs to one benchmark, in its folder.
pub(super) const BESIDE: &[&str] = &["benchmark.json", "estimates.json", "sample.json"];

pub(super) fn is_file(json: &Json) -> bool {
    let root = At::root(json);
    let estimates = root.get("mean").is_some_and(|mean| mean.get("confidence_interval").is_some());
    estimates || root.get("iters").is_some() && root.get("times").is_some()
}

pub(super) fn is_messages(text: &str) -> bool {
    text.lines().take(50).any(|line| line.contains("\"reason\"") && line.contains("-complete\""))
}

/// `change/estimates.json`: how much two runs differ, as fractions. It has the members of times, but nothing of their scatter.
pub(super) fn is_change(json: &Json) -> bool {
    let root = At::root(json);
    root.get("mean").is_some()
        && root.get("median").is_some()
        && root.get("std_dev").is_none()
        && root.get("median_abs_dev").is_none()
        && root.get("slope").is_none()
}

/// `estimates.json` or `sample.json`.
pub(super) fn read_file(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("criterion");
    let mut told = Vec::new();
    let own = parse(&source.bytes, &mut told)?;
    if is_change(&own) {
        return Err(Fault::of_file("it holds the change between two runs, and no times")
            .with_remedy("import the estimates.json in `new` beside it, or the folder target/criterion"));
    }
    if !is_file(&own) {
        return Err(At::root(&own).fault(
            "is neither estimates.json (`mean` with its confidence interval) nor sample.json (`iters` and `times`)",
        ));
    }
    // A broken one costs itself: the other has the time, too.
    let mut lost = Vec::new();
    let mut beside = |name: &str| {
        let parsed = parse(source.beside.get(name)?, &mut told);
        parsed.map_err(|fault| lost.push(format!("{name} beside it is left out: {}", reason(&fault)))).ok()
    };
    let is_sample = At::root(&own).get("iters").is_some();
    let (estimates, samples) = match is_sample {
        true => (beside("estimates.json"), Some(own)),
        false => (Some(own), beside("sample.json")),
    };
    let named = beside("benchmark.json");
    reading.notices = told;
    reading.notices.append(&mut lost);
    let name = named.as_ref().map(|named| At::root(named).text_or_empty("full_id")).filter(|name| !name.is_empty());
    let mut case = CaseRead::new("rust", name.unwrap_or_else(|| name_of(&source.name)));
    if let Some(named) = &named {
        let root = At::root(named);
        let group = root.text_or_empty("group_id");
        if !group.is_empty() {
            case.groups.push(group);
        }
        for (unit, amount) in root.get("throughput").map(|at| at.members()).unwrap_or_default() {
            let amount = amount.number().and_then(|number| count(number, || amount.place()));
            let amount = case.figure(amount.map(Some));
            match unit {
                "Bytes" | "BytesDecimal" => case.reported.bytes = amount,
                _ => case.reported.items = amount,
            }
        }
    }
    if let Some(estimates) = &estimates {
        let read = figures(&mut case, &At::root(estimates), "point_estimate").map(|()| None);
        case.figure::<()>(read);
    }
    if let Some(samples) = &samples {
        let root = At::root(samples);
        let read = case.figure(pairs(&root, "iters", "times", 1.0).map(Some));
        case.launches.extend(read);
    } else {
        reading.notice("sample.json isn't beside the file: samples aren't kept".to_owned());
    }
    reading.cases.push(case);
    reading.checked()
}

/// One message a line: `benchmark-complete` has the figures.
pub(super) fn read_messages(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("cargo-criterion");
    for (number, line) in source.text()?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let json = match parse(line.as_bytes(), &mut reading.notices) {
            Ok(json) => json,
            // What cargo and the benchmarks print themselves is no message.
            Err(_) if !line.trim_start().starts_with('{') => continue,
            Err(fault) => {
                reading.leave_out(&format!("line {}: {}", number + 1, fault.what));
                continue;
            }
        };
        let root = At::root(&json);
        let has_figures = ["measured_values", "iteration_count", "typical"].iter().any(|name| root.get(name).is_some());
        if root.text_or_empty("reason") != "benchmark-complete" && !has_figures {
            continue;
        }
        let mut case = CaseRead::new("rust", root.text_or_empty("id"));
        let read = message(&root, &mut case);
        reading.take(case, read);
    }
    reading.checked()
}

fn message(root: &At<'_>, case: &mut CaseRead) -> Result<(), Fault> {
    root.need("id")?.text()?;
    let unit = unit(&root.need("unit")?)?;
    if root.get("typical").is_some() {
        figures(case, root, "estimate")?;
    }
    let of_samples = pairs(root, "iteration_count", "measured_values", unit)?;
    case.launches.push(of_samples);
    for amount in root.get("throughput").and_then(|at| at.entries().ok()).unwrap_or_default() {
        let per = count(amount.need("per_iteration")?.number()?, || amount.place())?;
        match amount.text_or_empty("unit").as_str() {
            "bytes" => case.reported.bytes = Some(per),
            _ => case.reported.items = Some(per),
        }
    }
    Ok(())
}

/// Calls and times of samples: the whole time of each.
fn pairs(root: &At<'_>, calls: &str, times: &str, unit: f64) -> Result<Vec<Sample>, Fault> {
    let (of_calls, of_times) = (root.need(calls)?, root.need(times)?);
    let (calls, times) = (of_calls.numbers()?, of_times.numbers()?);
    if calls.len() != times.len() {
        return Err(of_calls.fault(format!("has {} entries, and the times {}", calls.len(), times.len())));
    }
    let sample = |(calls, total): (&f64, &f64)| {
        let calls = count(*calls, || of_calls.place())?.max(1);
        Ok(Sample { time: time(*total, unit, || of_times.place())? / calls as f64, calls: Some(calls) })
    };
    calls.iter().zip(times).map(sample).collect()
}

/// What Criterion prints as the time is the slope of linear sampling where there is one, else the mean.
fn figures(case: &mut CaseRead, root: &At<'_>, point: &str) -> Result<(), Fault> {
    let of = |name: &str| -> Result<Option<Estimate>, Fault> {
        let Some(at) = root.get(name) else { return Ok(None) };
        let unit = at.get("unit").map_or(Ok(1.0), |at| unit(&at))?;
        let estimate = at.need(point)?;
        let estimate = time(estimate.number()?, unit, || estimate.place())?;
        let ends = at.get("confidence_interval").unwrap_or_else(|| at.clone());
        let is_wanted = ends.maybe("confidence_level")?.is_none_or(|level| (level - 0.95).abs() < 1e-9);
        let (low, high) = (ends.need("lower_bound")?.number()? * unit, ends.need("upper_bound")?.number()? * unit);
        let is_whole = is_wanted && low.is_finite() && high.is_finite() && low <= estimate && estimate <= high;
        Ok(Some(if is_whole { Estimate { estimate, low, high } } else { Estimate::unbounded(estimate) }))
    };
    let mean = of("mean")?;
    case.given.time = of("typical")?.or(of("slope")?).or(mean);
    case.given.mean = mean.map(|mean| mean.estimate);
    case.given.median = case.figure(of("median")).map(|median| median.estimate);
    case.given.stddev = case.figure(of("std_dev")).map(|deviation| deviation.estimate);
    Ok(())
}

fn unit(at: &At<'_>) -> Result<f64, Fault> {
    match at.text()? {
        "ps" => Ok(1e-3),
        "ns" => Ok(1.0),
        "us" | "µs" => Ok(1e3),
        "ms" => Ok(1e6),
        "s" => Ok(1e9),
        other => Err(at.fault(format!("{other:?} is no unit of time that is known here"))),
    }
}

/// `target/criterion/fib/recursive/10/new/estimates.json` is of `fib/recursive/10`.
fn name_of(path: &str) -> String {
    let parts: Vec<&str> = Path::new(path).iter().filter_map(|part| part.to_str()).collect();
    let from = parts.iter().rposition(|part| *part == "criterion").map_or(0, |at| at + 1);
    let to = parts.len().saturating_sub(2).max(from);
    match parts.get(from..to).filter(|parts| !parts.is_empty()) {
        Some(parts) => parts.join("/").trim_start_matches('/').to_owned(),
        None => path.to_owned(),
    }
}
