//! Why something that was asked for gave no result, and whose fault that is.

use std::error::Error as Cause;

use tare_request::RequestError;
use tare_store::StoreError;

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The user's: what was asked for, or configured, can't be done.
    Usage,
    /// That of a benchmark, a worker or the store, which failed.
    Failed,
    /// Nobody's: the user stopped it.
    Interrupted,
}

/// Why there is no result.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Whose fault it is.
    pub kind: Kind,
    /// What happened and where, in one paragraph or several; most say what to do as well.
    pub message: String,
    /// What to do about it, where that isn't in the message; may be empty.
    pub remedy: String,
}

impl Error {
    /// Wrong usage or configuration.
    pub fn usage(cause: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        Self::new(Kind::Usage, cause)
    }

    /// A benchmark, a worker or the store failed.
    pub fn failed(cause: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        Self::new(Kind::Failed, cause)
    }

    /// What the store says.
    pub fn store(cause: StoreError) -> Self {
        let kind = if cause.is_failure() { Kind::Failed } else { Kind::Usage };
        Self::new(kind, cause)
    }

    /// Stopped before anything was measured.
    pub fn interrupted() -> Self {
        Self::new(Kind::Interrupted, "interrupted before anything was measured")
    }

    /// Of a message, or of an error with its causes.
    pub(crate) fn new(kind: Kind, cause: impl Into<Box<dyn Cause + Send + Sync>>) -> Self {
        let cause = cause.into();
        let message = with_causes(cause.as_ref());
        Self { kind, message, remedy: String::new() }
    }

    /// The same with what to do about it.
    pub(crate) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }
}

impl From<RequestError> for Error {
    fn from(error: RequestError) -> Self {
        Self::usage(error)
    }
}

/// An error with what caused it, each said once: many errors have the reason within their own sentence, before what to do.
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !said.contains(&text) {
            said.push_str(": ");
            said.push_str(&text);
        }
        cause = inner.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Outer {
        #[error("a: can't be read: {source}; leave it out")]
        Within { source: std::io::Error },
        #[error("a: can't be read")]
        Beside { source: std::io::Error },
    }

    #[test]
    fn a_cause_is_said_once() {
        let source = || std::io::Error::other("it is a FIFO");
        assert_eq!(with_causes(&Outer::Within { source: source() }), "a: can't be read: it is a FIFO; leave it out");
        assert_eq!(with_causes(&Outer::Beside { source: source() }), "a: can't be read: it is a FIFO");
    }
}
