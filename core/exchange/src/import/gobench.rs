//! What `go test -bench` prints, and benchfmt of other tools: one line for each measurement, several of one name with `-count`.
//!
//! <https://go.dev/design/14313-benchmark-format>

use std::collections::BTreeMap;

use tare_samples::OWN_TOOL;

use super::gotest::{Line, is_json, line, packages_told_late, text_of};
use crate::fault::{Fault, Position};
use crate::limits::{LONGEST_NAME, MOST_FIGURES, count, time};
use crate::reading::{CaseRead, Reading, Sample, Source, reason};

pub(super) fn is(text: &str) -> bool {
    let heads = ["goos:", "goarch:", "pkg:"];
    let is_result = |text: &str| matches!(line(text), Line::Result(_, fields) if fields.len() > 2);
    is_json(text)
        || text.lines().take(200).any(|line| heads.iter().any(|head| line.starts_with(head)) || is_result(line))
}

pub(super) fn read(source: &Source) -> Result<Reading, Fault> {
    let mut reading = Reading::of("go test");
    let mut package = String::new();
    // What Tare writes before the lines of variants that nothing else tells apart.
    let mut set = ["runtime", "label"].map(|name| (name, String::new()));
    let mut known: BTreeMap<(String, String, [String; 2]), usize> = BTreeMap::new();
    // The benchmark whose name was printed and whose result wasn't, and its line.
    let mut open: Option<(String, usize)> = None;
    let mut ended: BTreeMap<(String, String), Ended> = BTreeMap::new();
    let mut failing: Option<(String, String)> = None;
    // A line of Tare's is a launch, where it doesn't say that it is a sample.
    let (mut own, mut of_samples) = (false, false);
    let text = source.text()?;
    let (text, unread) = text_of(text);
    if unread > 0 {
        reading.notice(format!("{unread} lines of `go test -json` can't be read"));
    }
    let mut late = packages_told_late(&text).into_iter().peekable();
    for (number, text) in text.lines().enumerate() {
        if let Some((_, own)) = late.next_if(|(first, _)| *first <= number) {
            package = own;
        }
        let line = text.trim_end();
        // What Tare writes as a remark, so that benchstat makes no table of it.
        let remark = line.strip_prefix("# ").and_then(header);
        if let Some((name @ ("commit" | "branch"), value)) = remark {
            reading.git.insert(name.to_owned(), value.to_owned());
        } else if let Some((name, value)) = header(line) {
            match name {
                "pkg" => package = value.to_owned(),
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
        } else {
            let (name, fields) = match self::line(line) {
                // Below a failure stands what was logged.
                Line::Other => {
                    if let Some(Ended::Failed(why)) = failing.take().and_then(|key| ended.get_mut(&key))
                        && line.starts_with("    ")
                    {
                        *why = line.trim().chars().take(200).collect();
                    }
                    continue;
                }
                Line::Begins(name) => {
                    lose(&mut open, name, &package, &mut ended);
                    open = Some((name.to_owned(), number + 1));
                    continue;
                }
                Line::Skips(name) | Line::Fails(name) => {
                    let ended_by = if matches!(self::line(line), Line::Skips(_)) {
                        Ended::Skipped
                    } else {
                        Ended::Failed(format!("it failed in line {} of the file", number + 1))
                    };
                    open = open.filter(|(own, _)| own != name);
                    if name.starts_with("Benchmark") {
                        failing = Some((package.clone(), name.to_owned()));
                        ended.insert((package.clone(), name.to_owned()), ended_by);
                    } else if let Ended::Failed(_) = ended_by {
                        reading.notice(format!("the test {name} failed"));
                    }
                    continue;
                }
                Line::Dies(name, what) => {
                    if let Some(name) = name {
                        lose(&mut open, name, &package, &mut ended);
                        open = Some((name.to_owned(), number + 1));
                    }
                    let what: String = what.chars().take(200).collect();
                    match open.take() {
                        Some((name, _)) => drop(ended.insert((package.clone(), name), Ended::Failed(what))),
                        None => reading.notice(format!("line {}: the tests ended by: {what}", number + 1)),
                    }
                    continue;
                }
                Line::Package(what) => {
                    reading.notice(format!("line {}: {}", number + 1, what.replace('\t', " ")));
                    if let Some((name, _)) = open.take() {
                        let key = (package.clone(), name);
                        ended
                            .entry(key)
                            .or_insert(Ended::Failed("its package failed before it had a result".to_owned()));
                    }
                    continue;
                }
                Line::Rest(fields) => match open.take() {
                    Some((name, _)) => (name, fields),
                    None => {
                        reading.leave_out(&format!("line {}: a result without the name of its benchmark", number + 1));
                        continue;
                    }
                },
                Line::Result(name, fields) => {
                    lose(&mut open, name, &package, &mut ended);
                    (name.to_owned(), fields)
                }
            };
            let at = Position::Line(number as u64 + 1);
            if name.len() > LONGEST_NAME {
                reading.leave_out(&format!(
                    "line {}: a name of {} bytes; {LONGEST_NAME} is the most",
                    number + 1,
                    name.len()
                ));
                continue;
            }
            let key = (package.clone(), name.clone(), set.clone().map(|(_, value)| value));
            let index = *known.entry(key).or_insert_with(|| {
                let mut case = case(&name, &package);
                let told = set.iter().filter(|(_, value)| !value.is_empty());
                case.set(told.map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
                reading.cases.push(case);
                reading.cases.len() - 1
            });
            let case = &mut reading.cases[index];
            if let Err(fault) = measurement(case, &fields, &at, own && !of_samples) {
                ended.entry((package.clone(), name)).or_insert(Ended::Failed(reason(&fault)));
            }
        }
    }
    if let Some((name, line)) = open {
        // `-v` names a benchmark on a line of its own before those below it.
        let below = format!("{}/", bare(&name));
        let mut others = known.keys().map(|(_, other, _)| other).chain(ended.keys().map(|(_, other)| other));
        if !others.any(|other| other.starts_with(&below)) {
            let why = format!("the file ends before its result; its name stands in line {line}");
            ended.insert((package, name), Ended::Failed(why));
        }
    }
    let mut by_name: BTreeMap<(String, String), usize> = BTreeMap::new();
    for ((package, name, _), index) in &known {
        by_name.entry((package.clone(), bare(name).to_owned())).or_insert(*index);
    }
    for ((package, name), how) in ended {
        let index = *by_name.entry((package.clone(), bare(&name).to_owned())).or_insert_with(|| {
            reading.cases.push(case(&name, &package));
            known.insert((package, name, Default::default()), reading.cases.len() - 1);
            reading.cases.len() - 1
        });
        let case = &mut reading.cases[index];
        let shown = case.shown();
        match how {
            Ended::Skipped if case.launches.is_empty() => {
                case.skipped = Some("it skipped itself".to_owned());
                reading.notice(format!("{shown} skipped itself"));
            }
            Ended::Failed(why) if case.launches.is_empty() => case.failed = Some(why),
            Ended::Skipped => reading.notice(format!("{shown} skipped itself, and has results, too")),
            Ended::Failed(why) => {
                case.failures = Some(format!("one of its runs failed: {why}"));
            }
        }
    }
    reading.checked()
}

fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let plain =
        name.chars().next()?.is_ascii_lowercase() && !name.contains(|c: char| c.is_whitespace() || c.is_uppercase());
    // These end a process.
    let plain = plain && !matches!(name, "panic" | "signal");
    (plain && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (name, value.trim()))
}

/// Another benchmark goes on: what was begun before has no result, unless this one is below it. `-v` names parents on a line of their own.
fn lose(open: &mut Option<(String, usize)>, next: &str, package: &str, ended: &mut BTreeMap<(String, String), Ended>) {
    let Some((name, line)) = open.take().filter(|(name, _)| bare(name) != bare(next)) else { return };
    if !next.strip_prefix(bare(&name)).is_some_and(|below| below.starts_with('/')) {
        let why = format!("no result follows its name in line {line}");
        ended.entry((package.to_owned(), name)).or_insert(Ended::Failed(why));
    }
}

/// How a benchmark ended that may have no result.
enum Ended {
    Skipped,
    Failed(String),
}

/// A name without `-8` at its end, which is GOMAXPROCS, where it isn't 1.
fn bare(name: &str) -> &str {
    match name.rsplit_once('-') {
        // Go writes neither 1 nor a zero in front: `BenchmarkStore/Add-1` is a name.
        Some((bare, digits))
            if digits != "1"
                && digits.starts_with(|first: char| matches!(first, '1'..='9'))
                && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            bare
        }
        _ => name,
    }
}

