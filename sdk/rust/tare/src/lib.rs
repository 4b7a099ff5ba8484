//! What programs use of Tare. Benchmarks need nothing of it: those written for Criterion and others are measured as they are.
//!
//! - [`clock`]: clocks that are read once a tick, or set by hand in a test.
//! - [`load`]: operations under load, for `tare load`.
#![forbid(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

pub mod clock;
pub mod load;

#[path = "../../worker/mod.rs"]
#[allow(missing_docs)]
mod worker;
