//! What a process depends on: the files, folders and paths that it and its children looked up, seen at the level of system calls.
//!
//! [`spawn`] starts a command that is followed from before its first instruction. The child installs a seccomp filter that stops it before each system
//! call that isn't known to be harmless (`SECCOMP_RET_TRACE`, seccomp(2)); a thread of ours follows it and all that it starts (ptrace(2)), and writes down
//! what each call looked up and what became of it. Harmless calls (read, write, futex, …) run at full speed.
//!
//! The list of harmless calls is what is trusted: a call that nobody thought of stops, and is named in [`Record::outside`]. What a record can't hold
//! is said by [`Record::incomplete`]. Not seen, and not said either, are: the time-stamp counter, clocks in memory that the kernel shares, the 16
//! random bytes and the addresses that a program starts with, ids of processes, which CPU a thread runs on, how long a call takes, and what comes
//! through descriptors that the first process was started with.
//!
//! A path is read from the memory of a thread that stands before its call. Another thread that changes it meanwhile isn't seen where the call only looks;
//! where it opens, the file that was opened is compared with the one that the path names.

mod address;
mod begin;
mod begun;
mod calls;
mod decode;
mod executable;
mod filter;
mod follower;
mod functions;
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
mod watch;

pub use follower::{Follower, spawn};
pub use functions::Functions;
pub use incomplete::Incomplete;
pub use kernel::{Place, place};
pub use lookup::as_recorded;
pub use outside::{OWN_PROGRAM, Outside};
pub use record::{FileIdentity, Limits, Record, Scope};
pub use refusal::{Refusal, SpawnError};
pub use watch::Watch;
