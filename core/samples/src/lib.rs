//! The central values of a measurement, from the benchmark's name to the last elapsed nanosecond.
//!
//! Everything downstream of a worker is computed from these: they are what the store keeps, so an estimate
//! can be recomputed years later under a newer policy. The crate is a leaf: it knows no file, clock, process
//! or statistic. What all crates do to texts and bytes alike stands here too: [`printable`], [`fnv1a`]. Times are whole nanoseconds as the worker's clock gave them; nothing here has been corrected.

mod about;
mod case;
mod causes;
mod failure;
mod finding;
mod fnv1a;
mod imported;
mod instructions;
mod launch;
mod likeness;
mod memory;
mod metric;
mod origin;
mod printable;
mod proof;
mod reported;
mod spent;
mod unit;
mod usual;
mod variant;
mod work;

pub use about::About;
pub use case::{Case, CaseAssertion, CaseSettings, Parameters};
pub use causes::{Cause, by_cause};
pub use failure::{Failure, FailureKind};
pub use finding::{Finding, FindingLevel};
pub use fnv1a::fnv1a;
pub use imported::{IMPORT_DRIVER, Imported, OWN_TOOL, UNTARED};
pub use instructions::{FewAndMany, LaunchCounts};
pub use launch::{Launch, Memory, Stretch, Subject, Turn};
pub use likeness::Likeness;
pub use memory::WeighedMemory;
pub use metric::Metric;
pub use origin::{Origin, POLICY};
pub use printable::{is_hidden, printable, printable_line};
pub use proof::{Proof, ProofLevel};
pub use reported::{Allocations, Reported};
pub use spent::Spent;
pub use unit::TimeUnit;
pub use usual::{MINIMUM_LAUNCHES, USUAL_MARGIN, USUAL_SAME};
pub use variant::{
    Calibration, Calls, Correction, Measurement, Outcome, Runtime, RuntimeCommand, Variant, git_at, is_control_id,
};
pub use work::{
    CountEnvironment, CountedCaller, CountedFunction, CountedLaunch, CountedWork, ExecutedFunctions, FunctionCount,
    FunctionUnit, TurnCounts,
};
