use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

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
        let Ok(file) = File::options().create(true).truncate(false).write(true).open(&path) else {
            return Some(Self { path, file: None });
        };
        match file.try_lock() {
            Ok(()) => Some(Self { path, file: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Self { path, file: None }),
        }
    }

    /// Whether someone holds the claim. Changes nothing on the disk.
    pub(crate) fn is_held(database: &Path, run: i64) -> bool {
        File::open(lock_path(database, run))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Lets go of the claim and removes its file, for a run that won't be claimed again soon.
    pub(crate) fn release(self) {
        // While the lock is held: a process that opens the file later makes a new one. A file left behind does no harm.
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
    }
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
}
