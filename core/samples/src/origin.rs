use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::imported::Imported;

/// Version of the correction policy (docs/decisions/0003): results under different policies aren't comparable.
pub const POLICY: u32 = 2;

/// Where a run's samples come from, and under what rules they were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Identity of the run: sorts by start, unique on a machine.
    pub id: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// Tags given by the user.
    pub tags: Vec<String>,
    /// What the machine said of itself, by name: `cpu`, `governor`, `clocksource`, …
    pub machine: BTreeMap<String, String>,
    /// What about the machine and the runtimes may have disturbed the measurement, the worst first; empty too for runs of a time
    /// when nobody looked.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Version control: `branch`, `commit`, `dirty`; empty outside a repository.
    pub git: BTreeMap<String, String>,
    /// Where it comes from, if another tool measured it; `None` for Tare's own runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// Correction policy.
    pub policy: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// Version of Tare.
    pub tare: String,
}
