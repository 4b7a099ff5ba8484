//! Launches, and what is kept of them.

pub(crate) mod apart;
pub(crate) mod counters;
pub(crate) mod cpu_lanes;
pub(crate) mod early;
pub(crate) mod forecast;
pub(crate) mod lanes;
pub(crate) mod measure;
pub(crate) mod memory;
pub(crate) mod precedent;
pub(crate) mod recorder;
pub(crate) mod resume;
pub(crate) mod summing;
pub(crate) mod work;
