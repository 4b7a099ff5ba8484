//! Which folders belong to Cargo.

use std::fs;
use std::path::Path;

const FILE: &str = "Cargo.toml";

/// Whether a package or a workspace has its root in a folder.
pub(super) fn has_manifest(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Whether packages below the folder belong to its manifest, so that it is searched as a whole.
#[must_use]
pub fn is_workspace(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    text.lines().any(|line| line.trim() == "[workspace]" || line.trim().starts_with("[workspace."))
}
