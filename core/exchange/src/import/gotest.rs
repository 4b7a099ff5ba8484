//! What stands around results in the output of `go test`: the text of `-json`, lines that a benchmark's own output has torn, failures.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{At, parse};

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// A result: the name and the fields behind it.
    Result(&'a str, Vec<&'a str>),
    /// A result without a name, of a benchmark whose name stands on an earlier line.
    Rest(Vec<&'a str>),
    /// A benchmark begins; what it prints itself may stand behind its name.
    Begins(&'a str),
    /// A benchmark skipped itself.
    Skips(&'a str),
    /// A benchmark or a test failed.
    Fails(&'a str),
    /// The process ended by this, while the benchmark ran whose name stands on the line, if one does.
    Dies(Option<&'a str>, &'a str),
    /// A package failed, as its line says.
    Package(&'a str),
    /// Another line.
    Other,
}

/// What a line of `go test` says.
pub(super) fn line(line: &str) -> Line<'_> {
    let line = line.trim_end();
    let bare = line.trim_start();
    for (word, says) in [("--- SKIP: ", Line::Skips as fn(_) -> _), ("--- FAIL: ", Line::Fails)] {
        // Behind a name whose result it stands for, too.
        let own = bare.strip_prefix(word);
        if let Some(name) = own.or_else(|| is_name(line).then(|| line.split_once(word)).flatten().map(|(_, name)| name))
        {
            return says(name.split_ascii_whitespace().next().unwrap_or_default());
        }
    }
    const ENDS: [&str; 4] = ["panic: ", "fatal error: ", "signal: ", "*** Test killed"];
    if ENDS.iter().any(|word| line.starts_with(word)) {
        return Line::Dies(None, line);
    }
    if line.starts_with("FAIL\t") || line.starts_with("FAIL ") {
        return Line::Package(line);
    }
    let figures = figures(line);
    match (is_name(line), figures) {
        (true, Some(fields)) => Line::Result(line.split_ascii_whitespace().next().unwrap_or_default(), fields),
        (true, None) => {
            // As a name is written with a tab behind it, and a panic begins no line of its own.
            let end = ENDS.iter().filter_map(|word| line.find(&format!("\t{word}"))).min();
            if let (Some(end), Some(name)) = (end, line.split_ascii_whitespace().next()) {
                return Line::Dies(Some(name), line[end..].trim_start());
            }
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let counts = fields.get(1).is_some_and(|field| field.bytes().all(|byte| byte.is_ascii_digit()));
            match fields.as_slice() {
                // A count of calls, and figures without an end or none at all.
                [name, rest @ ..] if counts => Line::Result(name, rest.to_vec()),
                [name, ..] => Line::Begins(name),
                [] => Line::Other,
            }
        }
        (false, Some(fields)) => Line::Rest(fields),
        (false, None) => Line::Other,
    }
}

fn is_name(line: &str) -> bool {
    let Some(name) = line.strip_prefix("Benchmark") else { return false };
    // As in Go: BenchmarkX, and not Benchmarking.
    name.starts_with(|next: char| !next.is_lowercase()) && !name.starts_with([':', ',', '.']) || name.is_empty()
}

/// Calls and figures at the end of a line, from the count of calls on: what a benchmark printed before them is passed over.
fn figures(line: &str) -> Option<Vec<&str>> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_count = |field: &str| !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |field: &&str| matches!(*field, "ns/op" | "sec/op");
    let time = fields.iter().position(is_time)?;
    // Figures are pairs: the count stands an odd number of fields before the unit, nearest to the name.
    let first = (0..time.saturating_sub(1)).filter(|at| (time - at) % 2 == 0 && is_count(fields[*at]));
    let calls = first.min_by_key(|at| {
        let pairs = fields[at + 1..time + 1].chunks(2);
        // The most that are pairs of a number and a word.
        (!pairs.clone().all(|pair| pair[0].parse::<f64>().is_ok() && pair[1].parse::<f64>().is_err()), *at)
    })?;
    Some(fields[calls..].to_vec())
}

/// Where results begin whose package only the line behind them tells (`ok  encoding/base64  4.5s`), as all do that were written before Go 1.9: the
/// number of the first line and the package, empty where no line tells it.
pub(super) fn packages_told_late(text: &str) -> Vec<(usize, String)> {
    let mut late: Vec<(usize, String)> = Vec::new();
    let (mut first, mut is_told) = (0, false);
    for (number, line) in text.lines().enumerate() {
        is_told |= line.starts_with("pkg:");
        let ends = ["ok  \t", "FAIL\t"].iter().find_map(|word| line.strip_prefix(word));
        let Some(package) = ends.and_then(|rest| rest.split(['\t', ' ']).next()).filter(|package| !package.is_empty())
        else {
            continue;
        };
        if !is_told {
            late.push((first, package.to_owned()));
        }
        (first, is_told) = (number + 1, false);
    }
    if !late.is_empty() && !is_told && text.lines().skip(first).any(is_name) {
        late.push((first, String::new()));
    }
    late
}

/// The text that `go test -json` carries, package by package; other text as it is. The second value counts lines that can't be read.
pub(super) fn text_of(text: &str) -> (Cow<'_, str>, usize) {
    if !is_json(text) {
        return (Cow::Borrowed(text), 0);
    }
    let mut packages: Vec<String> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut unread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(json) = parse(line.as_bytes(), &mut Vec::new()) else {
            // Of a build that failed, and of `2>&1`, lines stand between the events.
            unread += usize::from(line.trim_start().starts_with('{'));
            continue;
        };
        let event = At::root(&json);
        let package = event.text_or_empty("Package");
        let index = *known.entry(package.clone()).or_insert_with(|| {
            packages.push(format!("pkg: {package}\n"));
            packages.len() - 1
        });
        if event.text_or_empty("Action") == "output" {
            let output = event.text_or_empty("Output");
            // The package tells its name itself, too: that would be a second one.
            if output.trim_end() != format!("pkg: {package}") {
                packages[index].push_str(&output);
            }
        }
    }
    packages.retain(|text| text.lines().nth(1).is_some());
    (Cow::Owned(packages.concat()), unread)
}

/// Whether it is what `go test -json` prints.
pub(super) fn is_json(text: &str) -> bool {
    text.lines().take(50).any(|line| {
        line.starts_with('{')
            && line.contains("\"Action\":\"")
            && (line.contains("\"Package\":\"") || line.contains("\"ImportPath\":\""))
    })
}

#[cfg(test)]
mod tests {
    use super::{Line, line, text_of};

    #[test]
    fn each_line_is_what_go_means_by_it() {
        for (text, wanted) in [
            ("BenchmarkX-8 \t 100\t 12.5 ns/op", Line::Result("BenchmarkX-8", vec!["100", "12.5", "ns/op"])),
            ("BenchmarkX-8 \thello 7 100\t 12.5 ns/op", Line::Result("BenchmarkX-8", vec!["100", "12.5", "ns/op"])),
            ("BenchmarkHit-8 1000 0.93 hit-rate", Line::Result("BenchmarkHit-8", vec!["1000", "0.93", "hit-rate"])),
            (
                "BenchmarkX 100 5 queries 12.5 ns/op",
                Line::Result("BenchmarkX", vec!["100", "5", "queries", "12.5", "ns/op"]),
            ),
            ("BenchmarkX-8 \t 1000", Line::Result("BenchmarkX-8", vec!["1000"])),
            ("  100\t 12.5 ns/op\t 3 B/op", Line::Rest(vec!["100", "12.5", "ns/op", "3", "B/op"])),
            ("BenchmarkX-8 \thello", Line::Begins("BenchmarkX-8")),
            ("BenchmarkX-8 \t--- FAIL: BenchmarkX-8", Line::Fails("BenchmarkX-8")),
            ("    --- SKIP: BenchmarkX/y", Line::Skips("BenchmarkX/y")),
            ("panic: oh [recovered]", Line::Dies(None, "panic: oh [recovered]")),
            ("BenchmarkX-8 \tpanic: oh", Line::Dies(Some("BenchmarkX-8"), "panic: oh")),
            (
                "BenchmarkX-8 \tfatal error: all goroutines are asleep - deadlock!",
                Line::Dies(Some("BenchmarkX-8"), "fatal error: all goroutines are asleep - deadlock!"),
            ),
            ("BenchmarkX-8 \tpanic: 5 100\t 12.5 ns/op", Line::Result("BenchmarkX-8", vec!["100", "12.5", "ns/op"])),
            ("FAIL\ta/b [build failed]", Line::Package("FAIL\ta/b [build failed]")),
            ("Benchmarking everything", Line::Other),
        ] {
            assert_eq!(line(text), wanted, "{text}");
        }
    }

    #[test]
    fn events_of_packages_that_ran_at_once_are_put_in_order() {
        let output = |package: &str, text: &str| {
            format!("{{\"Time\":\"t\",\"Action\":\"output\",\"Package\":\"{package}\",\"Output\":\"{text}\"}}\n")
        };
        let text = [output("a", "BenchmarkX \\t"), output("b", "BenchmarkY 1 2 ns/op\\n"), output("a", "1 3 ns/op\\n")];
        let text = text.concat();
        let (text, unread) = text_of(&text);
        assert_eq!((text.as_ref(), unread), ("pkg: a\nBenchmarkX \t1 3 ns/op\npkg: b\nBenchmarkY 1 2 ns/op\n", 0));
    }
}
