use std::fmt;

use serde::{Deserialize, Serialize};
use tare_statistics::comparison::Verdict;

/// What many comparisons (or suites of them) of one kind gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Comparisons.
    pub comparisons: u64,
    /// Called slower.
    pub slower: u64,
    /// Called faster.
    pub faster: u64,
    /// Called the same.
    pub same: u64,
    /// Called different by the first measurement, before a second one confirmed it or not.
    pub flagged: u64,
    /// With a ratio, an interval of which holds the truth.
    pub covered: u64,
    /// With a ratio.
    pub defined: u64,
    /// Runs of the engine: as many as comparisons, or one for every suite.
    pub runs: u64,
    /// Runs in which anything was called slower or faster.
    pub alarming_runs: u64,
    /// Launch pairs in all.
    pub pairs: u64,
    /// Of each comparison with a ratio: the logarithm of the ratio less that of the truth.
    pub errors: Vec<f64>,
    /// Simulated milliseconds of each run, from nothing to its verdicts.
    pub run_ms: Vec<f64>,
}

/// Median and 95th percentile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantiles {
    /// Half are at most this.
    pub median: f64,
    /// 95 % are at most this.
    pub p95: f64,
}

impl Quantiles {
    /// Of values in any order, nearest rank; `None` for none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let rank = |share: f64| sorted.get(((share * sorted.len() as f64).ceil() as usize).saturating_sub(1)).copied();
        Some(Self { median: rank(0.5)?, p95: rank(0.95)? })
    }
}

impl Counted {
    /// Puts another count beside this one.
    pub fn add(&mut self, other: Self) {
        self.comparisons += other.comparisons;
        self.slower += other.slower;
        self.faster += other.faster;
        self.same += other.same;
        self.flagged += other.flagged;
        self.covered += other.covered;
        self.defined += other.defined;
        self.runs += other.runs;
        self.alarming_runs += other.alarming_runs;
        self.pairs += other.pairs;
        self.errors.extend(other.errors);
        self.run_ms.extend(other.run_ms);
    }

    pub(super) fn verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Slower => self.slower += 1,
            Verdict::Faster => self.faster += 1,
            Verdict::Same => self.same += 1,
            Verdict::Inconclusive => {}
        }
    }

    /// Called slower or faster.
    pub fn called_different(&self) -> u64 {
        self.slower + self.faster
    }

    /// A share of the comparisons.
    pub fn share(&self, count: u64) -> f64 {
        count as f64 / self.comparisons.max(1) as f64
    }

    /// Share of the intervals that hold the truth; of comparisons with a ratio.
    pub fn coverage(&self) -> f64 {
        self.covered as f64 / self.defined.max(1) as f64
    }

    /// Mean error of the ratio, as a fraction.
    pub fn mean_error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64
    }

    /// Root of the mean squared error of the ratio, as a fraction: its standard deviation from the truth.
    pub fn error_sd(&self) -> f64 {
        (self.errors.iter().map(|error| error * error).sum::<f64>() / self.errors.len().max(1) as f64).sqrt()
    }

    /// Launch pairs of a comparison, on average.
    pub fn mean_pairs(&self) -> f64 {
        self.pairs as f64 / self.comparisons.max(1) as f64
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = Quantiles::of(&self.run_ms).unwrap_or(Quantiles { median: 0.0, p95: 0.0 });
        write!(
            f,
            "{} comparisons: {} slower, {} faster, {} same, {} flagged at first, covered {:.2} %, error {:.3} % (mean {:+.4} %), {:.1} pairs, {:.2} s (95 %: {:.2} s)",
            self.comparisons,
            self.slower,
            self.faster,
            self.same,
            self.flagged,
            100.0 * self.coverage(),
            100.0 * self.error_sd(),
            100.0 * self.mean_error(),
            self.mean_pairs(),
            time.median / 1e3,
            time.p95 / 1e3,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Quantiles};

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(Quantiles::of(&values), Some(Quantiles { median: 50.0, p95: 95.0 }));
        assert_eq!(Quantiles::of(&[7.0]), Some(Quantiles { median: 7.0, p95: 7.0 }));
        assert_eq!(Quantiles::of(&[]), None);
    }

    #[test]
    fn the_error_is_taken_from_the_truth_not_from_the_mean() {
        let counted = Counted { errors: vec![0.01, 0.03], ..Counted::default() };
        assert!((counted.mean_error() - 0.02).abs() < 1e-12);
        assert!((counted.error_sd() - 0.0005f64.sqrt()).abs() < 1e-12);
    }
}
