//! Values that only options have.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::error::ArgumentError;
use crate::quantity::shown;

/// More parts than this are a mistake.
const MOST_PARTS: u32 = 10_000;

/// CPUs by their numbers, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpus(pub Vec<usize>);

/// Which memory is weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemoryMode {
    /// The process's, and what the runtime counts anyway.
    Weighed,
    /// What only a tracer counts, too.
    Traced,
}

impl fmt::Display for MemoryMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Weighed => "weighed",
            Self::Traced => "traced",
        })
    }
}

/// Which cases of two revisions are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Those that aren't proven to be unchanged.
    #[default]
    Changed,
    /// All of them.
    All,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed",
            Self::All => "all",
        })
    }
}

impl Measure {
    pub(super) fn read(text: &str) -> Result<Self, ArgumentError> {
        match text.trim() {
            "changed" => Ok(Self::Changed),
            "all" => Ok(Self::All),
            other => Err(ArgumentError::new(
                format!("`{}` is not a choice of cases", shown(other)),
                "write changed (leaves out cases that are proven unchanged) or all",
            )),
        }
    }
}

/// How many groups of cases are measured at once, each on a core of its own.
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

/// Which part of a suite, as `2/5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("write which part of how many, as 2/5: from 1/5 to 5/5, {MOST_PARTS} parts at most");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let checked = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=MOST_PARTS).contains(number));
        let (number, of) = (checked(number).ok_or_else(wrong)?, checked(of).ok_or_else(wrong)?);
        (number <= of).then_some(Self { number, of }).ok_or_else(wrong)
    }
}

/// What gives nodes of a cluster out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Scheduler {
    /// Slurm: sbatch, squeue, scancel.
    Slurm,
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slurm => f.write_str("slurm"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn a_part_is_one_of_several() {
        assert_eq!("2/5".parse(), Ok(Shard { number: 2, of: 5 }));
        assert_eq!("1/1".parse::<Shard>().map(|shard| shard.to_string()), Ok("1/1".into()));
        for text in ["", "2", "0/5", "6/5", "1/0", "-1/2", "a/b", "1/2/3", "1/99999999", " 1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
