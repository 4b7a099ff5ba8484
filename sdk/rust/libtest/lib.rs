//! The crate `test` of a nightly toolchain, measured by Tare: what `#[bench]` and the harness that rustc generates name. In a build for Tare the wrapper gives it to rustc in the place of
//! the toolchain's own. `../README.md` says how.
#![allow(clippy::all, unexpected_cfgs)]

#[path = "../worker/mod.rs"]
mod worker;

mod bencher;
mod described;
mod harness;

pub use crate::bencher::Bencher;
pub use crate::described::TestFn::{self, StaticBenchFn, StaticTestFn};
pub use crate::described::TestName::{self, StaticTestName};
pub use crate::described::{ShouldPanic, TestDesc, TestDescAndFn, TestType};
pub use crate::harness::{assert_test_result, test_main_static, test_main_static_abort};
pub use std::hint::black_box;

/// Benchmarks may name both by this module.
pub mod bench {
    pub use crate::{black_box, Bencher};
}
