use serde::{Deserialize, Serialize};

use crate::launch::Memory;

/// What launches of their own held, which were made to weigh memory: half of them ran the subject, half the null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeighedMemory {
    /// Calls in each launch; 0 is one bare call.
    pub calls: u64,
    /// The kernel's peak was set back to what the process held when the case was ready. Where it wasn't, a peak may be that of
    /// loading the source.
    pub from_ready: bool,
    /// A launch each that ran the subject.
    pub subject: Vec<Memory>,
    /// A launch each that ran the null in its place; as many.
    pub null: Vec<Memory>,
    /// Largest sizes by a tracer that was asked for (Python's tracemalloc), of the subject and of the null: from launches apart, since
    /// the tracer takes memory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<(u64, u64)>,
}
