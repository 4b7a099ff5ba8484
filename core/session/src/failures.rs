//! Failures as text.

use crate::error::Error;

/// What is shown of the output that came before a failure.
const PRINTED_LINES: usize = 10;
const PRINTED_COLUMNS: usize = 160;
/// Files of a cause, beside the first.
const NAMED: usize = 8;

/// A failure in one paragraph.
pub(crate) fn describe(failure: &tare_samples::Failure) -> String {
    let mut text = failure.to_string();
    if !failure.remedy.is_empty() {
        text.push_str(&format!("\n  {}", failure.remedy));
    }
    for (name, printed) in [("stdout", &failure.stdout), ("stderr", &failure.stderr)] {
        if !printed.trim().is_empty() {
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            let hidden = lines.len().saturating_sub(PRINTED_LINES);
            let tail: Vec<String> = lines[hidden..].iter().map(|line| cut(line)).collect();
            let which = if hidden > 0 { format!(", the last {PRINTED_LINES} lines") } else { String::new() };
            text.push_str(&format!("\n  {name}{which}:\n    {}", tail.join("\n    ")));
        }
    }
    text
}

/// Failures in a paragraph for each cause, with the other files that it befell.
pub fn described(failures: &[tare_samples::Failure]) -> Vec<String> {
    let place = |failure: &tare_samples::Failure| failure.file.clone();
    let causes = tare_samples::by_cause(failures.iter().map(|failure| (place(failure), failure)));
    let paragraph = |cause: &tare_samples::Cause<'_>| {
        let mut others: Vec<String> = cause.of[1..].iter().take(NAMED).cloned().collect();
        if cause.of.len() > NAMED + 1 {
            others.push(format!("{} more", cause.of.len() - 1 - NAMED));
        }
        let same = if others.is_empty() { String::new() } else { format!("\n  The same in {}.", others.join(", ")) };
        describe(cause.failure) + &same
    };
    causes.iter().map(paragraph).collect()
}

/// That there is no case, and where they are looked for; `filtered`: some were asked for, not all.
pub fn no_cases(filtered: bool) -> Error {
    if filtered {
        return none_matches("--filter and --group and isn't left out by --exclude");
    }
    Error::usage(
        "no benchmark found in these sources. Tare looks for methods `bench…` of a class (PHP), functions `Benchmark…` (Go), functions `bench_…` or tests with the \
         fixture `benchmark` (Python), BENCHMARK (C++), and Criterion, Divan or #[bench] (Rust). `tare list --verbose` shows the files that it searched",
    )
}

/// That no case matches what these `options` ask for, and how Tare matches.
pub(crate) fn none_matches(options: &str) -> Error {
    Error::usage(format!(
        "no case matches {options}: Tare matches patterns with `Class::method#parameters` and the namespace, and upper and lower case differ unless it \
         begins with (?i); `tare list` shows all cases"
    ))
}

pub(crate) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(PRINTED_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
