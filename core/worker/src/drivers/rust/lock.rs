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
    /// Says, as long as this lives, what the file was: a process that was killed couldn't put it back.
    note: PathBuf,
}

/// In a note: there was no file.
const NONE: &[u8] = b"\0none";

impl LockFile {
    /// `folder`: where the build's files are.
    pub(super) fn held(root: &Path, folder: &Path) -> Self {
        let path = root.join("Cargo.lock");
        let note = folder.join("lock-before");
        if let Ok(left) = fs::read(&note) {
            put_back(&path, Some(left.as_slice()).filter(|left| *left != NONE));
        }
        let before = fs::read(&path).ok();
        let _ = fs::write(&note, before.as_deref().unwrap_or(NONE));
        let key = content_key([before.as_deref().unwrap_or_default()].into_iter());
        let kept = folder.join(format!("lock-{key:016x}"));
        if let Ok(known) = fs::read(&kept) {
            let _ = fs::write(&path, known);
        }
        Self { path, before, kept, note }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        let now = fs::read(&self.path).ok();
        if now != self.before {
            if let Some(now) = now {
                let _ = fs::write(&self.kept, now);
            }
            put_back(&self.path, self.before.as_deref());
        }
        let _ = fs::remove_file(&self.note);
    }
}

fn put_back(path: &Path, before: Option<&[u8]>) {
    let _ = match before {
        Some(before) => fs::write(path, before),
        None => fs::remove_file(path),
    };
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
        // One that was killed while Cargo worked.
        std::mem::forget(LockFile::held(root.path(), folder.path()));
        fs::write(&path, "half").unwrap();
        drop(LockFile::held(root.path(), folder.path()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}
