use serde::{Deserialize, Serialize};

/// A file of the kernel that is settled or put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneRow {
    /// What is settled by it: `governor`.
    pub what: String,
    /// The file.
    pub path: String,
    /// What it holds without the tune.
    pub old: String,
    /// What it holds with it.
    pub new: String,
    /// What became of it.
    pub outcome: TuneOutcome,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TuneOutcome {
    /// It would be changed.
    Planned,
    /// It holds the new value.
    Settled,
    /// It couldn't be settled, and why.
    NotSettled(String),
    /// It holds the old value again.
    Back,
    /// It held the old value already.
    AsItWas,
    /// It holds what another hand wrote since, and is left so.
    Foreign(String),
    /// It couldn't be put back, and why.
    NotBack(String),
}
