//! Catch2's XML reporter: `-r xml`.

use tare_statistics::Estimate;

use crate::fault::Fault;
use crate::limits::{count, time};
use crate::reading::{CaseRead, Reading, Source};
use crate::xml::{Element, parse};

pub(super) fn is(text: &str) -> bool {
    text.contains("<Catch ") || text.contains("<Catch2TestRun")
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let root = parse(&source.bytes)?;
    if !matches!(root.name.as_str(), "Catch" | "Catch2TestRun") {
        return Err(root.fault(format!("<{}> isn't the root of Catch2's XML", root.name)));
    }
    let mut reading = Reading::of("Catch2");
    reading.version = root.attribute("catch2-version").unwrap_or_default().to_owned();
    let mut path = Vec::new();
    walk(&root, &mut path, &mut reading)?;
    reading.notice("Catch2's XML has no samples, only figures of them".to_owned());
    reading.checked()
}

fn walk(element: &Element, path: &mut Vec<String>, reading: &mut Reading) -> Result<(), Fault> {
    for child in &element.children {
        match child.name.as_str() {
            "BenchmarkResults" => {
                let own = child.attribute("name").unwrap_or_default().trim().to_owned();
                let name = if own.is_empty() { own } else { [path.as_slice(), &[own]].concat().join("::") };
                let mut case = CaseRead::new("cpp", name);
                let read = one(child, &mut case);
                reading.take(case, read);
            }
            "TestCase" | "Section" => {
                let name = child.attribute("name").unwrap_or_default().trim().to_owned();
                let result = child.first("OverallResult").and_then(|result| result.attribute("success"));
                if result == Some("false") {
                    reading.notice(format!("the test case {name} failed"));
                }
                path.push(name);
                walk(child, path, reading)?;
                path.pop();
            }
            "Group" => walk(child, path, reading)?,
            _ => {}
        }
    }
    Ok(())
}

fn one(element: &Element, case: &mut CaseRead) -> Result<(), Fault> {
    element.need("name")?;
    if let Some(failed) = element.first("failed") {
        case.failed = Some(failed.attribute("message").unwrap_or("it failed").to_owned());
        return Ok(());
    }
    let Some(mean) = element.first("mean") else {
        return Err(element.fault("a <BenchmarkResults> without <mean>"));
    };
    let figure = |of: &Element, name: &str| -> Result<Option<f64>, Fault> {
        of.number(name)?.map(|value| time(value, 1.0, || of.place())).transpose()
    };
    let Some(estimate) = figure(mean, "value")? else { return Err(mean.fault("<mean> has no attribute value")) };
    let (low, high) = (case.figure(figure(mean, "lowerBound")), case.figure(figure(mean, "upperBound")));
    let is_wanted = case.figure(mean.number("ci")).is_some_and(|level| (level - 0.95).abs() < 1e-9);
    case.given.mean = Some(estimate);
    case.given.time = match (low, high) {
        (Some(low), Some(high)) if is_wanted && low <= estimate && estimate <= high => {
            Some(Estimate { estimate, low, high })
        }
        _ => None,
    };
    if let Some(deviation) = element.first("standardDeviation") {
        case.given.stddev = case.figure(figure(deviation, "value"));
    }
    let samples =
        element.number("samples").and_then(|samples| samples.map(|n| count(n, || element.place())).transpose());
    case.given.samples = case.figure(samples);
    if let Some(calls) = case.figure(element.number("iterations")) {
        case.metric("calls a sample", calls);
    }
    Ok(())
}
