//! First come, first served, among those that wait to measure.
//!
//! A lock (flock(2)) that is let go of is anybody's: who asks at the right moment has it, and one who waits may see others pass for
//! hours. So who waits takes a number: a lock on one byte of the file (fcntl(2), `F_OFD_SETLK`), behind those that are taken. While a
//! lower one is taken, it isn't his turn. The kernel holds them: a number goes with its process, however that ends, nothing is written
//! to the file, and nothing that stands in it is believed.
//!
//! Two that come at the same moment may take the same number; then the lock itself decides. Versions of Tare that take no number don't
//! stand in the queue.

use std::fs::File;
use std::os::fd::AsFd;

use libc::{F_RDLCK, F_UNLCK, F_WRLCK, SEEK_SET, c_short, flock, off_t};
use nix::fcntl::{FcntlArg, fcntl};

/// A place among those that wait, for as long as it lives.
#[derive(Debug)]
pub(super) struct Number {
    /// Its own opening of the file: locks belong to that.
    file: File,
    number: off_t,
}

impl Number {
    /// Takes the number behind all others. `None` where the file system has none to give, or there is no end to them.
    pub(super) fn take(file: File) -> Option<Self> {
        let mut number: off_t = 1;
        while let Some(taken) = first_taken(&file, number, 0)? {
            // A lock to the end of the file leaves no place behind it.
            number = number.max(taken.1?.checked_add(1)?);
        }
        lock(&file, F_RDLCK, number).then_some(Self { file, number })
    }

    /// Whether nobody else stands before it. Where that can't be said, nobody does.
    pub(super) fn is_next(&self) -> bool {
        self.number <= 1 || !matches!(first_taken(&self.file, 1, self.number - 1), Some(Some(_)))
    }

    /// Whether the queue is that of this file: another may have its name by now.
    pub(super) fn is_of(&self, other: &File) -> bool {
        use std::os::unix::fs::MetadataExt;
        let id = |file: &File| file.metadata().ok().map(|about| (about.dev(), about.ino()));
        id(&self.file) == id(other)
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // A process that another thread is just starting has the file until it runs its program.
        lock(&self.file, F_UNLCK, self.number);
    }
}

/// Whether nobody waits. Where that can't be said, nobody does.
pub(super) fn is_empty(file: &File) -> bool {
    !matches!(first_taken(file, 1, 0), Some(Some(_)))
}

/// One of the stretches from byte `start` on, `length` bytes or to the end (0), that others have locked: its first byte, and its last
/// where it has one. `None` outside where it can't be said.
#[allow(clippy::type_complexity)]
fn first_taken(file: &File, start: off_t, length: off_t) -> Option<Option<(off_t, Option<off_t>)>> {
    let mut asked = range(F_WRLCK, start, length);
    fcntl(file.as_fd(), FcntlArg::F_OFD_GETLK(&mut asked)).ok()?;
    if asked.l_type == F_UNLCK as c_short {
        return Some(None);
    }
    let last = (asked.l_len > 0).then(|| asked.l_start.saturating_add(asked.l_len - 1));
    Some(Some((asked.l_start, last)))
}

/// A shared lock needs no right to write, and keeps nobody from anything: only that it is there counts.
fn lock(file: &File, kind: libc::c_int, number: off_t) -> bool {
    let asked = range(kind, number, 1);
    fcntl(file.as_fd(), FcntlArg::F_OFD_SETLK(&asked)).is_ok()
}

fn range(kind: libc::c_int, start: off_t, length: off_t) -> flock {
    flock { l_type: kind as c_short, l_whence: SEEK_SET as c_short, l_start: start, l_len: length, l_pid: 0 }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::Number;

    fn open(path: &Path) -> File {
        File::options().read(true).open(path).unwrap()
    }

    #[test]
    fn numbers_go_up_and_who_leaves_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        File::create(&path).unwrap();
        let take = || Number::take(open(&path)).unwrap();
        let (first, second, third) = (take(), take(), take());
        let next = |numbers: &[&Number]| numbers.iter().map(|number| number.is_next()).collect::<Vec<_>>();
        assert_eq!(next(&[&first, &second, &third]), [true, false, false]);
        drop(second);
        assert_eq!(next(&[&first, &third]), [true, false]);
        let fourth = take();
        drop(first);
        assert_eq!(
            next(&[&third, &fourth]),
            [true, false],
            "who comes later stands behind, although a number was free"
        );
        drop(third);
        assert!(fourth.is_next());
    }

    #[test]
    fn a_queue_without_an_end_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        File::create(&path).unwrap();
        let hostile = open(&path);
        let everything = super::range(libc::F_RDLCK, 1, 0);
        nix::fcntl::fcntl(&hostile, nix::fcntl::FcntlArg::F_OFD_SETLK(&everything)).unwrap();
        assert!(Number::take(open(&path)).is_none());
    }
}
