//! Does a worker speak the protocol? Replays the vectors of `wire/vectors` against any worker command.
//!
//! The vectors are part of the binary; `wire/VECTORS.md` describes their form. Every check runs in a process of its
//! own, which is killed by its id when the check is over. Nothing is printed: a [`Report`] is the result.

mod buffer;
mod error;
mod known;
mod pattern;
mod process;
mod replay;
mod report;
mod run;
mod template;
mod vectors;

pub use error::ConformanceError;
pub use known::KnownFailing;
pub use report::{Check, Outcome, Report};
pub use run::{Options, run, run_with};
pub use vectors::{VectorFile, embedded};
