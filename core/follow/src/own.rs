//! Which files the followed processes have made themselves: what they read of them is no input.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Statx, StatxFlags, statx};

use crate::record::FileIdentity;

/// So many files and paths are remembered; those beyond count as input.
const MOST: usize = 200_000;

/// What the kernel says of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status {
    pub(crate) identity: FileIdentity,
    /// Type and rights, as in stat(2).
    pub(crate) mode: u32,
    /// When it was made: an inode's number may be another's later. Seconds, nanoseconds; 0 where the file system doesn't know.
    born: (i64, u32),
}

impl Status {
    /// Of a path, through symbolic links.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let Statx { stx_dev_major, stx_dev_minor, stx_ino, stx_size, stx_mtime, stx_btime, stx_mode, .. } =
            statx(CWD, path, AtFlags::empty(), wanted).ok()?;
        let identity = FileIdentity {
            device: (stx_dev_major, stx_dev_minor),
            inode: stx_ino,
            size: stx_size,
            modified: (stx_mtime.tv_sec, stx_mtime.tv_nsec),
        };
        Some(Self { identity, mode: u32::from(stx_mode), born: (stx_btime.tv_sec, stx_btime.tv_nsec) })
    }

    /// Its type (`S_IFREG`, …).
    pub(crate) fn kind(&self) -> u32 {
        self.mode & libc::S_IFMT
    }

    /// Whether it is the same file, whatever it holds.
    pub(crate) fn is_file(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    fn key(&self) -> Key {
        (self.identity.device, self.identity.inode, self.born)
    }
}

type Key = ((u32, u32), u64, (i64, u32));

/// Files and paths of the followed processes' own making.
#[derive(Debug, Default)]
pub(crate) struct Own {
    files: HashSet<Key>,
    paths: BTreeSet<PathBuf>,
}

impl Own {
    /// The content of a file is theirs.
    pub(crate) fn add_file(&mut self, status: &Status) {
        if self.files.len() < MOST {
            self.files.insert(status.key());
        }
    }

    /// A path, without symbolic links, names something since they made it.
    pub(crate) fn add_path(&mut self, path: &Path) {
        if self.paths.len() < MOST {
            self.paths.insert(path.to_owned());
        }
    }

    pub(crate) fn remove_path(&mut self, path: &Path) {
        self.paths.remove(path);
    }

    pub(crate) fn has_file(&self, status: &Status) -> bool {
        self.files.contains(&status.key())
    }

    /// Whether a path, without symbolic links, is theirs, or lies in a folder of theirs.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        !self.paths.is_empty() && path.ancestors().any(|part| self.paths.contains(part))
    }
}
