use serde::{Deserialize, Serialize};

/// What of a case is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// How long a call takes.
    #[default]
    Time,
    /// How many instructions a call executes, counted.
    Instructions,
    /// The largest resident size of the process that runs the case.
    Memory,
}

impl Metric {
    /// `time`, `instructions`, `memory`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Instructions => "instructions",
            Self::Memory => "memory",
        }
    }

    /// By its [`Self::name`].
    pub fn named(name: &str) -> Option<Self> {
        [Self::Time, Self::Instructions, Self::Memory].into_iter().find(|metric| metric.name() == name)
    }
}
