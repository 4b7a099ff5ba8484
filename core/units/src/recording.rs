//! What a worker wrote of the code that a look executed (PROTOCOL 1.10).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

const MOST_CALLS: usize = 2_000_000;

/// Code that ran: a function of a file, or what was generated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    /// The file that the code names; of generated code something in angle brackets.
    pub file: String,
    /// The code's own name, such as `next` or `<lambda>`.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Of generated code: the names that it mentions.
    pub names: Vec<String>,
}

/// What ran between two requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Each once.
    pub calls: BTreeSet<Call>,
    /// Source files that were loaded before anything was recorded.
    pub before: BTreeSet<String>,
    /// Source files that were loaded by then, where the worker tells: others that the process read are data to it.
    pub loaded: BTreeSet<String>,
    /// Files that the case's own code read as text, or asked for their size, whether or not they were loaded, too.
    pub read: BTreeSet<String>,
    /// Folders that code listed, and not the import system, where the worker tells.
    pub listed: BTreeSet<String>,
    /// Why it may not be all.
    pub incomplete: Option<String>,
}

/// Why a recording isn't understood.
#[derive(Debug, Error)]
#[error("line {line} of the recorded code isn't understood: {message}")]
pub struct RecordingError {
    /// From 1.
    pub line: usize,
    /// What the reader says.
    pub message: String,
}

#[derive(Deserialize)]
struct Line {
    after: String,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    before: BTreeSet<String>,
    #[serde(default)]
    loaded: BTreeSet<String>,
    #[serde(default)]
    read: BTreeSet<String>,
    #[serde(default)]
    listed: BTreeSet<String>,
    incomplete: Option<String>,
}

impl Recording {
    /// Reads all lines: the kind of the request after which each was written, and what ran since the one before.
    ///
    /// # Errors
    /// A line isn't of the expected shape; a last one without its end is one, too.
    pub fn read(output: &[u8]) -> Result<Vec<(String, Self)>, RecordingError> {
        let mut found = Vec::new();
        let mut total = 0;
        for (number, line) in output.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty()) {
            let refused = |message: String| RecordingError { line: number + 1, message };
            let line: Line = serde_json::from_slice(line).map_err(|error| refused(error.to_string()))?;
            total += line.calls.len();
            if total > MOST_CALLS {
                return Err(refused("there are too many".to_owned()));
            }
            let Line { after, calls, before, loaded, read, listed, incomplete } = line;
            found.push((after, Self { calls: calls.into_iter().collect(), before, loaded, read, listed, incomplete }));
        }
        Ok(found)
    }

    /// The source files whose code ran or was loaded, but for modules that ran no line.
    #[must_use]
    pub fn files(&self) -> BTreeSet<&str> {
        let called = self.calls.iter().map(|call| call.file.as_str()).filter(|file| file.ends_with(".py"));
        called.chain(self.before.iter().chain(&self.loaded).map(String::as_str)).collect()
    }

    /// The same with other names of files, such as paths within the project.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&str) -> String) -> Self {
        let calls = self.calls.into_iter().map(|call| Call { file: name(&call.file), ..call }).collect();
        let all = |files: BTreeSet<String>| files.iter().map(|file| name(file)).collect();
        let Self { before, loaded, read, listed, incomplete, .. } = self;
        Self { calls, before: all(before), loaded: all(loaded), read: all(read), listed: all(listed), incomplete }
    }

    /// Both together.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self.before.extend(other.before);
        self.loaded.extend(other.loaded);
        self.read.extend(other.read);
        self.listed.extend(other.listed);
        self.incomplete = self.incomplete.or(other.incomplete);
        self
    }
}
