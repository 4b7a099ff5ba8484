//! A look: what the cases of a source depend on, each run once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::Facts;

/// What the cases of one source depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// What loading the source depends on, and with it every case.
    pub shared: Seen,
    /// What each depends on besides, by the case's identity; or why that isn't known.
    pub cases: BTreeMap<String, Result<Seen, String>>,
}

/// What a stretch of a process depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Files, folders and paths.
    pub facts: Facts,
    /// What the worker wrote of the code that ran (PROTOCOL 1.10), a line of JSON for each answer; empty where it doesn't tell.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
}
