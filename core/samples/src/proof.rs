use serde::{Deserialize, Serialize};

/// What shows that nothing that a case executes or reads differs between two sides, so that nothing has to be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// What was compared.
    pub level: ProofLevel,
    /// Files, folders and paths that the case depends on and that are equal on both sides.
    pub files: usize,
    /// Units of code (functions, bodies of classes and modules) that it depends on and that are equal, in files that differ; 0 where no file differs.
    pub units: usize,
}

/// What a proof compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProofLevel {
    /// All files that the case read are equal.
    Files,
    /// Some of their source files differ, and the code of them that the case executed or can reach is equal.
    Code,
}

impl ProofLevel {
    /// `files`, `code`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Code => "code",
        }
    }
}
