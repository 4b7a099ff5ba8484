//! Exit statuses (DESIGN §5).

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done.
    Done,
    /// A gate tripped.
    Tripped,
    /// Wrong usage or configuration.
    Usage,
    /// The gate could not decide, and that was asked for.
    Undecided,
    /// A benchmark or worker failed.
    Failed,
    /// As the command that was run for the user ended.
    Passed(u8),
    /// Interrupted by the user: 128 + SIGINT, as a shell reports it.
    Interrupted,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::Tripped => 1,
            Status::Usage => 2,
            Status::Undecided => 3,
            Status::Failed => 4,
            Status::Passed(status) => status,
            Status::Interrupted => 130,
        })
    }
}

/// Why the program ends before it is done.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: Status,
    pub(crate) cause: anyhow::Error,
}

impl Refusal {
    /// Wrong usage or configuration.
    pub(crate) fn usage(cause: impl Into<anyhow::Error>) -> Self {
        Self { status: Status::Usage, cause: cause.into() }
    }

    /// A benchmark, a worker or the store failed.
    pub(crate) fn failed(cause: impl Into<anyhow::Error>) -> Self {
        Self { status: Status::Failed, cause: cause.into() }
    }
}
