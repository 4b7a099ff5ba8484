//! What an interrupted run has measured, with which another goes on.

use tare_samples::{Calibration, Launch};

/// By group, and in each one by variant. Groups at the end may be missing.
pub type EarlierLaunches = Vec<Vec<EarlierVariant>>;

/// A variant of an interrupted run.
#[derive(Debug, Clone, Default)]
pub struct EarlierVariant {
    /// Its sizes.
    pub calibration: Option<Calibration>,
    /// What was measured of it.
    pub launches: Vec<Launch>,
}

/// How long a run was measured before it was interrupted, in nanoseconds since it began.
pub fn used_ns(earlier: &EarlierLaunches) -> u64 {
    let launches = earlier.iter().flatten().flat_map(|variant| &variant.launches);
    launches.map(|launch| launch.started_ns.saturating_add(launch.duration_ns)).max().unwrap_or(0)
}
