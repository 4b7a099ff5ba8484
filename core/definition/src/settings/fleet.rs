use super::Check;
use super::compare::stated;
use super::raw::RawFleet;
use crate::error::{ArgumentError, DefinitionError};

/// `[fleet]`: which nodes of a cluster measure, and how a suite is shared among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetSettings {
    /// The partition of the cluster, as sbatch takes it.
    pub partition: Option<String>,
    /// What nodes must have, likewise.
    pub constraint: Option<String>,
    /// How many nodes measure at once at most.
    pub nodes: Option<u32>,
    /// The longest that a part may take, likewise.
    pub time_limit: Option<String>,
    /// In how many parts a suite is measured.
    pub shards: Option<u32>,
    /// A shell command before each part, on its node.
    pub setup: Option<String>,
    /// The frequency of CPUs, likewise.
    pub cpu_frequency: Option<String>,
}

/// More parts than this are a mistake.
const MOST: u64 = 10_000;

impl Check<'_> {
    pub(super) fn fleet(&self, raw: RawFleet) -> Result<FleetSettings, DefinitionError> {
        let word = |text: String| match text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            // It is one argument of sbatch's.
            true => Err(ArgumentError::new("there is a space in it", "write it as sbatch takes it, in one word")),
            false => stated(&text, "write it as sbatch takes it, or leave the key out"),
        };
        let count = |count: u64| match u32::try_from(count) {
            Ok(number) if (1..=MOST).contains(&count) => Ok(number),
            _ => Err(ArgumentError::new(format!("it isn't from 1 to {MOST}"), "write how many")),
        };
        Ok(FleetSettings {
            partition: self.value("partition", raw.partition, word)?,
            constraint: self.value("constraint", raw.constraint, word)?,
            nodes: self.value("nodes", raw.nodes, count)?,
            time_limit: self.value("time-limit", raw.time_limit, word)?,
            shards: self.value("shards", raw.shards, count)?,
            setup: self
                .value("setup", raw.setup, |text| stated(&text, "write a shell command, or leave the key out"))?,
            cpu_frequency: self.value("cpu-frequency", raw.cpu_frequency, word)?,
        })
    }
}
