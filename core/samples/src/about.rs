use serde::{Deserialize, Serialize};

/// What a comparison's verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// What a call costs on average: the subject's own rare, slow moments included.
    #[default]
    Time,
    /// What an undisturbed call takes.
    Typical,
}

impl About {
    /// `time`, `typical`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Typical => "typical",
        }
    }

    /// By its [`Self::name`].
    pub fn named(name: &str) -> Option<Self> {
        [Self::Time, Self::Typical].into_iter().find(|about| about.name() == name)
    }
}
