//! Words of lines that say how far something is.

use crate::message::visible_message;

/// Characters of a title.
const LONGEST: usize = 120;

/// A case by its id, without its file.
pub fn case_title(case: &str) -> String {
    let name = case.split_once('/').map_or(case, |(_, name)| name);
    // Names may be of any length, and whoever reads a log wants a line.
    let head: String = name.chars().take(LONGEST).collect();
    let more = if head.len() < name.len() { "…" } else { "" };
    visible_message(&head).replace('\n', " ") + more
}

/// Nanoseconds as whole seconds or minutes, one second at least.
pub fn whole_time(ns: f64) -> String {
    match (ns / 1e9) as u64 {
        0 => "1 s".to_owned(),
        seconds @ 1..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::{case_title, whole_time};

    #[test]
    fn titles_are_one_line_of_bounded_length() {
        assert_eq!(case_title("bench/SortBench.php/benchSort"), "SortBench.php/benchSort");
        assert_eq!(case_title(&"x".repeat(500)).chars().count(), 121);
        assert!(!case_title("a/b\nc\u{1b}[2J").contains(['\n', '\u{1b}']));
    }

    #[test]
    fn times_are_rounded_to_what_a_reader_waits_for() {
        let told: Vec<String> = [1e6, 42e9, 99.9e9, 100e9, 3600e9].map(whole_time).to_vec();
        assert_eq!(told, ["1 s", "42 s", "99 s", "2 min", "60 min"]);
    }
}
