//! Concurrent work: HTTP requests, or the operations of benchmarks.

pub(crate) mod asked;
pub(crate) mod blocks;
pub(crate) mod checked;
pub(crate) mod compared;
pub(crate) mod ending;
pub(crate) mod gate;
pub(crate) mod hire;
pub(crate) mod http;
pub(crate) mod limits;
pub(crate) mod log;
pub(crate) mod mixes;
pub(crate) mod pairs;
pub(crate) mod placed;
pub(crate) mod progress;
pub(crate) mod quiet;
pub(crate) mod seen;
pub(crate) mod served;
pub(crate) mod start;
pub(crate) mod started;
pub(crate) mod suites;
pub(crate) mod turns;
pub(crate) mod values;
pub(crate) mod view;
pub(crate) mod workers;
