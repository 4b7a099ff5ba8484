use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tare_samples::Failure;
use tare_statistics::clocks::{ClockFigures, Finding, Rate, Spread};

/// What a machine's clocks are like, and what waiting takes on it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClocksView {
    /// What the machine said of itself.
    pub machine: BTreeMap<String, String>,
    /// The native side first.
    pub runtimes: Vec<RuntimeClocks>,
    /// Seconds that measuring took, without builds.
    pub duration_s: f64,
    /// Seconds that were spent before that on building workers.
    pub building_s: f64,
}

/// One runtime.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RuntimeClocks {
    /// How the user calls it; `native` for clock_gettime(2) and its like.
    pub name: String,
    /// Its language, as its worker says; empty where it said nothing.
    pub language: String,
    /// Its version, likewise.
    pub version: String,
    /// What makes it slower than it need be, as `xdebug: 3.2.0`.
    pub disturbed: Vec<String>,
    /// Its clocks in its worker's order.
    pub clocks: Vec<ClockRow>,
    /// What waiting took, in the order in which it was asked for.
    pub waits: Vec<WaitRow>,
    /// How much later than asked the kernel may wake its threads, in nanoseconds.
    pub timer_slack_ns: Option<u64>,
    /// Why it ended before it was done.
    pub failure: Option<Failure>,
    /// Somebody didn't want to wait for the rest of it.
    pub interrupted: bool,
}

impl RuntimeClocks {
    /// Whether nothing of it was measured.
    pub fn is_empty(&self) -> bool {
        self.waits.is_empty() && self.clocks.iter().all(|clock| clock.refused.is_some())
    }
}

/// One clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockRow {
    /// Its name.
    pub name: String,
    /// Why there is nothing to say of it.
    pub refused: Option<String>,
    /// What was seen.
    pub seen: ClockFigures,
    /// Reads in each of the blocks that its cost is from.
    pub reads_a_block: u64,
    /// Its rate against `CLOCK_MONOTONIC_RAW`; `None` for clocks that don't follow real time.
    pub rate: Option<Rate>,
    /// Ticks a second, for a clock that counts ticks of its own.
    pub frequency_hz: Option<f64>,
    /// Whether a read enters the kernel, or why that couldn't be seen.
    pub system_call: Result<bool, String>,
    /// What is worth saying.
    pub findings: Vec<Finding>,
}

/// One way of waiting for one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaitRow {
    /// `yield`, `sleep`, or another of the language's calls.
    pub call: String,
    /// Nanoseconds asked for.
    pub requested_ns: i64,
    /// How often.
    pub times: u64,
    /// Nanoseconds taken, or why the language doesn't wait so.
    pub taken: Result<Spread, String>,
}
