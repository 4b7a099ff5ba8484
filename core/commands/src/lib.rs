//! Whole commands: what `tare exec` is asked for, as a file, and the worker that starts and awaits them.

mod empty;
mod execution;
mod lifetime;
mod parameters;
mod pipe;
mod scheduled;
mod suite;
mod worker;

pub use parameters::{MOST_COMBINATIONS, ParameterError, Parameters, put_in};
pub use suite::{CommandLine, Output, Suite, program};
pub use worker::serve;
