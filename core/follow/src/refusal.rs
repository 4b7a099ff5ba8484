//! Why a process can't be followed here.

use std::io;

use nix::errno::Errno;

/// Why a process can't be followed here. Nothing of it is the process's fault: the next one will be refused, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// ptrace(2) is refused: by a container's filter, a security module (`ptrace_scope` 3 of Yama), or since something follows us already.
    #[error("the system doesn't let Tare follow a process (ptrace: {0})")]
    Ptrace(Errno),
    /// The kernel takes no seccomp filter.
    #[error("the system doesn't let Tare stop a process at its system calls (seccomp: {0})")]
    Seccomp(Errno),
    /// The system calls of this kind of processor aren't known.
    #[error("Tare can't follow a process on this kind of processor")]
    Processor,
    /// No thread or pipe could be made to follow it with.
    #[error("Tare can't follow a process: {0}")]
    Resources(Errno),
}

/// Why a command wasn't started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// It can't be followed. Without that it may well start.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It can't be started, as without following it.
    #[error(transparent)]
    Start(#[from] io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Resources(Errno::from_raw(error.raw_os_error().unwrap_or_default()))
    }
}
