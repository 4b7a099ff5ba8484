//! A run of one target: all of it, and by second.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::histogram::Compact;
use crate::interval::Interval;

/// What ended in one stretch of load (a second, a block), over all workers and threads: a few kilobytes, where an [`Interval`] has some
/// 300, since there may be thousands of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Latencies of what succeeded.
    pub latencies: Compact,
    /// Operations that failed.
    pub failed: u64,
    /// Operations that began late.
    pub late: u64,
}

impl Stretch {
    /// Adds the counts of an interval.
    pub fn merge(&mut self, interval: &Interval) {
        self.latencies.merge(&interval.latencies.compact());
        self.failed += interval.failures.total();
        self.late += interval.late;
    }

    /// Adds the counts of another stretch.
    pub fn add(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.failed += other.failed;
        self.late += other.late;
    }

    /// Operations that succeeded.
    pub fn succeeded(&self) -> u64 {
        self.latencies.count()
    }
}

/// Everything that was seen of one target.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Series {
    /// All of it together.
    pub total: Interval,
    /// By second since the start; seconds in which nothing ended are missing.
    pub seconds: BTreeMap<u32, Stretch>,
}

impl Series {
    /// Takes what one worker or thread saw in one second.
    pub fn add(&mut self, interval: &Interval) {
        self.total.merge(interval);
        let failed = interval.failures.total();
        if interval.succeeded() == 0 && failed == 0 && interval.late == 0 {
            return;
        }
        self.seconds.entry(interval.second).or_default().merge(interval);
    }

    /// Goes on with another series that began `after` so many seconds of this one.
    pub fn append(&mut self, other: &Self, after: u32) {
        self.total.merge(&other.total);
        for (second, stretch) in &other.seconds {
            self.seconds.entry(after + second).or_default().add(stretch);
        }
    }

    /// Operations that succeeded in each second from 0 to `seconds` (exclusive), nothing where nothing ended.
    pub fn succeeded_by_second(&self, seconds: u32) -> Vec<u64> {
        let count = |second| self.seconds.get(&second).map_or(0, |second| second.latencies.count());
        (0..seconds).map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Series, Stretch};
    use crate::interval::Interval;

    fn interval(second: u32, latencies: &[u64]) -> Interval {
        let mut interval = Interval { second, ..Interval::default() };
        latencies.iter().for_each(|latency| interval.latencies.record(*latency));
        interval
    }

    #[test]
    fn a_stretch_has_the_counts_and_percentiles_of_its_intervals() {
        let mut parts = [interval(0, &[10, 20, 20]), interval(1, &[30, 40_000])];
        parts[1].failures.add("timeout", 3);
        parts[0].late = 2;
        let (mut whole, mut stretch) = (Interval::default(), Stretch::default());
        for part in &parts {
            whole.merge(part);
            stretch.merge(part);
        }
        assert_eq!((stretch.latencies.count(), stretch.failed, stretch.late), (5, 3, 2));
        for percentile in [0.0, 50.0, 99.0, 100.0] {
            assert_eq!(stretch.latencies.percentile(percentile), whole.latencies.percentile(percentile));
        }
    }

    #[test]
    fn one_series_goes_on_where_the_other_ends() {
        let (mut first, mut second) = (Series::default(), Series::default());
        first.add(&interval(0, &[10]));
        first.add(&interval(2, &[10, 20]));
        second.add(&interval(0, &[30]));
        second.add(&interval(1, &[40]));
        first.append(&second, 2);
        assert_eq!(first.succeeded_by_second(4), [1, 0, 3, 1]);
        assert_eq!(first.total.latencies.max(), Some(40));
    }

    #[test]
    fn workers_are_put_together_by_second_and_a_pause_is_seen() {
        let mut series = Series::default();
        series.add(&interval(0, &[10, 20]));
        series.add(&interval(3, &[30]));
        series.add(&interval(0, &[40]));
        series.add(&interval(1, &[]));
        assert_eq!(series.succeeded_by_second(4), [3, 0, 0, 1]);
        assert_eq!(series.total.succeeded(), 4);
        assert_eq!(series.seconds[&0].latencies.percentile(50.0), Some(20));
    }
}
