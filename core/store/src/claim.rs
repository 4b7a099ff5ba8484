use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::lease::{Lease, Owner};

type TryLock = fn(&File) -> Result<(), TryLockError>;

use rustix::fs::OFlags;

/// The right to measure a run, held by one process at a time: a lock on a file beside the database. The operating
/// system releases it when the process ends, however it ends, so it never has to be cleared by hand. Where the file system has no
/// locks, a [`Lease`] in that file stands for it.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    hold: Hold,
}

#[derive(Debug)]
enum Hold {
    /// The lock lasts as long as the file is open.
    Locked { _file: File },
    /// To be renewed.
    Leased { lease: Lease, owner: Owner },
    /// The file can't be made: then every process may have the claim.
    Nothing,
}

impl Claim {
    /// The claim to the run of that number in the database, or `None` when another holder has it.
    pub(crate) fn take(database: &Path, run: i64) -> Option<Self> {
        Self::take_by(database, run, File::try_lock, Owner::this_process())
    }

    fn take_by(database: &Path, run: i64, lock: TryLock, owner: Owner) -> Option<Self> {
        let path = lock_path(database, run);
        // Not being able to lock must not keep anyone from measuring: the lock guards against a mistake, and the
        // database guards its own integrity.
        loop {
            let Ok(file) = not_waiting().create(true).truncate(false).write(true).open(&path) else {
                return Some(Self { path, hold: Hold::Nothing });
            };
            match lock(&file) {
                // Another process that swept stale locks may have removed it after it was opened here.
                Ok(()) if !is_at(&file, &path) => continue,
                Ok(()) => return Some(Self { path, hold: Hold::Locked { _file: file } }),
                Err(TryLockError::WouldBlock) => return None,
                Err(TryLockError::Error(_)) => return Self::lease(path, owner),
            }
        }
    }

    /// Removes the files that killed processes have left beside the database, in its folder.
    pub(crate) fn sweep(folder: &Path, database: &Path) {
        let prefix = [database.file_name().unwrap_or_default().as_bytes(), b".run-"].concat();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !name.as_bytes().starts_with(&prefix) || !name.as_bytes().ends_with(b".lock") {
                continue;
            }
            // Held while it is removed: who opens it now finds that it has no name any more, and makes another. Where there are no locks,
            // leases stay.
            if let Ok(file) = not_waiting().write(true).open(entry.path())
                && file.try_lock().is_ok()
                && is_at(&file, &entry.path())
            {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn lease(path: PathBuf, owner: Owner) -> Option<Self> {
        let now = SystemTime::now();
        if Lease::read(&path).is_some_and(|lease| lease.holds(now)) {
            return None;
        }
        let lease = Lease::new(owner.clone(), now);
        if lease.write(&path).is_err() {
            return Some(Self { path, hold: Hold::Nothing });
        }
        // Of two that write at the same time the last one has it.
        let ours = Lease::read(&path).is_some_and(|lease| lease.is_of(&owner));
        ours.then_some(Self { path, hold: Hold::Leased { lease, owner } })
    }

    /// Goes on holding it; to be called between launches. A lock needs nothing.
    pub(crate) fn renew(&mut self) {
        let now = SystemTime::now();
        if let Hold::Leased { lease, owner } = &mut self.hold
            && !lease.is_fresh(now)
        {
            *lease = Lease::new(owner.clone(), now);
            // One that can't be renewed ends at its time.
            let _ = lease.write(&self.path);
        }
    }

    /// Whether someone holds the claim. Changes nothing on the disk.
    pub(crate) fn is_held(database: &Path, run: i64) -> bool {
        Self::is_held_by(database, run, File::try_lock_shared)
    }

    fn is_held_by(database: &Path, run: i64, lock: TryLock) -> bool {
        let path = lock_path(database, run);
        let Ok(file) = not_waiting().read(true).open(&path) else { return false };
        match lock(&file) {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => Lease::read(&path).is_some_and(|lease| lease.holds(SystemTime::now())),
        }
    }

    /// Lets go of the claim and removes its file, for a run that won't be claimed again soon.
    pub(crate) fn release(self) {
        // While the lock is held: a process that opens the file later makes a new one. A file left behind does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // As the system does with locks.
        if let Hold::Leased { owner, .. } = &self.hold
            && Lease::read(&self.path).is_some_and(|lease| lease.is_of(owner))
        {
            let _ = std::fs::remove_file(&self.path);
        }
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
    use std::io;

    use super::*;

    /// A file system without locks.
    fn unsupported(_: &File) -> Result<(), TryLockError> {
        Err(TryLockError::Error(io::ErrorKind::Unsupported.into()))
    }

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
    fn without_locks_a_lease_stands_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("tare.db");
        let (own, own_too) = (Owner::this_process(), Owner::this_process());
        let other = Owner::elsewhere();
        let take = |owner: &Owner| Claim::take_by(&database, 1, unsupported, owner.clone());
        let held = || Claim::is_held_by(&database, 1, unsupported);
        let mut claim = take(&own).unwrap();
        assert!(held() && take(&other).is_none() && take(&own_too).is_none());
        claim.renew();
        assert!(held() && take(&other).is_none());
        drop(claim);
        assert!(!held());
        // One of another machine holds as long as it is renewed, and one that has ended is forgotten.
        let elsewhere = take(&other).unwrap();
        assert!(held() && take(&own).is_none());
        drop(elsewhere);
        Lease::new(other, SystemTime::UNIX_EPOCH).write(&lock_path(&database, 1)).unwrap();
        assert!(!held());
        take(&own).unwrap().release();
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
        Claim::sweep(folder.path(), &database);
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
            Claim::sweep(folder.path(), &database);
            tell.send((Claim::is_held(&database, 1), Claim::take(&database, 1).is_some()))
        });
        assert_eq!(told.recv_timeout(std::time::Duration::from_secs(60)), Ok((false, true)));
    }
}
