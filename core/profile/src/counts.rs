//! What a counting tool gives.

use std::collections::BTreeMap;

/// What a tool counted of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All together.
    pub(crate) total: u64,
    /// By function or system call.
    pub(crate) by: BTreeMap<String, u64>,
}
