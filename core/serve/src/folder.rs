//! A folder that files are published into, and which of them are ours: a list in it names what was written before, so that what no longer belongs there
//! goes, and what others put there stays.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::site::{FOLDERS, is_ours};

/// The list, a name a line, from the top of the folder with `/` between.
const LIST: &str = "tare-pages.txt";
/// A file that is being written; it takes its name when it is whole.
const HALF: &str = ".tare-pages.new";
/// Bytes of a list.
const MOST: u64 = 64 << 20;

/// What keeps files from being published.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is something else of that name.
    #[error("{0} exists, and no earlier `tare publish` wrote it. Move it away, or publish into another folder")]
    Foreign(PathBuf),
    /// A name where a folder has to be is something else's.
    #[error("{0} is not a folder. Move it away, or publish into another folder")]
    NoFolder(PathBuf),
    /// The list isn't one of ours.
    #[error(
        "{0} should list the files that `tare publish` wrote, and line {1} is not a name that it writes. Restore the file, or publish into another folder"
    )]
    List(PathBuf, usize),
    /// The list can't be read.
    #[error("cannot read {0}: {1}. Restore the file, or publish into another folder")]
    Unreadable(PathBuf, io::Error),
    /// Another process publishes into it.
    #[error("another `tare publish` is writing to {0}; wait until it is done")]
    Busy(PathBuf),
    /// The disk is full.
    #[error(
        "cannot write {0}: the disk is full. Free some space and call `tare publish` again; files there are whole, some of them of the earlier call"
    )]
    Full(PathBuf),
    /// The system refuses.
    #[error("cannot write {0}: {1}. Name a folder that you may write to")]
    Write(PathBuf, io::Error),
}

/// A folder under way.
pub(crate) struct Folder {
    path: PathBuf,
    /// Written by an earlier call.
    before: BTreeSet<String>,
    /// Written by this one.
    now: BTreeSet<String>,
    /// To which names are added before their files are: whatever ends the process, the next call knows what is ours.
    list: File,
    /// Locked while it is open.
    _held: File,
    pub(crate) count: Count,
}

/// What was done in a folder.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    /// Files that are there now,
    pub(crate) files: usize,
    /// their bytes,
    pub(crate) bytes: u64,
    /// and those of them that were new or another one before.
    pub(crate) written: usize,
    /// Files that went.
    pub(crate) removed: usize,
}

impl Folder {
    /// Makes it if it is missing. `names` are files that are certainly written: nothing is changed where one of them is somebody else's.
    pub(crate) fn open(path: &Path, names: &[&str]) -> Result<Self, FolderError> {
        let failed = |error| refused(path, error);
        fs::create_dir_all(path).map_err(failed)?;
        let held = File::open(path).map_err(failed)?;
        // A file system without locks is written to all the same.
        if flock(&held, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return Err(FolderError::Busy(path.to_owned()));
        }
        let list = path.join(LIST);
        let before = listed(&list)?;
        for name in names.iter().filter(|name| !before.contains(**name)) {
            refuse_foreign(&path.join(name))?;
        }
        for folder in FOLDERS.map(|name| path.join(name)) {
            match fs::symlink_metadata(&folder) {
                Ok(found) if !found.is_dir() => return Err(FolderError::NoFolder(folder)),
                _ => {}
            }
        }
        let opened = OpenOptions::new().append(true).create(true).open(&list).map_err(|error| refused(&list, error))?;
        Ok(Self {
            path: path.to_owned(),
            before,
            now: BTreeSet::new(),
            list: opened,
            _held: held,
            count: Count::default(),
        })
    }

    /// Writes a file, its name from the top of the folder, if it isn't as it should be. It is whole at any time.
    pub(crate) fn write(&mut self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        let path = self.path.join(name);
        if !self.before.contains(name) && !self.now.contains(name) {
            refuse_foreign(&path)?;
            let list = self.path.join(LIST);
            writeln!(self.list, "{name}").map_err(|error| refused(&list, error))?;
        }
        self.now.insert(name.to_owned());
        self.count.files += 1;
        self.count.bytes += content.len() as u64;
        let is_file =
            fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() == content.len() as u64);
        if is_file && fs::read(&path).is_ok_and(|there| there == content) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| refused(folder, error))?;
        }
        self.replace(&path, content)?;
        self.count.written += 1;
        Ok(())
    }

    fn replace(&self, path: &Path, content: &[u8]) -> Result<(), FolderError> {
        let half = self.path.join(HALF);
        // What a call that was killed left. It was not written through a link that somebody else put there.
        let _ = fs::remove_file(&half);
        let written =
            OpenOptions::new().write(true).create_new(true).open(&half).and_then(|mut file| file.write_all(content));
        written.and_then(|()| fs::rename(&half, path)).map_err(|error| {
            let _ = fs::remove_file(&half);
            refused(path, error)
        })
    }

    /// Removes what was written before and wasn't now, and says so in the list.
    pub(crate) fn close(mut self) -> Result<Count, FolderError> {
        for name in self.before.difference(&self.now) {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Ok(()) => self.count.removed += 1,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(refused(&path, error)),
            }
        }
        // An empty one goes; others stay.
        FOLDERS.iter().for_each(|folder| drop(fs::remove_dir(self.path.join(folder))));
        let list: String = self.now.iter().map(|name| format!("{name}\n")).collect();
        self.replace(&self.path.join(LIST), list.as_bytes())?;
        self.count.files += 1;
        self.count.bytes += list.len() as u64;
        Ok(self.count)
    }
}

