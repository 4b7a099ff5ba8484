//! What one run of the built `tare` says of one comparison.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// What one run of `tare` said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// `slower`, `faster`, `same`, `inconclusive`.
    pub verdict: String,
    /// The first measurement called it different.
    pub flagged: bool,
    /// The ratio, where it was defined.
    pub ratio: Option<Interval>,
    /// Launch pairs.
    pub pairs: u64,
    /// The whole run, from the command's start to its end, in milliseconds.
    pub run_ms: f64,
    /// Measuring alone, as the run itself accounts for it.
    pub measuring_ms: f64,
}

/// A ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Best estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A run that gave no comparison.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or the command can't be used.
    #[error("{what}: {source}; build it with `cargo build --release --package tare`, or name it with --tare")]
    Access {
        /// Which.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// The command failed, or said nothing that could be read.
    #[error("`{command}` ended with {status} and said: {message}; run it by hand to see more")]
    Run {
        /// Program and arguments.
        command: String,
        /// Exit status.
        status: String,
        /// What it said.
        message: String,
    },
}

#[derive(Deserialize)]
struct Document {
    comparisons: Vec<Comparison>,
    spent: Spent,
}

#[derive(Deserialize)]
struct Comparison {
    verdict: String,
    ratio: Option<Interval>,
    pairs: u64,
    flag: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Spent {
    wall_ns: u64,
}

/// An error about the path.
pub(crate) fn access(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
    move |source| RunError::Access { what: path.display().to_string(), source }
}

/// Runs a command to its end; gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, RunError> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|source| RunError::Access { what: shown(command), source })?;
    if !output.status.success() {
        return Err(RunError::Run {
            command: shown(command),
            status: output.status.to_string(),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    Ok(output.stdout)
}

/// Runs a command that prints a run with one comparison.
pub(crate) fn compared(command: &mut Command) -> Result<RunReport, RunError> {
    let begun = Instant::now();
    let printed = output(command)?;
    let run_ms = begun.elapsed().as_secs_f64() * 1e3;
    let failed = |message: String| RunError::Run { command: shown(command), status: "success".to_owned(), message };
    let document: Document = serde_json::from_slice(&printed).map_err(|error| failed(error.to_string()))?;
    let [comparison] = document.comparisons.as_slice() else {
        return Err(failed(format!("{} comparisons instead of one", document.comparisons.len())));
    };
    Ok(RunReport {
        verdict: comparison.verdict.clone(),
        flagged: comparison.flag.is_some(),
        ratio: comparison.ratio,
        pairs: comparison.pairs,
        run_ms,
        measuring_ms: document.spent.wall_ns as f64 / 1e6,
    })
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
