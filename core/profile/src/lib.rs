//! Where a benchmark's time goes: the tools that there are, around a worker that runs one case.
//!
//! Sampling tools give stacks and a flame graph. Counting tools (`callgrind`, `strace`) give figures a call, as the difference between
//! launches of two numbers of calls, less the same of the null: what a process does once, and what the loop costs, cancels. Nothing
//! here is a measurement of time: a worker under a tool is another program.

mod callgrind;
mod counted;
mod counts;
mod environment;
mod executed;
mod flame;
mod program;
mod recording;
mod sampled;
mod samples;
mod stacks;
mod strace;
mod tool;
mod turns;
mod work;
mod xdebug;

pub use counted::{Count, CountProfile, count};
pub use executed::executed;
pub use flame::flame_graph;
pub use sampled::{Sampled, sample};
pub use samples::Samples;
pub use stacks::Stacks;
pub use tool::Tool;
pub use work::{CountedCase, Counter};

use tare_samples::Failure;

/// What a tool writes is smaller, bytes.
const LARGEST: u64 = 2 << 30;

/// Why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The tool isn't there, or is of no use for the language: what, and how to get it.
    #[error("{what}; {remedy}")]
    Missing {
        /// What is missing.
        what: String,
        /// How to get it.
        remedy: String,
    },
    /// The worker failed under the tool, or the tool did.
    #[error("under {tool}: {failure}; {}", failure.remedy)]
    Failed {
        /// The tool.
        tool: &'static str,
        /// What happened.
        failure: Box<Failure>,
    },
    /// The tool left nothing that can be used.
    #[error("{tool} left {what}; {remedy}")]
    Unusable {
        /// The tool.
        tool: &'static str,
        /// What it left.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
    /// A file can't be written or read.
    #[error("{path}: {error}; name a folder that can be written with --output")]
    File {
        /// Which.
        path: String,
        /// Why not.
        error: std::io::Error,
    },
}

impl ProfileError {
    /// What happened, and what to do, in a text of its own; empty where nothing is known to help.
    pub fn parts(&self) -> (String, String) {
        match self {
            Self::Missing { what, remedy } => (what.clone(), remedy.clone()),
            Self::Failed { tool, failure } => (format!("under {tool}: {failure}"), failure.remedy.clone()),
            Self::Unusable { tool, what, remedy } => (format!("{tool} left {what}"), remedy.clone()),
            Self::Interrupted | Self::File { .. } => (self.to_string(), String::new()),
        }
    }
}

pub(crate) fn file_error(path: &std::path::Path, error: std::io::Error) -> ProfileError {
    ProfileError::File { path: path.display().to_string(), error }
}
