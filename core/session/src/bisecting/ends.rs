//! Both ends of a search, and a version beside them: what is kept of them, whatever is searched for.

use serde::{Deserialize, Serialize};
use tare_results::BisectCase;
use tare_samples::About;
use tare_statistics::Estimate;
use tare_statistics::bisection::{Located, VersionPlace};

use crate::measuring::apart::Reading;

/// How both ends compare.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ends {
    pub(super) case: BisectCase,
    /// Launch pairs of its interval.
    pub(super) pairs: u32,
    /// The times that the change rests on.
    pub(super) about: About,
    /// Other cases that match.
    pub(super) others: Vec<BisectCase>,
    /// What was counted or weighed of both; `None` where time is measured.
    pub(super) read: Option<EndReadings>,
}

/// What was read of both ends, with what a version needs to be read alike.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct EndReadings {
    /// What draws lots draws the same in all versions.
    pub(super) seed: u64,
    /// How long a call takes, about, in nanoseconds: all versions make as many calls.
    pub(super) call_ns: f64,
    pub(super) good: Reading,
    pub(super) bad: Reading,
}

/// A version beside both ends.
pub(super) struct VersionRatios {
    pub(super) from_good: Estimate,
    pub(super) to_bad: Estimate,
    pub(super) whole: Estimate,
    /// `None` where these are bounds.
    pub(super) confidence: Option<f64>,
    pub(super) pairs: u32,
}

impl Ends {
    /// The change, where one was called.
    pub(super) fn change(&self) -> Option<Located> {
        let ratio = self.case.change.filter(|_| self.case.verdict.is_difference())?;
        located(&ratio, self.case.confidence, self.pairs)
    }

    /// Whether a change in the direction of this log-ratio is called.
    pub(super) fn changes_as(&self, change: f64) -> bool {
        let rises = |ratio: Estimate| (ratio.estimate > 1.0) == (change > 0.0);
        self.case.verdict.is_difference() && self.case.change.is_some_and(rises)
    }
}

impl VersionRatios {
    /// `None` where a ratio has no interval.
    pub(super) fn place(&self) -> Option<VersionPlace> {
        let of = |ratio: &Estimate| located(ratio, self.confidence, self.pairs);
        Some(VersionPlace { from_good: of(&self.from_good)?, to_bad: of(&self.to_bad)?, whole: of(&self.whole)? })
    }
}

/// From an interval, or from a bound where it has no confidence.
pub(super) fn located(ratio: &Estimate, confidence: Option<f64>, pairs: u32) -> Option<Located> {
    match confidence {
        Some(confidence) => Located::of_interval(ratio.low, ratio.estimate, ratio.high, confidence, pairs),
        None => Located::of_bound(ratio),
    }
}
