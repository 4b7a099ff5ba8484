//! The languages whose benchmarks are measured: a file for each says everything about it that isn't code of its own.
//!
//! What is special of a language stands in its [`Entry`]; code elsewhere asks the entry, and never which language it is. What needs code stands
//! behind the same name elsewhere: how a worker is made (`core/worker/src/drivers`), and what the facts of a runtime are worth
//! (`core/machine/src/fitness/runtimes`).

mod commands;
mod cpp;
mod entry;
mod go;
mod language;
mod php;
mod python;
mod rust;
mod worker;

pub use entry::{Clocks, Entry, Execution, Packages, Pattern, SharedNames};
pub use language::{Language, of_name};
pub use rust::{has_bench_attribute, has_own_main};
