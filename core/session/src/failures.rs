//! Failures as text.

use crate::error::Error;

/// What is shown of the output that came before a failure.
const PRINTED_LINES: usize = 10;
const PRINTED_COLUMNS: usize = 160;

/// A failure in one paragraph.
pub fn describe(failure: &tare_samples::Failure) -> String {
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

/// That there is no case, and where they are looked for; `filtered`: some were asked for, not all.
pub fn no_cases(filtered: bool) -> Error {
    if filtered {
        return none_matches("--filter and --group and isn't left out by --exclude");
    }
    Error::usage(
        "no benchmark found: the sources have no class with methods that begin with `bench` (PHP), no function `Benchmark…` (Go), none of `bench_…` or a test \
         with the fixture `benchmark` (Python), no BENCHMARK (C++); operations are for `tare load`; `tare list --verbose` shows the files that Tare searched",
    )
}

/// That no case matches what these `options` ask for, and how Tare matches.
pub(crate) fn none_matches(options: &str) -> Error {
    Error::usage(format!(
        "no case matches {options}: Tare matches patterns with `Class::method#parameters` and the namespace, and upper and lower case differ unless it \
         begins with (?i); `tare list` shows all cases"
    ))
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(PRINTED_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
