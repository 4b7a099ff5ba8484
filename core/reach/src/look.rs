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
    /// Units of code that were executed; empty where the runtime doesn't tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executed: Vec<Executed>,
}

/// A unit of code that ran.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Executed {
    /// The file that defines it.
    pub file: String,
    /// Its qualified name.
    pub name: String,
    /// The line on which it begins.
    pub line: u64,
}