/// The names in a list; none where there is no list.
fn listed(list: &Path) -> Result<BTreeSet<String>, FolderError> {
    match fs::symlink_metadata(list) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Ok(found) if !found.is_file() => return Err(FolderError::Foreign(list.to_owned())),
        _ => {}
    }
    let text = tare_files::text(list, MOST).map_err(|error| FolderError::Unreadable(list.to_owned(), error))?;
    // The last line has no end where the disk was full, and its file was never written.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().enumerate();
    lines
        .map(
            |(at, name)| {
                if is_ours(name) { Ok(name.to_owned()) } else { Err(FolderError::List(list.to_owned(), at + 1)) }
            },
        )
        .collect()
}

/// Fails where something is of that name.
fn refuse_foreign(path: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(FolderError::Foreign(path.to_owned())),
        Err(_) => Ok(()),
    }
}

fn refused(path: &Path, error: io::Error) -> FolderError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FolderError::Full(path.to_owned()),
        _ => FolderError::Write(path.to_owned(), error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::{Folder, FolderError, HALF, LIST};

    #[test]
    fn what_no_longer_belongs_goes_and_what_others_put_there_stays() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::write(at("notes.html"), "mine").unwrap();
        let mut first = Folder::open(place.path(), &["index.html"]).unwrap();
        first.write("index.html", b"1").unwrap();
        first.write("runs/a.html", b"1").unwrap();
        first.write("badges/a.svg", b"1").unwrap();
        assert_eq!(first.close().unwrap().written, 3);
        fs::write(at("runs/mine.html"), "mine").unwrap();
        let mut second = Folder::open(place.path(), &["index.html"]).unwrap();
        second.write("index.html", b"1").unwrap();
        second.write("runs/b.html", b"2").unwrap();
        let count = second.close().unwrap();
        assert_eq!((count.files, count.written, count.removed), (3, 1, 2));
        assert!(!at("runs/a.html").exists() && !at("badges").exists() && !at(HALF).exists());
        assert_eq!(fs::read_to_string(at(LIST)).unwrap(), "index.html\nruns/b.html\n");
        for mine in ["notes.html", "runs/mine.html"] {
            assert_eq!(fs::read_to_string(at(mine)).unwrap(), "mine");
        }
    }

    #[test]
    fn nothing_of_others_is_written_over() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("index.html"), "mine").unwrap();
        let refused = Folder::open(place.path(), &["index.html"]).err().unwrap();
        assert!(refused.to_string().contains("no earlier `tare publish` wrote it"), "{refused}");
        fs::remove_file(place.path().join("index.html")).unwrap();
        // Links lead elsewhere, as a whole folder and as a file.
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), place.path().join("runs")).unwrap();
        assert!(matches!(Folder::open(place.path(), &[]).err().unwrap(), FolderError::NoFolder(_)));
        fs::remove_file(place.path().join("runs")).unwrap();
        fs::write(elsewhere.path().join("target"), "mine").unwrap();
        symlink(elsewhere.path().join("target"), place.path().join(HALF)).unwrap();
        let mut folder = Folder::open(place.path(), &[]).unwrap();
        symlink(elsewhere.path().join("target"), place.path().join("cases.html")).unwrap();
        assert!(matches!(folder.write("cases.html", b"x").unwrap_err(), FolderError::Foreign(_)));
        folder.write("index.html", b"x").unwrap();
        assert_eq!(fs::read_to_string(elsewhere.path().join("target")).unwrap(), "mine");
    }

    #[test]
    fn a_list_that_names_anything_else_removes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let victim = place.path().join("victim.html");
        fs::write(&victim, "mine").unwrap();
        let folder = place.path().join("pages");
        fs::create_dir(&folder).unwrap();
        for (list, line) in
            [("../victim.html\n", 1), ("index.html\nruns/../../victim.html\n", 2), ("<!doctype html>\n", 1)]
        {
            fs::write(folder.join(LIST), list).unwrap();
            let error = Folder::open(&folder, &[]).err().unwrap().to_string();
            assert!(error.contains(&format!("line {line} is not a name")), "{error}");
        }
        assert!(victim.exists());
    }

    #[test]
    fn a_call_that_was_killed_leaves_what_the_next_one_knows() {
        let place = tempfile::tempdir().unwrap();
        let mut killed = Folder::open(place.path(), &[]).unwrap();
        killed.write("index.html", b"1").unwrap();
        killed.write("runs/a.html", b"1").unwrap();
        assert!(matches!(Folder::open(place.path(), &[]).err().unwrap(), FolderError::Busy(_)));
        drop(killed);
        let mut next = Folder::open(place.path(), &["index.html"]).unwrap();
        next.write("index.html", b"2").unwrap();
        assert_eq!(next.close().unwrap().removed, 1);
        assert!(!place.path().join("runs").exists());
    }
}
