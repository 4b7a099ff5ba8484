use std::net::IpAddr;

use super::Check;
use super::raw::RawFleet;
use super::stated;
use crate::error::{ArgumentError, DefinitionError};

/// `[fleet]`: which nodes of a cluster measure, and how a suite is shared among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetSettings {
    /// The partition of the cluster that nodes are taken from, as `sbatch --partition` takes it.
    pub partition: Option<String>,
    /// What nodes must have, as `sbatch --constraint` takes it.
    pub constraint: Option<String>,
    /// How many nodes may measure at the same time.
    pub nodes: Option<u32>,
    /// The longest that a part may take, as `sbatch --time` takes it.
    pub time_limit: Option<String>,
    /// In how many parts a suite is measured.
    pub shards: Option<u32>,
    /// A shell command that is run on the node before each part, such as `module load php`.
    pub setup: Option<String>,
    /// The frequency that CPUs are set to, as `sbatch --cpu-freq` takes it.
    pub cpu_frequency: Option<String>,
    /// Nodes are measured on though `tare doctor` finds them unfit.
    pub measures_unfit: bool,
    /// The address of this machine that nodes can connect to, for generators of a load; `None`: its name.
    pub address: Option<IpAddr>,
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
            _ => {
                Err(ArgumentError::new(format!("it is not a number from 1 to {MOST}"), "write a number in this range"))
            }
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
            measures_unfit: self
                .value("unfit", raw.unfit, |text| match text.as_str() {
                    "refuse" => Ok(false),
                    "measure" => Ok(true),
                    _ => Err(ArgumentError::new("it is neither `refuse` nor `measure`", "write one of these")),
                })?
                .unwrap_or(false),
            address: self.value("address", raw.address, |text| {
                text.parse().map_err(|_| {
                    ArgumentError::new("it is no IP address", "write an address of this machine, as 10.1.2.3")
                })
            })?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::FleetSettings;
    use crate::settings::Settings;

    #[test]
    fn all_of_it_is_read_and_what_cannot_be_is_told_with_its_line() {
        let read = |text: &str| Settings::parse(Path::new("tare.toml"), text);
        let all = "[fleet]\npartition = \"bench\"\nconstraint = \"epyc&avx512\"\nnodes = 4\nshards = 8\ntime-limit = \"30:00\"\n\
                   setup = \"module load php\"\ncpu-frequency = \"2400000\"\nunfit = \"measure\"\n\
                   address = \"10.1.2.3\"\n";
        let expected = FleetSettings {
            partition: Some("bench".into()),
            constraint: Some("epyc&avx512".into()),
            nodes: Some(4),
            time_limit: Some("30:00".into()),
            shards: Some(8),
            setup: Some("module load php".into()),
            cpu_frequency: Some("2400000".into()),
            measures_unfit: true,
            address: Some([10, 1, 2, 3].into()),
        };
        assert_eq!(read(all).unwrap().fleet, expected);
        for (line, says) in [
            ("nodes = 0", "it is not a number from 1 to 10000"),
            ("shards = 99999", "it is not a number from 1 to 10000"),
            ("partition = \"a b\"", "there is a space in it"),
            ("setup = \"\"", "leave the key out"),
            ("unfit = \"maybe\"", "it is neither `refuse` nor `measure`"),
            ("address = \"login1\"", "write an address of this machine"),
            ("partitions = \"a\"", "partition"),
        ] {
            let error = read(&format!("[fleet]\n{line}\n")).unwrap_err().to_string();
            assert!(error.contains("tare.toml:2") && error.contains(says), "{error}");
        }
    }
}
