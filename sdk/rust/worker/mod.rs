//! The worker of Tare that a Rust program of benchmarks holds: one module tree, which each front end includes by its path, without dependencies. `README.md` in the folder above says how.
#![allow(dead_code, unreachable_pub, unused_imports)]

mod amounts;
mod around;
mod batches;
mod case;
mod clock;
mod conversation;
mod copies;
mod driver;
mod ending;
mod facts;
mod fault;
mod frame;
mod front;
mod gate;
mod heap;
mod json;
mod kernels;
mod latencies;
mod listing;
mod load;
pub mod operations;
mod own_program;
mod panics;
mod place;
mod reader;
mod request;
mod sampler;
mod shake;
mod stretch;
mod sys;
mod team;
mod watch;
mod wire;
mod work;

pub use case::Definition;
pub use driver::Driver;
pub use front::{begin, begin_with, end, is_wanted, offer, part, tell, tell_of};
pub use heap::{count_by, Allocations, Counter};
pub use sys::{cpus, matches};
pub use watch::Watch;

/// Of a main function that is the front end's own: it calls [`end`] after the last case. Then speaks to the core, as [`begin`] does.
pub fn begin_to_end() {
    ending::is_told();
    begin();
}
