//! What can be asked for, as plain values: who asks, a command line or another program, fills them in.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::{FailOn, PhpbenchChoice};
use tare_samples::{About, Calls};

use crate::part::Shard;

/// Which cases, on which runtimes.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files and folders, relative to where it is asked, or absolute; empty for what tare.toml or phpbench.json say.
    pub paths: Vec<PathBuf>,
    /// Regular expressions over `Class::method#parameters`.
    pub filter: Vec<String>,
    /// Regular expressions over the same, of cases that are left out.
    pub exclude: Vec<String>,
    /// Groups of cases.
    pub group: Vec<String>,
    /// Runtimes as `NAME=COMMAND`, a command, or a name of tare.toml.
    pub runtime: Vec<String>,
    /// The longest wait for one answer of a worker.
    pub timeout: Option<Duration>,
    /// Which configuration of PHPBench's is read.
    pub phpbench: PhpbenchChoice,
}

/// How to measure. What isn't given is as tare.toml says, or as usual.
#[derive(Debug, Clone, Default)]
pub struct Measuring {
    /// Launches of each variant.
    pub launches: Option<u32>,
    /// Samples in each launch.
    pub samples: Option<u64>,
    /// Calls in each sample; each of several is measured.
    pub calls: Vec<Calls>,
    /// All cases take their turns in the same rounds.
    pub interleave: bool,
    /// Time for each variant, or comparison.
    pub budget: Option<Duration>,
    /// Time for the whole suite.
    pub total: Option<Duration>,
    /// How many groups are measured at once.
    pub lanes: Option<LaneCount>,
    /// A part of the suite.
    pub shard: Option<Shard>,
    /// Half the width of the interval, as a part of the time, at which it is enough.
    pub precision: Option<f64>,
    /// The worker's clock.
    pub clock: Option<String>,
    /// CPUs of the workers.
    pub cpus: Option<Vec<usize>>,
    /// Of every random choice; under 2^53.
    pub seed: Option<u64>,
    /// Names of the run.
    pub tags: Vec<String>,
    /// Which memory is weighed, for all cases.
    pub memory: Option<MemoryMode>,
    /// Instructions are counted, for all cases.
    pub instructions: bool,
    /// Each sample in a process of its own.
    pub isolate: bool,
}

/// What is compared with what, and what to make of it. What isn't given is as tare.toml says, or as usual.
#[derive(Debug, Clone, Default)]
pub struct Comparing {
    /// The case that others are compared with.
    pub base: Option<String>,
    /// Differences up to this fraction don't matter.
    pub margin: Option<f64>,
    /// What a verdict is about.
    pub about: Option<About>,
    /// The bound of `same`, a fraction.
    pub same: Option<f64>,
    /// Each base is compared with itself as well.
    pub control: bool,
    /// What is asserted of every case, in place of what the sources do.
    pub assertions: Vec<String>,
    /// What ends a run with another status.
    pub fail_on: Vec<FailOn>,
    /// Where reports go, by the names of their formats.
    pub reports: BTreeMap<String, PathBuf>,
}

/// Which memory is weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryMode {
    /// The process's, and what the runtime counts anyway.
    Weighed,
    /// What only a tracer counts, too.
    Traced,
}

/// What is told of `--iterations`.
pub const ITERATIONS_ARE_CALLS: &str = "--iterations is the older name of --calls: calls in each sample, PHPBench's revs; PHPBench's iterations are --samples";

/// How many groups are measured at once, each on a core of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaneCount {
    /// As many as a short look says cost less than they gain.
    Auto,
    /// So many.
    Fixed(usize),
}

impl fmt::Display for LaneCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Fixed(count) => write!(f, "{count}"),
        }
    }
}

impl FromStr for LaneCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<usize>() {
            Ok(count @ 1..=1024) => Ok(Self::Fixed(count)),
            _ if text == "auto" => Ok(Self::Auto),
            _ => Err("a number from 1 on, or auto".to_owned()),
        }
    }
}
