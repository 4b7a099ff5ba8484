//! The sides of a request: the project as it is, or revisions of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A revision of the project, checked out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Side {
    /// As the user named it; empty for the project as it is.
    pub name: String,
    /// Its commit; `None` for files as they are.
    pub commit: Option<String>,
    /// The project's root in it.
    pub root: PathBuf,
    /// The user's files as they are, changes that aren't committed included.
    #[serde(default)]
    pub working_tree: bool,
    /// Where its workers are started, and what its paths are relative to.
    pub folder: PathBuf,
}

impl Side {
    /// The commit, whole, where revisions are compared; what differs from it is measured along in a working tree.
    pub fn revision(&self) -> Option<String> {
        let commit = self.commit.as_ref().filter(|_| !self.name.is_empty())?;
        Some(if self.working_tree { format!("{commit} with changes") } else { commit.clone() })
    }

    /// Measured where it lies, not in a checkout.
    pub fn in_place(&self) -> bool {
        self.name.is_empty() || self.working_tree
    }
}

/// What makes a checked out revision ready.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Preparation {
    /// Run by a shell at its root.
    pub command: String,
    /// How long it may take, in milliseconds.
    pub limit_ms: u64,
}
