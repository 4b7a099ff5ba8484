//! Why a file can't be read.

use std::fmt;

/// A position in a file that is imported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Position {
    /// The file as a whole.
    #[default]
    File,
    /// A line, from 1.
    Line(u64),
    /// A line and a column, from 1.
    Column(u64, u64),
    /// A member of a JSON document: `results[3].times[7]`.
    Member(String),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Column(line, column) => write!(f, ":{line}:{column}"),
            Self::Member(path) => write!(f, ": {path}"),
        }
    }
}

/// Why a file can't be read: where, what is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{place}: {what}{}{remedy}", if remedy.is_empty() { "" } else { "; " })]
pub struct Fault {
    /// The file, as it was named; set by the caller that knows it.
    pub file: String,
    /// Where in it.
    pub place: Position,
    /// What is wrong.
    pub what: String,
    /// What to do about it; may be empty.
    pub remedy: String,
}

impl Fault {
    pub(crate) fn new(place: Position, what: impl Into<String>) -> Self {
        Self { file: String::new(), place, what: what.into(), remedy: String::new() }
    }

    pub(crate) fn of_file(what: impl Into<String>) -> Self {
        Self::new(Position::File, what)
    }

    pub(crate) fn at_line(line: usize, what: impl Into<String>) -> Self {
        Self::new(Position::Line(line as u64), what)
    }

    pub(crate) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    pub(crate) fn in_file(self, file: &str) -> Self {
        Self { file: file.to_owned(), ..self }
    }
}
