//! Rust types and codec of the worker protocol (`wire/PROTOCOL.md`). No I/O.

mod clocks;
mod codec;
mod error;
mod limits;
mod object;
mod operations;
mod reply;
mod request;
mod writer;

pub use clocks::{MAX_BLOCKS, MAX_PAIRS, MAX_READS, MAX_SKIP, MAX_WAIT_NS, MAX_WAITS, Read, Readings, Wait, Waited};
pub use error::{FrameError, FrameErrorKind};
pub use limits::{MAX_FRAME_BYTES, MAX_INTEGER, MAX_SAMPLES};
pub use operations::{Connect, MAX_PATTERN, MAX_WEIGHT, MAX_WORKERS, OperationFrame, SLICES_NS, Slice, Work, Worked};
pub use reply::{CaseFrame, Fault, FinishedFrame, Hello, Level, Notice, Reply, Samples, Stretch};
pub use request::{Request, Run};

/// Version of the protocol that this crate speaks (`hello`'s `wire`).
pub const WIRE_VERSION: u64 = 1;
