//! Whole commands: what `tare exec` is asked for, as a file, and the worker that starts and awaits them.

mod asked;
mod counting;
mod empty;
mod error;
mod execution;
mod file;
mod lifetime;
mod parameters;
mod pipe;
mod scheduled;
mod suite;
mod worker;

pub use asked::CommandTemplate;
pub use error::CommandError;
pub use parameters::{MOST_COMBINATIONS, Parameters};
pub use suite::{CommandLine, Output, Suite, program};
pub use worker::serve;
