use serde::{Deserialize, Serialize};

/// What is known to be alike in the machine code of two variants that were compiled apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Likeness {
    /// All that is reached is the same, at the same places within lines of the cache.
    Same,
    /// It is the same, and some of it begins elsewhere within a line of the cache.
    Moved,
}

impl Likeness {
    /// `same`, `moved`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved => "moved",
        }
    }
}
