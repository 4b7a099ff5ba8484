//! The machine that measures: which CPUs a worker may have to itself, what the hardware says of itself, and which
//! revision of the code it runs; what of it disturbs measurements ([`fitness`]), and how that is mended ([`tuning`]).
//!
//! A leaf: it knows no benchmark and no worker. Everything that is read from `/proc`, `/sys` and `/etc` is read below
//! a root that the caller names (`/` in earnest), so each odd machine can be had as a folder. A fact that can't
//! be read is absent; nothing is guessed.

mod affinity;
mod clocks;
mod cpu_list;
mod cpus;
mod facts;
mod files;
pub mod fitness;
mod git;
mod measuring;
mod memory;
mod siblings;
pub mod tuning;

pub use affinity::{AffinityError, AffinityGuard, allowed_cpus, pin_current_thread};
pub use clocks::{
    Bracket, Clock, NativeClock, bracket, empty_block, native_clocks, raw_now, sleep, timer_slack_ns,
    worker_timer_slack_ns, yield_now,
};
pub use cpu_list::{CpuListError, format_cpu_list, parse_cpu_list};
pub use cpus::{Placement, PlacementError, Topology, Unpinned, choose, side_by_side};
pub use facts::{class, facts};
pub use git::revision;
pub use measuring::{Acquired, Holder, MeasuringLock, MeasuringLockError, Patience};
pub use memory::available_memory;
pub use siblings::siblings_by_measuring;
