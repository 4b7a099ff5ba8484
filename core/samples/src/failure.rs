use std::fmt;

use serde::{Deserialize, Serialize};

/// What kind of thing went wrong, as named in results (`failure.kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The source can't be parsed.
    Syntax,
    /// The source can't be loaded: a missing class, a constructor or a hook that throws.
    Load,
    /// The parameter provider throws, yields nothing, or doesn't repeat itself.
    Provider,
    /// The subject, or a hook around it, throws.
    Exception,
    /// User code ended the process of its own will.
    Exit,
    /// The runtime gave up: out of memory, a fatal error.
    Fatal,
    /// The process was ended by a signal.
    Signal,
    /// No answer in time.
    Timeout,
    /// What came over the wire isn't the protocol.
    Protocol,
    /// The runtime can't be started, or is too old.
    Runtime,
    /// The benchmark says itself that it isn't for here: no failure where its outcome is told.
    Skipped,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "syntax",
            Self::Load => "load",
            Self::Provider => "provider",
            Self::Exception => "exception",
            Self::Exit => "exit",
            Self::Fatal => "fatal",
            Self::Signal => "signal",
            Self::Timeout => "timeout",
            Self::Protocol => "protocol",
            Self::Runtime => "runtime",
            Self::Skipped => "skipped",
        })
    }
}

impl FailureKind {
    /// The kind that a worker's `fault` names; a kind that this version doesn't know is [`FailureKind::Fatal`].
    pub fn parse(text: &str) -> Self {
        match text {
            "syntax" => Self::Syntax,
            "load" => Self::Load,
            "provider" => Self::Provider,
            "exception" => Self::Exception,
            "exit" => Self::Exit,
            "signal" => Self::Signal,
            "timeout" => Self::Timeout,
            "protocol" | "unknown-frame" | "bad-frame" | "bad-request" => Self::Protocol,
            "runtime" => Self::Runtime,
            "skipped" => Self::Skipped,
            _ => Self::Fatal,
        }
    }
}

/// Why a case or a file could not be measured: what happened, where, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of thing went wrong.
    pub kind: FailureKind,
    /// What happened, in one sentence.
    pub message: String,
    /// The file it happened in; empty where unknown.
    pub file: String,
    /// Line in that file, 1-based; 0 where unknown.
    pub line: u64,
    /// What the reader can do about it.
    pub remedy: String,
    /// The end of what the process wrote to its standard output.
    pub stdout: String,
    /// The end of what the process wrote to its standard error.
    pub stderr: String,
    /// The way to the place, frame by frame, as the runtime tells it; empty where it doesn't.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace: String,
    /// The status with which the process ended, where that is the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<i32>,
}

impl Failure {
    /// A failure without place or output.
    pub fn new(kind: FailureKind, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            file: String::new(),
            line: 0,
            remedy: remedy.into(),
            stdout: String::new(),
            stderr: String::new(),
            trace: String::new(),
            exit_status: None,
        }
    }

    /// The same failure at a place in the user's source.
    pub fn at(mut self, file: impl Into<String>, line: u64) -> Self {
        self.file = file.into();
        self.line = line;
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.is_empty(), self.line) {
            (true, _) => write!(f, "{}", self.message),
            (false, 0) => write!(f, "{}: {}", self.file, self.message),
            (false, line) => write!(f, "{}:{}: {}", self.file, line, self.message),
        }
    }
}
