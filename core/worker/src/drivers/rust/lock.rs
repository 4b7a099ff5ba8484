//! `Cargo.lock`, which a build leaves as it was.

use std::fs;
use std::path::{Path, PathBuf};

use crate::embedded::content_key;

/// The lock file of a workspace while Cargo works. Cargo writes one where there is none, and where the manifests ask for more than it says: what it writes is kept
/// beside the build, given to the next one, and taken out of the user's folder when this is dropped.
#[derive(Debug)]
pub(super) struct LockFile {
    path: PathBuf,
    before: Option<Vec<u8>>,
    kept: PathBuf,
}

impl LockFile {
    /// `folder`: where the build's files are.
    pub(super) fn held(root: &Path, folder: &Path) -> Self {
        let path = root.join("Cargo.lock");
        let before = fs::read(&path).ok();
        let key = content_key([before.as_deref().unwrap_or_default()].into_iter());
        let kept = folder.join(format!("lock-{key:016x}"));
        if let Ok(known) = fs::read(&kept) {
            let _ = fs::write(&path, known);
        }
        Self { path, before, kept }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        let now = fs::read(&self.path).ok();
        if now == self.before {
            return;
        }
        if let Some(now) = now {
            let _ = fs::write(&self.kept, now);
        }
        let _ = match &self.before {
            Some(before) => fs::write(&self.path, before),
            None => fs::remove_file(&self.path),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::LockFile;

    #[test]
    fn what_cargo_writes_is_kept_for_the_next_build_and_the_file_is_as_it_was() {
        let (root, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = root.path().join("Cargo.lock");
        let written = || {
            let held = LockFile::held(root.path(), folder.path());
            let before = fs::read(&path).ok();
            fs::write(&path, "resolved").unwrap();
            drop(held);
            before
        };
        assert_eq!((written(), path.exists()), (None, false));
        assert_eq!((written().unwrap(), path.exists()), (b"resolved".to_vec(), false));
        fs::write(&path, "old").unwrap();
        assert_eq!(written().unwrap(), b"old");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(written().unwrap(), b"resolved");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
