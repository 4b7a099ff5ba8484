//! Real PHP: a loop, and copies of it that are slower by a stated part, compared by the built `tare`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Turns of the base's loop. The rest of a call costs about as much as one of them.
pub const BASE_TURNS: u32 = 4_000;
/// Turns of the copies; the first is identical code.
pub const COPIES: [u32; 5] = [4_000, 4_010, 4_020, 4_040, 4_200];

/// What one run of `tare` said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
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
pub enum PhpError {
    /// A file or the command can't be used.
    #[error("{what}: {source}; build it with `cargo build --release --package tare`, or name it with --tare")]
    Access {
        /// Which.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// The command failed, or said nothing that could be read.
    #[error("`tare run` of {copy} ended with {status} and said: {message}; run it by hand to see more")]
    Run {
        /// Turns of the copy.
        copy: u32,
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

/// The benchmark file and the command.
#[derive(Debug)]
pub struct Php {
    tare: PathBuf,
    folder: PathBuf,
}

impl Php {
    /// Writes the benchmark file into `folder`.
    pub fn new(tare: &Path, folder: &Path) -> Result<Self, PhpError> {
        let access = |source| PhpError::Access { what: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(access)?;
        std::fs::write(folder.join("LoopBench.php"), source()).map_err(access)?;
        // The root of a project of its own, whatever lies above.
        std::fs::write(folder.join("tare.toml"), "").map_err(access)?;
        let tare =
            tare.canonicalize().map_err(|source| PhpError::Access { what: tare.display().to_string(), source })?;
        Ok(Self { tare, folder: folder.to_owned() })
    }

    /// Compares the copy of `turns` with the base. `margin` as for `--margin`.
    pub fn compare(&self, turns: u32, margin: &str, seed: u64) -> Result<Said, PhpError> {
        let begun = Instant::now();
        let output = Command::new(&self.tare)
            .args(["run", "LoopBench.php", "--base", "benchBase", "--json", "--no-store", "--margin", margin])
            .args(["--filter", &format!("::(benchBase|benchTurns{turns})$"), "--seed", &seed.to_string()])
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| PhpError::Access { what: self.tare.display().to_string(), source })?;
        let run_ms = begun.elapsed().as_secs_f64() * 1e3;
        let failed = |message: String| PhpError::Run { copy: turns, status: output.status.to_string(), message };
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let document: Document = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
        let [comparison] = document.comparisons.as_slice() else {
            return Err(failed(format!("{} comparisons instead of one", document.comparisons.len())));
        };
        Ok(Said {
            verdict: comparison.verdict.clone(),
            flagged: comparison.flag.is_some(),
            ratio: comparison.ratio,
            pairs: comparison.pairs,
            run_ms,
            measuring_ms: document.spent.wall_ns as f64 / 1e6,
        })
    }
}

/// What the loop does: nothing that a compiler could leave out.
pub fn work(turns: u32) -> String {
    format!("$x = 1; for ($i = 0; $i < {turns}; ++$i) {{ $x = ($x * 31 + $i) & 0xffff; }}")
}

fn source() -> String {
    let method = |name: &str, turns: u32| format!("    public function {name}(): void {{ {} }}\n", work(turns));
    let copies: String = COPIES.iter().map(|&turns| method(&format!("benchTurns{turns}"), turns)).collect();
    format!("<?php\n\nfinal class LoopBench\n{{\n{}{copies}}}\n", method("benchBase", BASE_TURNS))
}

/// The true ratio of a copy: of its turns to those of the base.
pub fn true_ratio(turns: u32) -> f64 {
    f64::from(turns) / f64::from(BASE_TURNS)
}
