use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use tare_statistics::comparison::{Comparison, Verdict};

/// What many comparisons (or suites of them) of one kind gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// Comparisons.
    pub comparisons: u64,
    /// Called slower.
    pub slower: u64,
    /// Called faster.
    pub faster: u64,
    /// Called the same.
    pub same: u64,
    /// Called slower though it is faster, or faster though it is slower.
    pub wrong_sign: u64,
    /// Called different by the first measurement, before a second one confirmed it or not.
    pub flagged: u64,
    /// With a ratio, an interval of which holds the truth.
    pub covered: u64,
    /// With a ratio.
    pub defined: u64,
    /// With a ratio of typical calls, an interval of which holds the truth.
    pub typical_covered: u64,
    /// With a ratio of typical calls.
    pub typical_defined: u64,
    /// Of each comparison that was called the same: within which fraction.
    pub bounds: Vec<f64>,
    /// Called the same within less than the truth lies from no difference.
    pub wrong_bound: u64,
    /// Of these, the comparisons that met none of the launches that are slower by chance: no interval knows of what wasn't seen.
    pub wrong_unmet: u64,
    /// Of subjects with launches that are slower by chance: comparisons that met none of these.
    pub unmet: u64,
    /// Comparisons with a warning, by its code.
    pub warned: BTreeMap<String, u64>,
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

/// What is true of a comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrueRatios {
    /// Ratio of expected costs.
    pub(super) time: f64,
    /// Least and greatest ratio that typical calls may have ([`Model::typical_ratios`](super::Model::typical_ratios)).
    pub(super) typical: [f64; 2],
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
        self.wrong_sign += other.wrong_sign;
        self.flagged += other.flagged;
        self.covered += other.covered;
        self.defined += other.defined;
        self.typical_covered += other.typical_covered;
        self.typical_defined += other.typical_defined;
        self.bounds.extend(other.bounds);
        self.wrong_bound += other.wrong_bound;
        self.wrong_unmet += other.wrong_unmet;
        self.unmet += other.unmet;
        for (code, count) in other.warned {
            *self.warned.entry(code).or_default() += count;
        }
        self.runs += other.runs;
        self.alarming_runs += other.alarming_runs;
        self.pairs += other.pairs;
        self.errors.extend(other.errors);
        self.run_ms.extend(other.run_ms);
    }

    /// Puts one comparison to the count.
    pub(super) fn comparison(&mut self, comparison: &Comparison, truth: &TrueRatios) {
        self.comparisons += 1;
        self.verdict(comparison.verdict);
        self.wrong_sign += u64::from(match comparison.verdict {
            Verdict::Slower => truth.time < 1.0,
            Verdict::Faster => truth.time > 1.0,
            Verdict::Same | Verdict::Unchanged | Verdict::Inconclusive => false,
        });
        self.flagged += u64::from(comparison.flag.is_some());
        self.pairs += u64::from(comparison.pairs);
        if let Some(ratio) = comparison.ratio {
            self.defined += 1;
            self.covered += u64::from(ratio.holds(truth.time));
            self.errors.push((ratio.estimate / truth.time).ln());
        }
        if let Some(typical) = comparison.typical {
            let [low, high] = truth.typical;
            self.typical_defined += 1;
            // Rounding moves the ends of the range.
            self.typical_covered += u64::from(typical.low <= high * (1.0 + 1e-9) && typical.high >= low * (1.0 - 1e-9));
        }
        self.bounds.extend(comparison.within);
        // Rounding moves the end of an interval that lies at the truth.
        let is_wrong = |within: f64| truth.time.ln().abs() > within.ln_1p() + 1e-9;
        self.wrong_bound += u64::from(comparison.within.is_some_and(is_wrong));
        for warning in &comparison.warnings {
            *self.warned.entry(warning.code.clone()).or_default() += 1;
        }
    }

    fn verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Slower => self.slower += 1,
            Verdict::Faster => self.faster += 1,
            Verdict::Same | Verdict::Unchanged => self.same += 1,
            Verdict::Inconclusive => {}
        }
    }

    /// Within which what was called the same may lie apart, as text: the median.
    pub fn median_bound(&self) -> String {
        Quantiles::of(&self.bounds).map_or("–".to_owned(), |bounds| format!("{:.2} %", 100.0 * bounds.median))
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

    /// Share of the intervals of typical calls that hold the truth; of comparisons with a ratio of these.
    pub fn typical_coverage(&self) -> f64 {
        self.typical_covered as f64 / self.typical_defined.max(1) as f64
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
            "{} comparisons: {} slower, {} faster, {} same ({} within too little, {} of them without the launches that show it), {} of the wrong sign, {} flagged at first, covered {:.2} % (typical {:.2} % of {}), within {}, error {:.3} % (mean {:+.4} %), {:.1} pairs, {:.2} s (95 %: {:.2} s)",
            self.comparisons,
            self.slower,
            self.faster,
            self.same,
            self.wrong_bound,
            self.wrong_unmet,
            self.wrong_sign,
            self.flagged,
            100.0 * self.coverage(),
            100.0 * self.typical_coverage(),
            self.typical_defined,
            self.median_bound(),
            100.0 * self.error_sd(),
            100.0 * self.mean_error(),
            self.mean_pairs(),
            time.median / 1e3,
            time.p95 / 1e3,
        )?;
        if self.unmet > 0 {
            write!(f, ", {} met no slow launch", self.unmet)?;
        }
        if self.warned.is_empty() { Ok(()) } else { write!(f, ", warned {:?}", self.warned) }
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
