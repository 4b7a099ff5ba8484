//! Criterion's interface, measured by Tare. In a build for Tare it is compiled in the place of Criterion's own source, of whichever version from 0.3 to 0.8 a project has: what any of
//! these versions offers is here. `../README.md` says how, and what has no effect.
#![allow(clippy::all, deprecated, unexpected_cfgs)]

#[path = "../worker/mod.rs"]
mod worker;

pub mod async_executor;
mod bencher;
mod criterion;
mod group;
mod id;
mod macros;
pub mod measurement;
mod old;
pub mod profiler;
mod settings;

#[cfg(feature = "async")]
pub use crate::bencher::AsyncBencher;
pub use crate::bencher::Bencher;
pub use crate::criterion::Criterion;
pub use crate::group::BenchmarkGroup;
pub use crate::id::{BenchmarkId, IntoBenchmarkId};
pub use crate::old::{Benchmark, BenchmarkDefinition, Fun, ParameterizedBenchmark};
pub use crate::settings::{
    AxisScale, Baseline, BatchSize, BenchmarkFilter, PlotConfiguration, PlottingBackend, SamplingMode, Throughput,
};

/// Keeps the compiler from computing with what is known of a value, and from leaving out the work that made it.
#[inline(always)]
pub fn black_box<T>(dummy: T) -> T {
    std::hint::black_box(dummy)
}

/// Runs benchmarks one after the other.
pub fn runner(benches: &[&dyn Fn()]) {
    for bench in benches {
        worker::part(bench);
    }
}

/// For the macros alone.
#[doc(hidden)]
pub mod __tare {
    pub use crate::criterion::in_target;
    pub use crate::worker::{begin_to_end, end, part};
}
