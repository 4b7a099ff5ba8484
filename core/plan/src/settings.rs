use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_samples::{About, Calls, USUAL_MARGIN, USUAL_SAME};

/// What the user decided about measuring; everything else the pilot finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Launches of each variant; as many as the budget holds, and at least [`MINIMUM_LAUNCHES`](tare_samples::MINIMUM_LAUNCHES), when absent.
    pub launches: Option<u32>,
    /// Samples a launch; overrides the source.
    pub samples: Option<u64>,
    /// Calls a sample; one variant for each entry. Empty leaves it to the source, then to the pilot.
    pub calls: Vec<Calls>,
    /// All cases take their turns in the same rounds.
    #[serde(default)]
    pub interleave: bool,
    /// Time for each variant, all launches and the pilot together.
    pub budget: Duration,
    /// The user gave a budget, so `precision` may not exceed it.
    pub budget_given: bool,
    /// Stop when the half-width of the interval is at most this fraction of the estimate.
    pub precision: Option<f64>,
    /// Time for each comparison until it has to be settled, the pilot included; a second measurement of what looks different is
    /// not counted.
    #[serde(default = "comparison_budget")]
    pub comparison_budget: Duration,
    /// Time for the whole suite; takes the place of each comparison's.
    #[serde(default)]
    pub total: Option<Duration>,
    /// Differences of compared variants up to this fraction don't matter; above 0.
    #[serde(default = "margin")]
    pub margin: f64,
    /// What the verdicts of comparisons are about.
    #[serde(default)]
    pub about: About,
    /// The bound of `same`: what shows no difference is called so where none larger than this fraction can be hidden; above 0.
    #[serde(default = "same")]
    pub same: f64,
    /// Comparisons of the whole suite, where this is a part of it: what is claimed of one is judged beside all of them. 0 where it is the whole.
    #[serde(default)]
    pub family: usize,
    /// The number of this comparison in its session, from 1, once it is counted: the session's error is shared among its comparisons. `None` outside of a session.
    #[serde(default)]
    pub session: Option<u64>,
    /// What is known of how long it will take.
    #[serde(skip)]
    pub precedent: Option<Precedent>,
    /// Clock of the worker; its default when absent.
    pub clock: Option<String>,
    /// Seed of every random choice.
    pub seed: u64,
    /// The longest wait for one reply; overrides the source when `timeout_given`.
    pub timeout: Duration,
    /// The user gave the timeout.
    pub timeout_given: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            launches: None,
            samples: None,
            calls: Vec::new(),
            interleave: false,
            budget: Duration::from_secs(2),
            budget_given: false,
            precision: None,
            comparison_budget: comparison_budget(),
            total: None,
            margin: USUAL_MARGIN,
            about: About::default(),
            same: USUAL_SAME,
            family: 0,
            session: None,
            precedent: None,
            clock: None,
            seed: 0,
            timeout: Duration::from_secs(60),
            timeout_given: false,
        }
    }
}

fn comparison_budget() -> Duration {
    Duration::from_secs(4)
}

fn margin() -> f64 {
    USUAL_MARGIN
}

fn same() -> f64 {
    USUAL_SAME
}

/// How an earlier comparison of the same cases went: means over these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precedent {
    /// Launch pairs of a first measurement.
    pub launches: f64,
    /// The part of the comparisons that were measured a second time.
    pub flagged: f64,
    /// Launch pairs of a second measurement; 0 where there was none.
    pub again: f64,
}
