use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::error::RevisionError;

/// The right to a checked out tree: shared by all who use it, or one process's alone to make or remove it. It is a lock on
/// a file beside the tree; the operating system releases it when the process ends, however it ends, and the processes it
/// starts don't inherit it.
#[derive(Debug)]
pub(crate) struct Hold {
    file: File,
    /// `false` where the file system has no locks.
    locked: bool,
}

/// With whom a tree is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// With all who use it as it is.
    Shared,
    /// With no one.
    Exclusive,
}

impl Sharing {
    fn operation(self) -> FlockOperation {
        match self {
            Self::Shared => FlockOperation::NonBlockingLockShared,
            Self::Exclusive => FlockOperation::NonBlockingLockExclusive,
        }
    }
}

impl Hold {
    /// Takes the lock on the file at `path`, which is made if need be; `None` when it is another's.
    pub(crate) fn try_take(path: &Path, sharing: Sharing) -> Result<Option<Self>, RevisionError> {
        let unusable = |source| RevisionError::Unusable { path: path.to_owned(), action: "lock", source };
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                // The project is somebody's; its links lead nowhere we want to write.
                .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
                .open(path)
                .map_err(unusable)?;
            match flock(&file, sharing.operation()) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(Errno::INTR) => continue,
                // Not being able to lock must not keep anyone from measuring.
                Err(_) => return Ok(Some(Self { file, locked: false })),
            }
            // The process that removed the tree may have removed the file after it was opened here: a lock on what has no name any more
            // keeps nobody out.
            if is_still_there(&file, path).map_err(unusable)? {
                return Ok(Some(Self { file, locked: true }));
            }
        }
    }

    /// Lets others use the tree too. `false` when someone took it in between: the kernel changes a lock by letting go of it
    /// first (flock(2)).
    pub(crate) fn share(&self) -> bool {
        !self.locked || flock(&self.file, FlockOperation::NonBlockingLockShared).is_ok()
    }

    /// Whether it keeps others out.
    pub(crate) fn is_locked(&self) -> bool {
        self.locked
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread is just starting has it until it runs its program.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

fn is_still_there(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{Hold, Sharing};

    #[test]
    fn users_share_and_a_maker_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let take = |sharing| Hold::try_take(&path, sharing).unwrap();
        let first = take(Sharing::Shared).unwrap();
        let second = take(Sharing::Shared).unwrap();
        assert!(take(Sharing::Exclusive).is_none());
        drop((first, second));
        let maker = take(Sharing::Exclusive).unwrap();
        assert!(take(Sharing::Shared).is_none());
        assert!(maker.share());
        assert!(take(Sharing::Exclusive).is_none());
        assert!(take(Sharing::Shared).is_some_and(|hold| hold.is_locked()));
    }

    #[test]
    fn who_holds_a_removed_file_is_never_beside_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let inside = AtomicUsize::new(0);
        let go = || {
            for _ in 0..5_000 {
                let Some(hold) = Hold::try_take(&path, Sharing::Exclusive).unwrap() else { continue };
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                std::thread::yield_now();
                inside.fetch_sub(1, Ordering::SeqCst);
                std::fs::remove_file(&path).unwrap();
                drop(hold);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(go))));
    }

    #[test]
    fn letting_go_does_not_wait_for_who_has_the_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let hold = Hold::try_take(&path, Sharing::Exclusive).unwrap().unwrap();
        // As a process has that is being started.
        let _copy = hold.file.try_clone().unwrap();
        drop(hold);
        assert!(Hold::try_take(&path, Sharing::Exclusive).unwrap().is_some());
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("lock"), folder.path().join("target"));
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(Hold::try_take(&path, Sharing::Shared).is_err());
        assert!(!target.exists());
    }
}
