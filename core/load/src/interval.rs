//! What one worker or thread saw of one target in one second.

use crate::histogram::Latencies;
use crate::outcome::Failures;
use serde::{Deserialize, Serialize};

/// Answers by HTTP status; index 0 counts those outside of 100 to 599.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u16, u64)>", into = "Vec<(u16, u64)>")]
pub struct Statuses(Box<[u64; 600]>);

impl From<Vec<(u16, u64)>> for Statuses {
    fn from(counts: Vec<(u16, u64)>) -> Self {
        let mut statuses = Self::default();
        for (status, count) in counts {
            statuses.0[usize::from(status).min(599)] += count;
        }
        statuses
    }
}

impl From<Statuses> for Vec<(u16, u64)> {
    fn from(statuses: Statuses) -> Self {
        statuses.iter().collect()
    }
}

impl Default for Statuses {
    fn default() -> Self {
        Self(Box::new([0; 600]))
    }
}

impl Statuses {
    /// Counts one answer.
    pub fn add(&mut self, status: u16) {
        let at = if (100..600).contains(&status) { usize::from(status) } else { 0 };
        self.0[at] += 1;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(mine, its)| *mine += its);
    }

    /// Statuses that were seen with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> {
        self.0.iter().enumerate().filter(|(_, count)| **count > 0).map(|(status, count)| (status as u16, *count))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// What ended within one second of the run, of one target, in one worker or thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Interval {
    /// Seconds since the start, whole.
    pub second: u32,
    /// Latencies of the operations that succeeded.
    pub latencies: Latencies,
    /// Operations that failed.
    pub failures: Failures,
    /// Answers by status, where operations have one.
    pub statuses: Statuses,
    /// Operations that began late.
    pub late: u64,
    /// Operations that were due and never begun.
    pub dropped: u64,
    /// Bytes received by operations that succeeded.
    pub bytes: u64,
    /// Connections opened.
    pub connects: u64,
}

impl Interval {
    /// Adds the counts of another; the second stays.
    pub fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.failures.merge(&other.failures);
        self.statuses.merge(&other.statuses);
        self.late += other.late;
        self.dropped += other.dropped;
        self.bytes += other.bytes;
        self.connects += other.connects;
    }

    /// Empties it for another second, keeping the memory.
    pub fn reuse(&mut self, second: u32) {
        self.second = second;
        self.latencies.clear();
        self.failures.clear();
        self.statuses.clear();
        (self.late, self.dropped, self.bytes, self.connects) = (0, 0, 0, 0);
    }

    /// Operations that succeeded.
    pub fn succeeded(&self) -> u64 {
        self.latencies.count()
    }
}
