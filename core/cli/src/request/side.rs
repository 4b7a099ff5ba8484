use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A revision of the project, checked out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Side {
    /// As the user named it; empty for the project as it is.
    pub(crate) name: String,
    /// Its commit; `None` for files as they are.
    pub(crate) commit: Option<String>,
    /// The project's root in it.
    pub(crate) root: PathBuf,
    /// The user's files as they are, changes that aren't committed included.
    #[serde(default)]
    pub(crate) working_tree: bool,
    /// Where its workers are started, and what its paths are relative to.
    pub(crate) folder: PathBuf,
}

impl Side {
    /// The commit, abbreviated, where revisions are compared; what differs from it is measured along in a working tree.
    pub(crate) fn revision(&self) -> Option<String> {
        let commit: String = self.commit.as_ref().filter(|_| !self.name.is_empty())?.chars().take(10).collect();
        Some(if self.working_tree { format!("{commit} with changes") } else { commit })
    }

    /// Measured where it lies, not in a checkout.
    pub(crate) fn in_place(&self) -> bool {
        self.name.is_empty() || self.working_tree
    }
}
