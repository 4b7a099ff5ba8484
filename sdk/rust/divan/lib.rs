//! Divan's interface, measured by Tare. In a build for Tare it is compiled in the place of Divan's own source, of whichever version 0.1 a project has. `../README.md` says how, and what
//! has no effect.
#![allow(clippy::all, deprecated, unexpected_cfgs)]

#[path = "../worker/mod.rs"]
mod worker;

mod alloc;
mod arguments;
mod bencher;
pub mod counter;
mod divan;
mod entry;
mod options;
mod plan;

pub use crate::alloc::AllocProfiler;
pub use crate::bencher::Bencher;
pub use crate::divan::Divan;
pub use divan_macros::{bench, bench_group};
pub use std::hint::black_box;

/// What benchmarks use most.
pub mod prelude {
    pub use crate::{bench, bench_group, black_box, black_box_drop, AllocProfiler, Bencher, Divan};
}

/// Goes through all benchmarks.
pub fn main() {
    Divan::from_args().main();
}

/// Drops a value of which the compiler knows nothing.
#[inline]
pub fn black_box_drop<T>(dummy: T) {
    drop(black_box(dummy));
}

/// For the macros alone.
#[doc(hidden)]
pub mod __private {
    pub use crate::arguments::{Arg, Arguments, Printed};
    pub use crate::counter::counters;
    pub use crate::entry::{register, Entry, Instance, Kind, Node, Runner};
    pub use crate::options::{IntoDuration, IntoThreads, Options};
}
