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
pub(crate) fn whole_time(ns: f64) -> String {
    match (ns / 1e9) as u64 {
        0 => "1 s".to_owned(),
        seconds @ 1..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// A range whose ends are farther apart than by this factor, and by so much, in nanoseconds, is shown as one.
const WIDE: f64 = 1.5;
const WIDE_NS: f64 = 5e9;

/// What is left, as a range where it isn't known well; nanoseconds.
pub fn time_left(left_ns: f64, (least_ns, most_ns): (f64, f64)) -> String {
    let (least, most) = (whole_time(least_ns), whole_time(most_ns));
    if most_ns <= WIDE * least_ns || most_ns - least_ns <= WIDE_NS || least == most {
        return format!("{} left", whole_time(left_ns));
    }
    format!("{least} to {most} left")
}

#[cfg(test)]
mod tests {
    use super::{case_title, time_left, whole_time};

    #[test]
    fn titles_are_one_line_of_bounded_length() {
        assert_eq!(case_title("bench/SortBench.php/benchSort"), "SortBench.php/benchSort");
        assert_eq!(case_title(&"x".repeat(500)).chars().count(), 121);
        assert!(!case_title("a/b\nc\u{1b}[2J").contains(['\n', '\u{1b}']));
    }

    #[test]
    fn what_is_left_is_a_range_where_it_is_not_known_well() {
        let said = |left_s: f64, least_s: f64, most_s: f64| time_left(left_s * 1e9, (least_s * 1e9, most_s * 1e9));
        assert_eq!(said(42.0, 36.0, 50.0), "42 s left");
        assert_eq!(said(42.0, 30.0, 113.0), "30 s to 2 min left");
        assert_eq!(said(2.0, 0.5, 4.0), "2 s left");
        assert_eq!(said(300.0, 250.0, 590.0), "5 min to 10 min left");
    }

    #[test]
    fn times_are_rounded_to_what_a_reader_waits_for() {
        let told: Vec<String> = [1e6, 42e9, 99.9e9, 100e9, 3600e9].map(whole_time).to_vec();
        assert_eq!(told, ["1 s", "42 s", "99 s", "2 min", "60 min"]);
    }
}
