use std::path::PathBuf;

/// Why the checks couldn't be made. What a worker does wrong is never an error, but a failed check.
#[derive(Debug, thiserror::Error)]
pub enum ConformanceError {
    /// There is no command to run.
    #[error("no worker was named; give its command after `--`")]
    NoCommand,
    /// The source for the checks with cases can't be used.
    #[error("{path}: {error}; give a source in the worker's language that exists")]
    Source {
        /// The path as it was given.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line of the list of known failures can't be read.
    #[error(
        "known failures, line {line}: `{text}` gives no reason; write the name or glob of the checks, a space, and why they fail"
    )]
    KnownFailing {
        /// Number of the line, from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A vector isn't of the form that `wire/VECTORS.md` describes.
    #[error("wire/vectors/{path}: {message}")]
    Vector {
        /// Its place below `wire/vectors`.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The directory for a worker's FIFO can't be made.
    #[error("no place for a worker's FIFO: {0}; look at TMPDIR")]
    Directory(std::io::Error),
}
