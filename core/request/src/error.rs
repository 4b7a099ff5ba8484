//! What is wrong with a request.

use std::error::Error;

/// What was asked for can't be: a mistake of the user's, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RequestError(String);

impl RequestError {
    /// Of a message, or of an error with its causes.
    pub(crate) fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let cause = cause.into();
        let mut message = cause.to_string();
        let mut below = cause.source();
        while let Some(error) = below {
            message.push_str(&format!(": {error}"));
            below = error.source();
        }
        Self(message)
    }
}
