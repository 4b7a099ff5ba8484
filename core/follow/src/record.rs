//! What a process depended on, as values.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::incomplete::Incomplete;
use crate::outside::Outside;

/// Which file a path named, and how old it was, when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileIdentity {
    /// Major and minor number of its device.
    pub device: (u32, u32),
    /// Number of its inode.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// When its content was last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, u32),
}

/// How much a record holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Paths, of all kinds together.
    pub paths: usize,
    /// Bytes of these paths.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { paths: 200_000, bytes: 64 << 20 }
    }
}

/// What is written down of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// How much of it.
    pub limits: Limits,
    /// Folders and files of the caller's own, without symbolic links in their paths: what is done to them isn't written down.
    pub left_out: Vec<PathBuf>,
    /// The subject's folder, without symbolic links in its path. A process that executes another's program starts until it opens a file of this folder:
    /// what it asks of the system until then is the program's own, as with an interpreter that reads a key for its hash tables. None: nothing is.
    pub subject: Option<PathBuf>,
}

/// What processes depended on, in a stretch of time. All paths are absolute and as they were looked up: `.` and `..` are resolved, symbolic links in them
/// aren't, but stand in `links`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Files that were opened for reading or executed, with what the paths named then.
    pub read: BTreeMap<PathBuf, FileIdentity>,
    /// Folders whose entries were listed, without symbolic links in their paths.
    pub listed: BTreeSet<PathBuf>,
    /// Paths that were looked up and named nothing (ENOENT, ENOTDIR).
    pub missing: BTreeSet<PathBuf>,
    /// Paths that were looked up and named something, which wasn't read: by stat(2), access(2), readlink(2), chdir(2), …
    pub looked_at: BTreeSet<PathBuf>,
    /// Symbolic links that were met in looking up any of these paths, by their own path without symbolic links, and what they say.
    pub links: BTreeMap<PathBuf, PathBuf>,
    /// What was created, removed, renamed, or opened for writing, whether or not it was there before.
    pub written: BTreeSet<PathBuf>,
    /// Those of `written` that were there before the processes began, and not of their making: a file that is in `read`, too, may not be what it was.
    pub changed: BTreeSet<PathBuf>,
    /// Files that were read after the processes themselves had made them, or emptied them: no input. They aren't in `read` for that.
    pub read_back: BTreeSet<PathBuf>,
    /// What comparing files can't settle, and how often it was met.
    pub outside: BTreeMap<Outside, u64>,
    /// Why this isn't everything; empty if it is.
    pub incomplete: BTreeSet<Incomplete>,
}

/// A record that is being written, within limits. Paths are kept as they are written: to compare them part by part takes long.
#[derive(Debug, Default)]
pub(crate) struct Writing {
    read: BTreeMap<OsString, FileIdentity>,
    links: BTreeMap<OsString, PathBuf>,
    sets: [BTreeSet<OsString>; KINDS],
    outside: BTreeMap<Outside, u64>,
    incomplete: BTreeSet<Incomplete>,
    limits: Limits,
    paths: usize,
    bytes: usize,
}

impl Writing {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What has been written since the last call.
    pub(crate) fn take(&mut self) -> Record {
        let written = std::mem::replace(self, Self::new(self.limits));
        let [listed, missing, looked_at, written_to, changed, read_back] =
            written.sets.map(|paths| paths.into_iter().map(PathBuf::from).collect());
        Record {
            read: written.read.into_iter().map(|(path, identity)| (PathBuf::from(path), identity)).collect(),
            listed,
            missing,
            looked_at,
            links: written.links.into_iter().map(|(path, target)| (PathBuf::from(path), target)).collect(),
            written: written_to,
            changed,
            read_back,
            outside: written.outside,
            incomplete: written.incomplete,
        }
    }

    /// Whether there is room for one more path; if not, that is said.
    fn has_room(&mut self, path: &OsStr) -> bool {
        let bytes = path.len();
        if self.paths >= self.limits.paths {
            self.incomplete.insert(Incomplete::Paths(self.limits.paths));
            false
        } else if self.bytes + bytes > self.limits.bytes {
            self.incomplete.insert(Incomplete::Bytes(self.limits.bytes));
            false
        } else {
            self.paths += 1;
            self.bytes += bytes;
            true
        }
    }

    pub(crate) fn incomplete(&mut self, why: Incomplete) {
        // A reason may name a path: of those there is no end.
        if self.incomplete.len() < MOST_REASONS {
            self.incomplete.insert(why);
        }
    }

    pub(crate) fn outside(&mut self, what: Outside) {
        if let Some(times) = self.outside.get_mut(&what) {
            *times += 1;
        } else if self.has_room(what.about().as_os_str()) {
            self.outside.insert(what, 1);
        }
    }

    /// A file was opened for reading. It is told, too, where it isn't the file that it was.
    pub(crate) fn read(&mut self, path: &Path, identity: FileIdentity) {
        let name = path.as_os_str();
        match self.read.get(name).copied() {
            Some(before) if before != identity && !self.sets[Kind::Written as usize].contains(name) => {
                self.outside(Outside::Changed(path.to_owned()));
            }
            Some(_) => {}
            None if self.has_room(name) => {
                self.read.insert(name.to_owned(), identity);
            }
            None => {}
        }
    }

    pub(crate) fn link(&mut self, path: &Path, target: &Path) {
        let name = path.as_os_str();
        let says_as_before = self.links.get(name).map(|before| before.as_os_str() == target.as_os_str());
        match says_as_before {
            Some(false) => self.outside(Outside::Changed(path.to_owned())),
            Some(true) => {}
            None if self.has_room(name) && self.has_room(target.as_os_str()) => {
                self.links.insert(name.to_owned(), target.to_owned());
            }
            None => {}
        }
    }

    pub(crate) fn add(&mut self, kind: Kind, path: &Path) {
        let name = path.as_os_str();
        if !self.sets[kind as usize].contains(name) && self.has_room(name) {
            self.sets[kind as usize].insert(name.to_owned());
        }
    }
}

/// A set of paths of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Listed,
    Missing,
    LookedAt,
    Written,
    Changed,
    ReadBack,
}

const KINDS: usize = 6;
/// So many reasons why a record isn't complete are kept.
const MOST_REASONS: usize = 100;
