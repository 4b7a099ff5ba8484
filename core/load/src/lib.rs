//! Concurrent work: when each operation is meant to begin, how long it took from there, and what became of those that failed.
//!
//! The parts that any kind of load shares:
//!
//! - [`schedule`]: the intended starts of an open loop, from a rate and a seed; pure.
//! - [`histogram`]: latencies in HDR histograms, merged (percentiles never are), and [`log`]: their V2 log, out and in.
//! - [`outcome`]: counts of failures by kind.
//! - [`interval`]: what one worker saw in one second; [`series`]: all of them, by second and in all.
//!
//! On these stand [`driver`], which runs clients in threads, one target or several in turns, and [`http`], the client for HTTP; and
//! [`workers`], which lets worker processes do the operations of a benchmark.
//!
//! Latency is counted from the *intended* start: in an open loop an operation that had to wait because all connections were
//! busy has waited for the server, and that wait is the server's doing (G. Tene, "How NOT to Measure Latency", 2015; the fault of
//! leaving it out is called coordinated omission).

pub mod client;
mod collect;
pub mod driver;
pub mod effort;
pub mod follow;
pub mod generators;
pub mod histogram;
pub mod http;
pub mod interval;
pub mod kept;
pub mod log;
pub mod outcome;
mod pacing;
pub mod plan;
mod recorder;
pub mod schedule;
pub mod series;
pub mod server;
pub mod share;
mod timer;
pub mod workers;

pub use recorder::LATE;
