use serde::{Deserialize, Serialize};

use crate::variant::Variant;

/// The correction policy of a run whose samples another tool took: nothing was measured beside them, so nothing was taken off.
pub const UNTARED: u32 = 0;

/// The tool that measured a run which Tare exported, and which is imported again: what clock, loop and call cost was taken off before.
pub const OWN_TOOL: &str = "Tare";

/// Who made the worker of an imported variant, in [`RuntimeCommand::driver`](crate::RuntimeCommand::driver): nobody did.
pub const IMPORT_DRIVER: &str = "import";

/// Where an imported run comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The tool that measured it: `hyperfine`, `go test`.
    pub tool: String,
    /// The tool's version; empty where the file doesn't tell.
    pub version: String,
    /// The format that the file was read as, by the name that `tare import --format` knows: `hyperfine`, `gobench`.
    pub format: String,
    /// The file, as it was named; where a run is in several, the first of them.
    pub file: String,
    /// SHA-256 of what was in the file or files, in hexadecimal.
    pub digest: String,
    /// The file told when it was measured. Where it didn't, the run's start is the time at which the file was last written.
    pub time_told: bool,
}

impl Variant {
    /// Whether another tool measured it. Then its time is what that tool gave: no scale was measured beside it, and none taken off.
    pub fn is_imported(&self) -> bool {
        self.runtime.command.driver == IMPORT_DRIVER
    }
}
