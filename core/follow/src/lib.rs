//! What a process depends on: the files, folders and paths that it and its children looked up, seen at the level of system calls.
//!
//! [`spawn`] starts a command that is followed from before its first instruction. The child installs a seccomp filter that stops it before each system
//! call that isn't known to be harmless (`SECCOMP_RET_TRACE`, seccomp(2)); a thread of ours follows it and all that it starts (ptrace(2)), and writes down
//! what each call looked up and what became of it. Harmless calls (read, write, futex, …) run at full speed.
//!
//! The list of harmless calls is what is trusted: a call that nobody thought of stops, and is named in [`Record::outside`]. What a record can't hold at all
//! is said by [`Record::incomplete`]. Not seen, and not said either, are: clocks and random bytes that a process takes without the kernel (`rdtsc`, the 16
//! random bytes at its start), process ids, addresses, how long a call takes, and what comes through descriptors that the process was started with.

mod address;
mod auxiliary;
mod begin;
mod calls;
mod decode;
mod executable;
mod filter;
mod follower;
mod incomplete;
mod kernel;
mod lookup;
mod memory;
mod observer;
mod outcome;
mod outside;
mod own;
mod pending;
mod record;
mod refusal;
mod tracees;
mod tracer;

pub use follower::{Follower, spawn};
pub use incomplete::Incomplete;
pub use outside::Outside;
pub use record::{FileIdentity, Limits, Record, Scope};
pub use refusal::{Refusal, SpawnError};
