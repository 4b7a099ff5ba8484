//! `Cargo.lock`, which a build leaves as it was.

use std::fs;
use std::path::{Path, PathBuf};

use crate::embedded::content_key;

/// The lock file of a workspace while Cargo works. Cargo writes one where there is none, and where the manifests ask for more than it says: what it writes is kept
/// beside the build, given to the next one, and taken out of the user's folder when this is dropped. What somebody else writes meanwhile stays.
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
    /// `folder`: where the build's files are. `is_locked`: Cargo is to refuse a file that the manifests don't agree with.
    pub(super) fn held(root: &Path, folder: &Path, is_locked: bool) -> Self {
        let path = root.join("Cargo.lock");
        let note = folder.join("lock-before");
        if let Ok(left) = fs::read(&note) {
            let before = Some(left).filter(|left| left != NONE);
            let ours = fs::read(kept_in(folder, before.as_deref())).ok();
            if ours.is_some() && ours == fs::read(&path).ok() {
                put_back(&path, before.as_deref());
            }
        }
        let before = fs::read(&path).ok();
        let _ = fs::write(&note, before.as_deref().unwrap_or(NONE));
        let kept = kept_in(folder, before.as_deref());
        if let Ok(known) = fs::read(&kept)
            && !is_locked
        {
            let _ = fs::write(&path, known);
        }
        Self { path, before, kept, note }
    }

    /// Cargo has resolved the dependencies: the file as it is now is its own.
    pub(super) fn is_resolved(&self) {
        if let Some(now) = fs::read(&self.path).ok().filter(|now| Some(now) != self.before.as_ref()) {
            let _ = fs::write(&self.kept, now);
        }
    }
}

/// Where what Cargo makes of a lock file is kept.
fn kept_in(folder: &Path, before: Option<&[u8]>) -> PathBuf {
    folder.join(format!("lock-{:016x}", content_key([before.unwrap_or_default()].into_iter())))
}

impl Drop for LockFile {
    fn drop(&mut self) {
        let now = fs::read(&self.path).ok();
        if now != self.before && now == fs::read(&self.kept).ok() {
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
            let held = LockFile::held(root.path(), folder.path(), false);
            let before = fs::read(&path).ok();
            fs::write(&path, "resolved").unwrap();
            held.is_resolved();
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
        let held = LockFile::held(root.path(), folder.path(), true);
        assert_eq!(fs::read(&path).unwrap(), b"old", "--locked is about the user's own");
        drop(held);
        // One that was killed while Cargo worked.
        let killed = || {
            let held = LockFile::held(root.path(), folder.path(), false);
            fs::write(&path, "resolved").unwrap();
            held.is_resolved();
            std::mem::forget(held);
        };
        killed();
        drop(LockFile::held(root.path(), folder.path(), false));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        // What the user writes after that, or meanwhile, isn't Cargo's.
        killed();
        fs::write(&path, "the user's").unwrap();
        let held = LockFile::held(root.path(), folder.path(), false);
        assert_eq!(fs::read(&path).unwrap(), b"the user's");
        fs::write(&path, "the user's next").unwrap();
        drop(held);
        assert_eq!(fs::read(&path).unwrap(), b"the user's next");
    }
}
