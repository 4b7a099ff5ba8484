//! Operations under load, for `tare load`: a program of its own, whose main function names them.
//!
//! ```no_run
//! use tare::load::{main, Suite, Worker};
//! struct Store;
//! fn connect(worker: &Worker) -> Store {
//!     println!("{} of {}", worker.number, worker.workers);
//!     Store
//! }
//! fn get(_: &mut Store, _: &Worker) -> Result<(), std::io::Error> {
//!     Ok(())
//! }
//! main(vec![Suite::new("store", connect).operation("get", 9, get).operation("put", 1, |_, _| ()).into()]);
//! ```
//!
//! What an operation returns as an error, and its panics, are failures. `docs/load.md` tells of loads.

pub use crate::worker::operations::{AnySuite, Outcome, Suite, Worker};

/// Speaks to `tare`, and ends the process. A process that `tare` hasn't started says how to, and ends with 2.
pub fn main(suites: Vec<Box<dyn AnySuite>>) -> ! {
    crate::worker::begin_with(suites);
    crate::worker::end()
}
