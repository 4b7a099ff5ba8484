//! What the measurements say: comparisons, gates, findings.

pub(crate) mod addresses;
pub(crate) mod assertion;
mod comparable_runs;
pub(crate) mod earlier_runs;
pub(crate) mod empty;
pub(crate) mod figures;
pub(crate) mod fitness;
pub(crate) mod gate;
pub(crate) mod imported;
pub(crate) mod lent;
pub(crate) mod live;
pub(crate) mod noise;
pub(crate) mod reports;
pub(crate) mod runs;
pub(crate) mod shared_error;
mod sides;
pub(crate) mod stored;
pub(crate) mod unmeasured;
