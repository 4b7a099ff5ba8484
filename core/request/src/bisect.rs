//! What a search for the commit to blame is asked for, beside what decides how it measures.

use std::fmt;

use tare_samples::Metric;

/// A case, as it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseWanted {
    /// One that this regular expression matches, as `--filter` takes it.
    Matching(String),
    /// The `[[command]]` of tare.toml that has this name.
    Command(String),
}

impl CaseWanted {
    /// The regular expression that takes it.
    pub fn pattern(&self) -> String {
        match self {
            Self::Matching(pattern) => pattern.clone(),
            Self::Command(name) => format!("^commands/commands#{}$", regex::escape(name)),
        }
    }
}

/// As it was asked for: `--case benchSum`, `--command 'gzip -1'`.
impl fmt::Display for CaseWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matching(pattern) => write!(f, "--case {pattern}"),
            Self::Command(name) => write!(f, "--command {name}"),
        }
    }
}

/// The commits to search, and for what.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectRequest {
    /// The revision before the change, as it is named.
    pub good: String,
    /// The revision that has it.
    pub bad: String,
    /// Which case.
    pub case: CaseWanted,
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
