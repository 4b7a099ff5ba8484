use std::fmt;

use serde::{Deserialize, Serialize};

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Being measured; or its process was killed, or lost its machine.
    Running,
    /// Everything that was asked for was done, failures included.
    Complete,
    /// Ended on request before that, and can be resumed.
    Interrupted,
}

impl RunState {
    /// The word for it in the store and in documents: `running`, `complete`, `interrupted`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Running, Self::Complete, Self::Interrupted].into_iter().find(|state| state.name() == name)
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
