//! A part of a suite, which one machine of several measures.

use serde::{Deserialize, Serialize};
use tare_definition::Shard;

/// What a run measures of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    pub shard: Shard,
    /// All groups of the suite, in their order, each with the number of the part that measures it. Empty until that is decided.
    #[serde(default)]
    pub split: Vec<(String, u32)>,
}
