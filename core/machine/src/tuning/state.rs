//! The old values, on the disk before the first is changed.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};

use super::Change;
use crate::files;

const NAME: &str = "tune.json";
const FORMAT: &str = "tare.tune";
const VERSION: u32 = 1;
/// More than the changes of the largest machine take.
const MOST_BYTES: u64 = 64 << 20;
/// Where files lie that may be written by what a state file says.
const PLACES: [&str; 6] = [
    "/sys/devices/system/cpu/",
    "/sys/kernel/mm/transparent_hugepage/",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/vm/swappiness",
    "/proc/irq/",
];

/// Why a machine can't be settled or put back.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// It is settled already.
    #[error(
        "the machine is tuned already, by {by}, and the values from before are in {path}; put them back with `tare tune --restore` first"
    )]
    Settled {
        /// The state file.
        path: PathBuf,
        /// Whom by: `process 123, which still runs`, `an earlier tune`.
        by: String,
    },
    /// There is nothing to put back.
    #[error("there is nothing to restore: the file {path}, in which `tare tune` keeps the old values, doesn't exist")]
    Nothing {
        /// Where the state file would be.
        path: PathBuf,
    },
    /// The process that settled the machine still runs, and is going to put it back.
    #[error(
        "process {process} still runs a command on the tuned machine and puts the old values back when the command ends; end it, or wait"
    )]
    InUse {
        /// Its number.
        process: u32,
    },
    /// The state file isn't one.
    #[error(
        "{path}, with the values from before `tare tune`, can't be used: {reason}; set the values that it names back by hand, and remove the file"
    )]
    Bad {
        /// The state file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The state is of other files.
    #[error("{path} holds old values of the files below {}, not of this machine; put them back with tare tune --restore --root {}", root.display(), root.display())]
    OtherRoot {
        /// The state file.
        path: PathBuf,
        /// Where the files lie.
        root: PathBuf,
    },
    /// The system refuses.
    #[error("can't {action} {path}: {source}; `tare tune` keeps the old values there")]
    Io {
        /// What was tried: `make`, `write`, `remove`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u32,
    process: u32,
    /// Below which the files lie.
    root: String,
    /// Names the time since the kernel began; empty where it doesn't say.
    boot: String,
    changes: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    what: String,
    path: String,
    old: String,
    new: String,
}

/// What a state file says.
pub(super) struct Stored {
    pub(super) root: String,
    pub(super) boot: String,
    pub(super) changes: Vec<Change>,
}

/// A state file that this process has locked.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    root: String,
    boot: String,
    /// Holds the lock.
    _file: File,
}

/// Names the time since the kernel began.
pub(super) fn boot(root: &Path) -> String {
    files::line(root, "proc/sys/kernel/random/boot_id").unwrap_or_default()
}

/// Names a root: its files are those of no other.
pub(super) fn named(root: &Path) -> String {
    root.canonicalize().unwrap_or_else(|_| root.to_owned()).to_string_lossy().into_owned()
}

/// Fails where a state lies, and says whose it is.
pub(super) fn refuse_existing(folder: &Path) -> Result<(), TuneError> {
    let path = folder.join(NAME);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    let by = match StateFile::open(folder) {
        Err(TuneError::InUse { process }) => format!("process {process}, which still runs"),
        Err(TuneError::Nothing { .. }) => return Ok(()),
        _ => "an earlier `tare tune`".to_owned(),
    };
    Err(TuneError::Settled { path, by })
}

