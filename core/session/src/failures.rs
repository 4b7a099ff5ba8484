//! Failures as text.

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

fn cut(line: &str) -> String {
    match line.char_indices().nth(PRINTED_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
