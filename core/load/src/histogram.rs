//! Latencies in an HDR histogram: three significant digits from 1 ns to an hour.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Longer latencies are recorded as this: an hour, in nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;
/// Decimal digits that are kept of each value: an error of 0.05 % at most.
const DIGITS: u8 = 3;

/// The percentiles that reports show, with the names they have in documents.
pub const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)];

/// Latencies in nanoseconds. Recording allocates nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Compact", into = "Compact")]
pub struct Latencies(Histogram<u64>);

impl From<Compact> for Latencies {
    fn from(compact: Compact) -> Self {
        let mut latencies = Self::new();
        compact.add_to(&mut latencies);
        latencies
    }
}

impl From<Latencies> for Compact {
    fn from(latencies: Latencies) -> Self {
        latencies.compact()
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// Nothing recorded; about 0.25 MB.
    #[allow(clippy::expect_used, reason = "the bounds are constants, and the tests make one")]
    pub fn new() -> Self {
        Self(Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("1 ns to 1 h with 3 digits can be had"))
    }

    /// Records one latency.
    pub fn record(&mut self, nanoseconds: u64) {
        self.0.saturating_record(nanoseconds);
    }

    /// Records one latency several times.
    pub fn record_n(&mut self, nanoseconds: u64, times: u64) {
        self.0.saturating_record_n(nanoseconds, times);
    }

    /// Adds all values of another.
    pub fn merge(&mut self, other: &Self) {
        // Both have the same bounds, so it can't fail.
        let _ = self.0.add(&other.0);
    }

    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// How many were recorded.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The latency (ns) that `percentile` (0 to 100) of the values don't exceed: the highest value that can't be told from it, as
    /// HdrHistogram has it. `None` where nothing was recorded.
    pub fn percentile(&self, percentile: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.0.value_at_percentile(percentile).min(self.0.max()))
    }

    /// The mean (ns); `None` where nothing was recorded.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.mean())
    }

    /// The greatest (ns), to three digits; `None` where nothing was recorded.
    pub fn max(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.0.max())
    }

    /// The values that there are, with their counts, ascending: a few hundred entries for a second of traffic.
    pub fn compact(&self) -> Compact {
        let values = self.0.iter_recorded();
        Compact(values.map(|value| (value.value_iterated_to(), value.count_at_value())).collect())
    }

    /// The histogram itself.
    pub fn as_hdr(&self) -> &Histogram<u64> {
        &self.0
    }
}

/// The values of a histogram that aren't counted zero times, ascending: what is kept of each second.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compact(Vec<(u64, u64)>);

impl Compact {
    /// Adds all values of another.
    pub fn merge(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        for &(value, count) in &other.0 {
            match self.0.binary_search_by_key(&value, |entry| entry.0) {
                Ok(at) => self.0[at].1 += count,
                Err(at) => self.0.insert(at, (value, count)),
            }
        }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// As [`Latencies::percentile`].
    pub fn percentile(&self, percentile: f64) -> Option<u64> {
        let wanted = (percentile / 100.0 * self.count() as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        self.0.iter().find_map(|&(value, count)| {
            below += count;
            (below >= wanted).then_some(value)
        })
    }

    /// Adds all to a histogram.
    pub fn add_to(&self, latencies: &mut Latencies) {
        for &(value, count) in &self.0 {
            latencies.record_n(value, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compact, Latencies};

    #[test]
    fn percentiles_are_those_of_all_values_together_and_not_of_parts() {
        let (mut quick, mut slow) = (Latencies::new(), Latencies::new());
        (0..990).for_each(|_| quick.record(1_000));
        (0..10).for_each(|_| slow.record(1_000_000));
        quick.merge(&slow);
        assert_eq!(quick.percentile(99.0), Some(1_000));
        let tail = quick.percentile(99.1).unwrap();
        assert!((1_000_000..1_001_000).contains(&tail), "{tail}");
        assert_eq!(quick.count(), 1000);
    }

    #[test]
    fn nothing_recorded_has_no_percentile_and_what_is_too_long_is_an_hour() {
        let mut latencies = Latencies::new();
        assert_eq!((latencies.percentile(50.0), latencies.max(), latencies.mean()), (None, None, None));
        latencies.record(u64::MAX);
        let max = latencies.max().unwrap();
        assert!((3_600_000_000_000..3_604_000_000_000).contains(&max), "{max}");
        latencies.record(0);
        assert_eq!(latencies.count(), 2);
    }

    #[test]
    fn what_is_kept_of_a_second_has_the_same_percentiles() {
        let mut all = Latencies::new();
        let mut parts = [Latencies::new(), Latencies::new()];
        for i in 1..=5000u64 {
            let value = i * i * 37 % 1_000_003;
            all.record(value);
            parts[(i % 2) as usize].record(value);
        }
        let mut compact = Compact::default();
        parts.iter().for_each(|part| compact.merge(&part.compact()));
        for percentile in [0.0, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0] {
            assert_eq!(compact.percentile(percentile), all.percentile(percentile), "{percentile}");
        }
        let mut back = Latencies::new();
        compact.add_to(&mut back);
        assert_eq!(back, all);
    }
}
