//! What `go test -bench` prints, and benchfmt of other tools: one line for each measurement, several of one name with `-count`.
//!
//! <https://go.dev/design/14313-benchmark-format>

use std::collections::BTreeMap;

use tare_samples::OWN_TOOL;

use crate::fault::{Fault, Position};
use crate::limits::{MOST_FIGURES, count, time};
use crate::reading::{CaseRead, Reading, Sample, Source};

pub(super) fn is(text: &str) -> bool {
    let heads = ["goos:", "goarch:", "pkg:"];
    text.lines().take(200).any(|line| heads.iter().any(|head| line.starts_with(head)) || result(line).is_some())
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("go test");
    let mut package = String::new();
    // What Tare writes before the lines of variants that nothing else tells apart.
    let mut set = ["runtime", "label"].map(|name| (name, String::new()));
    let mut known: BTreeMap<(String, String, [String; 2]), usize> = BTreeMap::new();
    let mut packages = 0;
    let mut skipped: Option<String> = None;
    // A line of Tare's is a launch, where it doesn't say that it is a sample.
    let (mut own, mut of_samples) = (false, false);
    for (number, line) in source.text()?.lines().enumerate() {
        let line = line.trim_end();
        // What Tare writes as a remark, so that benchstat makes no table of it.
        let remark = line.strip_prefix("# ").and_then(header);
        if let Some((name @ ("commit" | "branch"), value)) = remark {
            reading.git.insert(name.to_owned(), value.to_owned());
        } else if let Some((name, value)) = header(line) {
            match name {
                "pkg" => {
                    package = value.to_owned();
                    packages += 1;
                }
                "tool" => {
                    if let Some(version) = value.strip_prefix("tare ") {
                        own = true;
                        (reading.tool, reading.version) = (OWN_TOOL.to_owned(), version.to_owned());
                        reading.notice(
                            "Tare measured it: the cost of clock, loop and call was taken off its times before"
                                .to_owned(),
                        );
                    }
                }
                "line" => of_samples = value == "sample",
                "runtime" | "label" => {
                    set.iter_mut().filter(|(own, _)| *own == name).for_each(|(_, told)| *told = value.to_owned());
                }
                "cpu" => reading.fact("cpu", value),
                "goos" => reading.fact("os", value),
                "goarch" => reading.fact("arch", value),
                "commit" | "branch" => {
                    reading.git.insert(name.to_owned(), value.to_owned());
                }
                _ => {}
            }
        } else if let Some(name) = line.strip_prefix("--- SKIP: ").or_else(|| line.strip_prefix("--- FAIL: ")) {
            skipped = Some(name.to_owned());
            let what = if line.starts_with("--- SKIP") { "skipped itself" } else { "failed" };
            reading.notice(format!("{name} {what}"));
        } else if let Some((name, fields)) = result(line) {
            let at = Position::Line(number as u64 + 1);
            let key = (package.clone(), name.to_owned(), set.clone().map(|(_, value)| value));
            let index = *known.entry(key).or_insert_with(|| {
                let mut case = case(name, &package, packages > 1);
                let told = set.iter().filter(|(_, value)| !value.is_empty());
                case.facts.extend(told.map(|(name, value)| ((*name).to_owned(), value.clone())));
                reading.cases.push(case);
                reading.cases.len() - 1
            });
            measurement(&mut reading.cases[index], &fields, &at, own && !of_samples)?;
        }
    }
    let several = packages > 1;
    if several {
        // The first package's names got no prefix when they were read: nobody knew of the others.
        for ((package, _, _), index) in &known {
            let case = &mut reading.cases[*index];
            let prefix = format!("{package}::");
            if !package.is_empty() && !case.benchmark.starts_with(&prefix) {
                case.benchmark.insert_str(0, &prefix);
            }
        }
    }
    reading.tell_apart_by_facts(&["runtime", "label", "GOMAXPROCS"]);
    if reading.cases.is_empty() && skipped.is_some() {
        return Err(Fault::of_file("every benchmark in it was skipped or failed"));
    }
    reading.checked()
}

fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let plain =
        name.chars().next()?.is_ascii_lowercase() && !name.contains(|c: char| c.is_whitespace() || c.is_uppercase());
    (plain && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (name, value.trim()))
}

/// The name and the other fields of a line that has a result.
fn result(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut fields = line.split_ascii_whitespace();
    let name = fields.next()?.strip_prefix("Benchmark").map(|_| line.split_ascii_whitespace().next())??;
    let fields: Vec<&str> = fields.collect();
    // A name alone is told before it is measured.
    (fields.len() >= 3 && fields[0].bytes().all(|byte| byte.is_ascii_digit())).then_some((name, fields))
}

fn case(name: &str, package: &str, prefixed: bool) -> CaseRead {
    // `-8` at the end is GOMAXPROCS, where it isn't 1.
    let (bare, processors) = match name.rsplit_once('-') {
        Some((bare, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (bare, digits)
        }
        _ => (name, "1"),
    };
    let bare = if prefixed && !package.is_empty() { format!("{package}::{bare}") } else { bare.to_owned() };
    let mut case = CaseRead::new("go", bare);
    case.facts.insert("GOMAXPROCS".to_owned(), processors.to_owned());
    if !package.is_empty() {
        case.groups.push(package.to_owned());
    }
    case
}

fn measurement(case: &mut CaseRead, fields: &[&str], at: &Position, of_launch: bool) -> Result<(), Fault> {
    let number = |text: &str| -> Result<f64, Fault> {
        let shown: String = text.chars().take(40).collect();
        text.parse().map_err(|_| Fault::new(at.clone(), format!("{shown:?} is no number")))
    };
    let calls = count(number(fields[0])?, || at.clone())?;
    if fields.len() > 2 * MOST_FIGURES {
        return Err(Fault::new(
            at.clone(),
            format!("{} figures in a line; {MOST_FIGURES} are the most", fields.len() / 2),
        ));
    }
    let mut seen = false;
    for pair in fields[1..].chunks(2) {
        let [value, unit] = pair else {
            return Err(Fault::new(at.clone(), format!("{:?} has no unit; the line was cut off", pair[0])));
        };
        let value = number(value)?;
        let unit_of_time = match *unit {
            "ns/op" => 1.0,
            "sec/op" => 1e9,
            "B/op" | "allocs/op" | "MB/s" => {
                metric(case, unit, value);
                continue;
            }
            other => {
                metric(case, other, value);
                continue;
            }
        };
        if seen {
            return Err(Fault::new(at.clone(), "two times in one line"));
        }
        seen = true;
        let time = time(value, unit_of_time, || at.clone())?;
        let sample = Sample { time, calls: (calls > 0).then_some(calls) };
        // `-count` repeats in one process.
        match case.launches.first_mut().filter(|_| !of_launch) {
            Some(samples) => samples.push(sample),
            None => case.launches.push(vec![sample]),
        }
    }
    if !seen {
        return Err(Fault::new(at.clone(), "the line has no ns/op").with_remedy("import benchmarks that measure time"));
    }
    Ok(())
}

/// The newest of several values stands: a metric has no scatter here.
fn metric(case: &mut CaseRead, unit: &str, value: f64) {
    case.reported.metrics.retain(|(name, _)| name != unit);
    case.metric(unit, value);
}