/// Its package is a part of its name, whatever else the file holds: another file may have the same benchmark beside those of other packages.
fn case(name: &str, package: &str) -> CaseRead {
    let (bare, processors) = (bare(name), name.strip_prefix(bare(name)).unwrap_or_default());
    let bare = if !package.is_empty() { format!("{package}::{bare}") } else { bare.to_owned() };
    let mut case = CaseRead::new("go", bare);
    if let Some(processors) = processors.strip_prefix('-') {
        case.set(vec![("GOMAXPROCS".to_owned(), processors.to_owned())]);
    }
    if !package.is_empty() {
        case.groups.push(package.to_owned());
    }
    case
}

fn measurement(case: &mut CaseRead, fields: &[&str], at: &Position, of_launch: bool) -> Result<(), Fault> {
    let number = |text: &str| -> Result<f64, Fault> {
        let shown: String = text.chars().take(40).collect();
        text.parse().map_err(|_| Fault::new(at.clone(), format!("{shown:?} is not a number")))
    };
    let calls = count(number(fields[0])?, || at.clone())?;
    if fields.len() == 1 {
        return Err(Fault::new(at.clone(), "the line has no figures"));
    }
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
        let value = match (number(value), *unit) {
            (Err(fault), unit) if !matches!(unit, "ns/op" | "sec/op") => {
                case.figure::<f64>(Err(fault));
                continue;
            }
            (value, _) => value?,
        };
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
        return Err(Fault::new(at.clone(), "the line has no time (ns/op)"));
    }
    Ok(())
}

/// The newest of several values stands: a metric has no scatter here.
fn metric(case: &mut CaseRead, unit: &str, value: f64) {
    case.reported.metrics.retain(|(name, _)| name != unit);
    case.metric(unit, value);
}
