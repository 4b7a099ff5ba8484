//! What a search for the commit to blame is asked for, beside what decides how it measures.

use tare_samples::Metric;

/// The commits to search, and for what.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectRequest {
    /// The revision before the change, as it is named.
    pub good: String,
    /// The revision that has it.
    pub bad: String,
    /// Which case: a regular expression, as `--filter` takes it.
    pub case: String,
    /// What of it changed.
    pub metric: Metric,
    /// It goes on within the commit that is found: which of its hunks bring the change.
    pub hunks: bool,
    /// Merges are one commit each.
    pub first_parent: bool,
    /// The search ends when a commit has this probability, 0.5 to 1.
    pub confidence: f64,
    /// It goes on with one that was interrupted.
    pub resume: bool,
}
