//! Exit statuses.

use std::process::ExitCode;

use tare_session::{Ending, Kind};

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

impl From<Ending> for Status {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Passed => Self::Done,
            Ending::Tripped => Self::Tripped,
            Ending::Undecided => Self::Undecided,
        }
    }
}

impl Status {
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Tripped => 1,
            Self::Usage => 2,
            Self::Undecided => 3,
            Self::Failed => 4,
            Self::Passed(status) => status,
            Self::Interrupted => 130,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.number())
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

    /// The status of what a session refuses or can't do.
    pub(crate) fn status_of(kind: Kind) -> Status {
        match kind {
            Kind::Usage => Status::Usage,
            Kind::Failed => Status::Failed,
            Kind::Interrupted => Status::Interrupted,
        }
    }
}

impl From<tare_session::Error> for Refusal {
    fn from(error: tare_session::Error) -> Self {
        // Long messages end with lines of what a command printed.
        let between = if error.message.contains('\n') { '\n' } else { ' ' };
        let message = match error.remedy.as_str() {
            "" => error.message.clone(),
            remedy => format!("{}{between}{remedy}", error.message),
        };
        Self { status: Self::status_of(error.kind), cause: anyhow::anyhow!(message) }
    }
}

impl From<tare_report_files::Error> for Refusal {
    fn from(error: tare_report_files::Error) -> Self {
        if error.is_usage() { Self::usage(error) } else { Self::failed(error) }
    }
}

impl From<tare_request::RequestError> for Refusal {
    fn from(error: tare_request::RequestError) -> Self {
        Self::usage(error)
    }
}
