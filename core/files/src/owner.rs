//! Whose a file is.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner(pub u32);

/// Whose the file, or what a link leads to, is; `None` where it can't be told.
pub fn owner(path: &Path) -> Option<Owner> {
    std::fs::metadata(path).ok().map(|file| Owner(file.uid()))
}

/// Whether any user may make files in the folder.
pub fn everybody_writes(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o002 != 0)
}

/// Whether a file of that owner can have been written by nobody but this user and the administrator. Under `sudo` the user is the one
/// who called it.
pub fn is_mine_or_roots(owner: Owner) -> bool {
    let mine = rustix::process::geteuid();
    let caller = || std::env::var("SUDO_UID").ok()?.parse().ok();
    owner.0 == 0 || owner.0 == mine.as_raw() || mine.is_root() && caller() == Some(owner.0)
}
