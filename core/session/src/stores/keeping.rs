//! Which runs a store keeps when it is pruned.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use tare_store::RunRow;

const HOURS_OF_A_DAY: i64 = 24;

/// A rule by which runs stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepRule {
    /// So many of the newest.
    Newest(usize),
    /// Those that began within so many hours.
    Hours(i64),
    /// Those with any tag.
    Tagged,
    /// Those with this tag.
    Tag(String),
}

impl FromStr for KeepRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(tag) = text.strip_prefix("tag:").filter(|tag| !tag.is_empty()) {
            return Ok(Self::Tag(tag.to_owned()));
        }
        if text == "tagged" {
            return Ok(Self::Tagged);
        }
        if let Ok(count) = text.parse() {
            return Ok(Self::Newest(count));
        }
        let age = |unit: char, hours: i64| {
            let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|&count| count > 0)?;
            // Longer than anybody has kept anything, and still a duration.
            count.checked_mul(hours).filter(|&hours| hours < 1_000_000).map(Self::Hours)
        };
        age('d', HOURS_OF_A_DAY)
            .or_else(|| age('w', 7 * HOURS_OF_A_DAY))
            .or_else(|| age('h', 1))
            .ok_or_else(|| "write a number of runs, an age as 90d, 12w or 48h, `tagged`, or tag:NAME".to_owned())
    }
}

/// Those of the runs, newest first, that no rule keeps.
pub(crate) fn to_be_deleted<'a>(runs: &'a [RunRow], rules: &[KeepRule], now: Timestamp) -> Vec<&'a RunRow> {
    let stays = |place: usize, run: &RunRow| {
        rules.iter().any(|rule| match rule {
            KeepRule::Newest(count) => place < *count,
            KeepRule::Hours(hours) => began_within(run, *hours, now),
            KeepRule::Tagged => !run.origin.tags.is_empty(),
            KeepRule::Tag(tag) => run.origin.tags.contains(tag),
        })
    };
    runs.iter().enumerate().filter(|(place, run)| !stays(*place, run)).map(|(_, run)| run).collect()
}

/// A start that nobody can read keeps its run.
fn began_within(run: &RunRow, hours: i64, now: Timestamp) -> bool {
    let started = run.origin.started.parse::<Timestamp>();
    started.map_or(true, |started| now.duration_since(started) <= SignedDuration::from_hours(hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        for (text, rule) in [
            ("0", KeepRule::Newest(0)),
            ("100", KeepRule::Newest(100)),
            ("90d", KeepRule::Hours(2160)),
            ("12w", KeepRule::Hours(2016)),
            ("48h", KeepRule::Hours(48)),
            ("tagged", KeepRule::Tagged),
            ("tag:main", KeepRule::Tag("main".into())),
        ] {
            assert_eq!(text.parse(), Ok(rule), "{text}");
        }
        for text in ["", "-1", "d", "0d", "90m", "tag:", "99999999999999w", "1.5d"] {
            assert!(text.parse::<KeepRule>().is_err(), "{text}");
        }
    }
}
