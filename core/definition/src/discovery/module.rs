//! Which folders belong to a Go module, as the go command sees it.

use std::fs;
use std::path::{Path, PathBuf};

/// The mark of a module's root.
pub(super) const FILE: &str = "go.mod";
const WORKSPACE: &str = "go.work";

/// The module that a folder lies in, and the others of its workspace.
pub(super) struct Module {
    /// Roots of the modules that a workspace around it names, links resolved.
    workspace: Vec<PathBuf>,
}

impl Module {
    pub(super) fn around(folder: &Path) -> Self {
        let workspace = folder.ancestors().find(|above| above.join(WORKSPACE).is_file());
        Self { workspace: workspace.map(used).unwrap_or_default() }
    }

    /// Whether a file below `searched` belongs to it: no other module begins between the two.
    pub(super) fn holds(&self, file: &Path, searched: &Path) -> bool {
        let between = file.ancestors().skip(1).take_while(|folder| *folder != searched);
        between
            .filter(|folder| folder.join(FILE).is_file())
            .all(|root| fs::canonicalize(root).is_ok_and(|root| self.workspace.contains(&root)))
    }
}

/// The folders that a `go.work` uses.
fn used(folder: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(folder.join(WORKSPACE)).unwrap_or_default();
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let path = match (in_block, line.strip_prefix("use")) {
            (_, Some(rest)) if rest.trim() == "(" => {
                in_block = true;
                continue;
            }
            (true, _) if line == ")" => {
                in_block = false;
                continue;
            }
            (true, _) => line,
            (false, Some(rest)) if rest.starts_with([' ', '\t']) => rest.trim(),
            (false, _) => continue,
        };
        found.extend(fs::canonicalize(folder.join(path.trim_matches('"'))).ok().filter(|_| !path.is_empty()));
    }
    found
}
