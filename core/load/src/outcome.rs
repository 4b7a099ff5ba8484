//! What became of operations that failed.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Failures by kind, in the order in which the kinds were first seen. Kinds are few, so a list is faster than a map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures(Vec<(Cow<'static, str>, u64)>);

impl Failures {
    /// Kinds beyond this many are counted as `other`: kinds can be names that come from outside.
    const MOST_KINDS: usize = 64;

    /// Counts `count` more failures of a kind.
    pub fn add(&mut self, kind: impl Into<Cow<'static, str>>, count: u64) {
        let kind = kind.into();
        if let Some((_, counted)) = self.0.iter_mut().find(|(known, _)| *known == kind) {
            *counted += count;
        } else if self.0.len() < Self::MOST_KINDS || kind == "other" {
            self.0.push((kind, count));
        } else {
            self.add("other", count);
        }
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.0 {
            self.add(kind.clone(), *count);
        }
    }

    /// All failures together.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Kinds with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(kind, count)| (kind.as_ref(), *count))
    }

    /// Forgets all, keeping the room.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Failures;

    #[test]
    fn kinds_are_counted_apart_and_merged() {
        let mut failures = Failures::default();
        failures.add("timeout", 2);
        failures.add("reset", 1);
        let mut other = Failures::default();
        other.add("timeout".to_owned(), 3);
        failures.merge(&other);
        assert_eq!(failures.iter().collect::<Vec<_>>(), [("timeout", 5), ("reset", 1)]);
        assert_eq!(failures.total(), 6);
    }

    #[test]
    fn kinds_without_end_take_no_memory_without_end() {
        let mut failures = Failures::default();
        for kind in 0..10_000 {
            failures.add(format!("exception {kind}"), 1);
        }
        assert_eq!(failures.total(), 10_000);
        assert!(failures.iter().count() <= 65);
    }
}
