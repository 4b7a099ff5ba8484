use serde::{Deserialize, Serialize};

/// What a benchmark says of itself, and what its runtime counted of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    /// Bytes that one call processes, by the author's account.
    pub bytes: Option<u64>,
    /// Items that one call processes, by the author's account.
    pub items: Option<u64>,
    /// Figures of the author's: name, and the number as JSON writes it.
    pub metrics: Vec<(String, String)>,
    /// What a reader must know of how it ran: `parallel`.
    pub labels: Vec<String>,
    /// Counted in a launch that isn't timed; `None` where the runtime doesn't count.
    pub allocations: Option<Allocations>,
    /// The author asks to be told of allocations, even of none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allocations_asked: bool,
}

impl Reported {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Allocations over a number of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocations {
    /// Calls that were watched; more than 0.
    pub calls: u64,
    /// Allocations in them.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Allocations {
    /// Allocations a call.
    pub fn per_call(&self) -> f64 {
        self.count as f64 / self.calls as f64
    }

    /// Whether calls may not be what allocated, so that other samples should be asked: there are fewer allocations than calls, or fewer calls than `fewest`.
    pub fn asks_for_another(&self, fewest: u64) -> bool {
        self.bytes > 0 && (self.count < self.calls || self.calls < fewest)
    }

    /// Bytes a call.
    pub fn bytes_per_call(&self) -> f64 {
        self.bytes as f64 / self.calls as f64
    }
}
