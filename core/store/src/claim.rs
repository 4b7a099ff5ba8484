use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The right to measure a run, held by one process at a time: a lock on a file beside the database. The operating
/// system releases it when the process ends, however it ends, so it never has to be cleared by hand.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// `None` where the file system has no locks: then every process may have the claim.
    file: Option<File>,
}

impl Claim {
    /// The claim to the run of that number in the database, or `None` when another holder has it.
    pub(crate) fn take(database: &Path, run: i64) -> Option<Self> {
        let path = lock_path(database, run);
        // Not being able to lock must not keep anyone from measuring: the lock guards against a mistake, and the
        // database guards its own integrity.
        loop {
            let Ok(file) = not_waiting().create(true).truncate(false).write(true).open(&path) else {
                return Some(Self { path, file: None });
            };
            match file.try_lock() {
                // Whoever swept stale locks may have removed it after it was opened here.
                Ok(()) if !is_at(&file, &path) => continue,
                Ok(()) => return Some(Self { path, file: Some(file) }),
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Error(_)) => return Some(Self { path, file: None }),
            }
        }
    }

    /// Removes the files that killed processes have left beside the database.
    pub(crate) fn sweep(database: &Path) {
        let folder = crate::sqlite::folder_of(database);
        let prefix = [database.file_name().unwrap_or_default().as_bytes(), b".run-"].concat();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !name.as_bytes().starts_with(&prefix) || !name.as_bytes().ends_with(b".lock") {
                continue;
            }
            // Held while it is removed: who opens it now finds that it has no name any more, and makes another.
            if let Ok(file) = not_waiting().write(true).open(entry.path())
                && file.try_lock().is_ok()
                && is_at(&file, &entry.path())
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Whether someone holds the claim. Changes nothing on the disk.
    pub(crate) fn is_held(database: &Path, run: i64) -> bool {
        not_waiting()
            .read(true)
            .open(lock_path(database, run))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Lets go of the claim and removes its file, for a run that won't be claimed again soon.
    pub(crate) fn release(self) {
        // While the lock is held: whoever opens the file later makes a new one. A file left behind does no harm.
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
}

/// The folder is the project's: a FIFO in the place of a lock must not keep us waiting, nor a link lead elsewhere.
fn not_waiting() -> OpenOptions {
    let mut options = File::options();
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed());
    options
}

fn is_at(file: &File, path: &Path) -> bool {
    let same = || {
        let (ours, there) = (file.metadata().ok()?, path.symlink_metadata().ok()?);
        Some((ours.dev(), ours.ino()) == (there.dev(), there.ino()))
    };
    same().unwrap_or(false)
}

fn lock_path(database: &Path, run: i64) -> PathBuf {
    let mut name = database.file_name().unwrap_or_default().to_owned();
    name.push(format!(".run-{run}.lock"));
    database.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_has_one_holder_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tare.db");
        let claim = Claim::take(&database, 1).unwrap();
        assert!(Claim::is_held(&database, 1));
        assert!(Claim::take(&database, 1).is_none());
        assert!(!Claim::is_held(&database, 2));
        drop(claim);
        assert!(!Claim::is_held(&database, 1));
        Claim::take(&database, 1).unwrap().release();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_killed_processes_left_is_swept_and_what_is_held_stays() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tare.db");
        for other in ["tare.db", "tare.db-wal", "tare.db.run-1.lock", "tare.db.run-2.lock", "other.db.run-1.lock"] {
            std::fs::write(folder.path().join(other), "").unwrap();
        }
        let held = Claim::take(&database, 2).unwrap();
        Claim::sweep(&database);
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["other.db.run-1.lock", "tare.db", "tare.db-wal", "tare.db.run-2.lock"]);
        assert!(Claim::take(&database, 2).is_none());
        drop(held);
    }

    #[test]
    fn a_fifo_in_the_place_of_a_lock_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tare.db");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, lock_path(&database, 1), mode).unwrap();
        // The time is there only so that a failure ends.
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            Claim::sweep(&database);
            tell.send((Claim::is_held(&database, 1), Claim::take(&database, 1).is_some()))
        });
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(60)), Ok((false, true)));
    }
}