impl StateFile {
    /// Writes the state, whole, to the disk; fails where one lies already.
    pub(super) fn create(root: &Path, folder: &Path, changes: &[Change]) -> Result<Self, TuneError> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|source| TuneError::Io {
            action: "make",
            path: folder.to_owned(),
            source,
        })?;
        let path = folder.join(NAME);
        let (root, boot) = (named(root), boot(root));
        let draft = Draft::write(&path, &root, &boot, changes)?;
        // Not a rename: that would replace the state of another process that was sooner.
        match fs::hard_link(&draft.path, &path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                refuse_existing(folder)?;
                return Err(TuneError::Settled { path, by: "another tune".to_owned() });
            }
            Err(source) => return Err(TuneError::Io { action: "write", path, source }),
        }
        let file = draft.finish();
        sync(folder)?;
        Ok(Self { path, root, boot, _file: file })
    }

    /// Locks the state that lies in `folder` and reads it.
    pub(super) fn open(folder: &Path) -> Result<(Self, Stored), TuneError> {
        let path = folder.join(NAME);
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let unread = |source| TuneError::Io { action: "read", path: path.clone(), source };
        let bad = |reason: &str| TuneError::Bad { path: path.clone(), reason: reason.to_owned() };
        let (file, locked) = loop {
            let file = match File::options().read(true).custom_flags(flags).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TuneError::Nothing { path }),
                Err(source) => return Err(unread(source)),
            };
            let metadata = file.metadata().map_err(unread)?;
            if !metadata.is_file() {
                return Err(bad("it is not a plain file"));
            }
            // Else anybody who may write there could have root write what he likes.
            if metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
                return Err(bad("other users own it or may write to it"));
            }
            let locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            // Before it was locked its owner may have put everything back, or what he could.
            if is_at(&file, &path).map_err(unread)? {
                break (file, locked);
            }
        };
        let mut text = String::new();
        (&file).take(MOST_BYTES).read_to_string(&mut text).map_err(unread)?;
        let mut document: Document = serde_json::from_str(&text)
            .map_err(|error| bad(&format!("it isn't as `tare tune` writes it ({error})")))?;
        if !locked {
            return Err(TuneError::InUse { process: document.process });
        }
        if document.format != FORMAT || document.version != VERSION {
            return Err(bad("another version of tare wrote it"));
        }
        let mut changes = Vec::new();
        for Entry { what, path: target, old, new } in std::mem::take(&mut document.changes) {
            if !is_tunable(&target) {
                return Err(bad("it names a file that `tare tune` never changes"));
            }
            changes.push(Change { what, path: target, old, new });
        }
        let Document { root, boot, .. } = document;
        let state = Self { path: path.clone(), root: root.clone(), boot: boot.clone(), _file: file };
        Ok((state, Stored { root, boot, changes }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Everything is put back.
    pub(super) fn remove(self) -> Result<(), TuneError> {
        fs::remove_file(&self.path).map_err(|source| TuneError::Io {
            action: "remove",
            path: self.path.clone(),
            source,
        })?;
        sync(self.path.parent().unwrap_or(Path::new("/")))
    }

    /// Only `changes` are left to be put back.
    pub(super) fn keep(&mut self, changes: &[Change]) -> Result<(), TuneError> {
        let draft = Draft::write(&self.path, &self.root, &self.boot, changes)?;
        fs::rename(&draft.path, &self.path).map_err(|source| TuneError::Io {
            action: "write",
            path: self.path.clone(),
            source,
        })?;
        self._file = draft.file;
        sync(self.path.parent().unwrap_or(Path::new("/")))
    }
}

/// A state file before it has its name; removed unless it was linked.
struct Draft {
    path: PathBuf,
    file: File,
}

impl Draft {
    /// Written, on the disk, and locked.
    fn write(path: &Path, root: &str, boot: &str, changes: &[Change]) -> Result<Self, TuneError> {
        let process = std::process::id();
        let place = path.with_extension(format!("{process}.draft"));
        let failed = |source| TuneError::Io { action: "write", path: place.clone(), source };
        // What a killed process of the same number left.
        let _ = fs::remove_file(&place);
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&place).map_err(failed)?;
        let entries = changes.iter().map(|change| Entry {
            what: change.what.clone(),
            path: change.path.clone(),
            old: change.old.clone(),
            new: change.new.clone(),
        });
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            process,
            root: root.to_owned(),
            boot: boot.to_owned(),
            changes: entries.collect(),
        };
        let written = serde_json::to_vec_pretty(&document)
            .map_err(io::Error::from)
            .and_then(|bytes| file.write_all(&bytes))
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)?));
        match written {
            Ok(()) => Ok(Self { path: place, file }),
            Err(source) => {
                let _ = fs::remove_file(&place);
                Err(TuneError::Io { action: "write", path: place, source })
            }
        }
    }

    /// It has another name now.
    fn finish(self) -> File {
        let _ = fs::remove_file(&self.path);
        self.file
    }
}

/// Whether `path` still names this file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder last.
fn sync(folder: &Path) -> Result<(), TuneError> {
    let failed = |source| TuneError::Io { action: "write", path: folder.to_owned(), source };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

fn is_tunable(path: &str) -> bool {
    let plain = Path::new(path).components().all(|part| !matches!(part, std::path::Component::ParentDir));
    plain && PLACES.iter().any(|place| path.starts_with(place))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::is_at;

    #[test]
    fn a_file_that_was_removed_or_replaced_is_not_the_one_that_lies_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!is_at(&file, &path).unwrap());
        File::create(&path).unwrap();
        assert!(!is_at(&file, &path).unwrap());
    }
}
