//! What is wrong with commands that are asked for.

use thiserror::Error;

/// A mistake, and what to do.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{message}; {remedy}")]
pub struct CommandError {
    /// What is wrong, a sentence without its end.
    pub message: String,
    /// What to do, in the same form.
    pub remedy: String,
}

pub(crate) fn wrong(message: impl Into<String>, remedy: impl Into<String>) -> CommandError {
    CommandError { message: message.into(), remedy: remedy.into() }
}
