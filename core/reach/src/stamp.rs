//! What a path was found to be, so that it can be asked again elsewhere and later.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::place::{Place, Root};

/// What a process asked of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Question {
    /// What is in the file.
    Content,
    /// Which names the folder has.
    Names,
    /// Whether there is something, and of which kind and size.
    Existence,
    /// Whether there is something, and of which kind.
    Kind,
    /// Where the symbolic link leads.
    Link,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stamp {
    /// There is nothing, or it can't be reached.
    Missing,
    /// A file: the SHA-256 of its content, in hexadecimal.
    File(String),
    /// A folder: its names in order, those of folders with a slash behind them, those of symbolic links with two. Of more than [`MOST_NAMES`] the SHA-256 of all, in hexadecimal.
    Names(Vec<String>),
    /// A file of so many bytes, whose content wasn't asked for; 0 where its size wasn't, either.
    Size(u64),
    /// A file that its owner may execute, the one bit of a mode that git keeps; and what else was asked of it.
    Executable(Box<Self>),
    /// A symbolic link, as it is written, from the folder of the side where it leads into it.
    Link(Place),
    /// A folder whose names weren't asked for.
    Folder,
    /// Neither: a device, a socket, a FIFO.
    Other,
}

/// Names that are kept of a folder.
const MOST_NAMES: usize = 10_000;

/// A file as it was at a moment. Two of them that are equal mean the same content, unless somebody sets a time back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Number of the device.
    pub device: u64,
    /// Number of the inode.
    pub inode: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last change of its content, in nanoseconds since 1970.
    pub modified_ns: i128,
}

impl Identity {
    /// Of what a path leads to.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified_ns: i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
        }
    }
}

/// Asks paths, and reads no file twice. Several threads may ask at once.
#[derive(Debug, Default)]
pub struct Stamps {
    files: Mutex<HashMap<Identity, String>>,
    names: Mutex<HashMap<(PathBuf, Filter, bool), Stamp>>,
}

/// Which names of a folder count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Filter {
    /// All of them.
    All,
    /// All but the folders in which Python's interpreter keeps what it has compiled, for code in Python: one side's runs leave them behind.
    Written,
    /// What Python could import: modules, packages, archives and `.pth` files; not its own compiled files.
    Importable,
}

impl Stamps {
    /// What a path answers. An answer that can't be had (no right to read) is [`Stamp::Missing`], as it is for the process that asks.
    pub fn ask(&self, root: &Root, place: &Place, question: Question, filter: Filter) -> Stamp {
        let path = &root.path(place);
        if question == Question::Link {
            let target = fs::read_link(path);
            return target.map_or(Stamp::Missing, |target| Stamp::Link(root.place(&target)));
        }
        let Ok(metadata) = fs::metadata(path) else { return Stamp::Missing };
        let stamp = match question {
            Question::Content if metadata.is_file() => {
                self.content(path, &metadata).map_or(Stamp::Missing, Stamp::File)
            }
            Question::Names if metadata.is_dir() => self.names(path, filter, root),
            Question::Kind if metadata.is_file() => Stamp::Size(0),
            _ if metadata.is_file() => Stamp::Size(metadata.len()),
            _ if metadata.is_dir() => Stamp::Folder,
            _ => Stamp::Other,
        };
        let is_executable = metadata.is_file() && metadata.mode() & 0o100 != 0;
        if is_executable && stamp != Stamp::Missing { Stamp::Executable(stamp.into()) } else { stamp }
    }

    fn content(&self, path: &Path, metadata: &Metadata) -> io::Result<String> {
        let identity = Identity::of(metadata);
        if let Some(known) = self.files.lock().unwrap_or_else(PoisonError::into_inner).get(&identity) {
            return Ok(known.clone());
        }
        let mut file = File::open(path)?;
        let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        let digest = hex(&hash.finalize());
        // Only what didn't change meanwhile is remembered by its identity.
        if file.metadata().is_ok_and(|after| Identity::of(&after) == identity) {
            self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(identity, digest.clone());
        }
        Ok(digest)
    }

    fn names(&self, path: &Path, filter: Filter, root: &Root) -> Stamp {
        let is_root = root.is_folder(path);
        let key = (path.to_owned(), filter, is_root);
        if let Some(known) = self.names.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let Ok(entries) = fs::read_dir(path) else { return Stamp::Missing };
        // Tare's own folder stands in the working tree alone, and git's is a file in a worktree.
        let is_own = |name: &OsStr| is_root && (name == ".tare" || name == ".git") || root.is_own(&path.join(name));
        let mut names: Vec<(OsString, &str)> = Vec::new();
        for entry in entries.flatten().filter(|entry| !is_own(&entry.file_name())) {
            let name = entry.file_name();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let is_folder = || entry.path().is_dir();
            let counts = match filter {
                Filter::All => true,
                Filter::Written => name != "__pycache__" || !holds_compiled_alone(&entry.path()),
                Filter::Importable => is_importable(&name.to_string_lossy(), is_folder()),
            };
            // Where modules lie, the import system looks through links.
            let mark = match (is_link && filter != Filter::Importable, is_folder()) {
                (true, _) => "//",
                (false, true) => "/",
                (false, false) => "",
            };
            if counts {
                names.push((name, mark));
            }
        }
        let shown = |(name, mark): (OsString, &str)| format!("{}{mark}", name.to_string_lossy());
        let mut names: Vec<String> = names.into_iter().map(shown).collect();
        names.sort();
        if names.len() > MOST_NAMES {
            names = vec![hex(&Sha256::digest(names.join("\0")))];
        }
        let stamp = Stamp::Names(names);
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(key, stamp.clone());
        stamp
    }
}

/// Whether a folder is one that Python's interpreter makes: with compiled files of sources beside it, and nothing else.
fn holds_compiled_alone(folder: &Path) -> bool {
    let is_compiled = |name: &OsStr| {
        let name = name.to_string_lossy();
        let module = name.split_once('.').filter(|(_, rest)| rest.ends_with(".pyc")).map(|(module, _)| module);
        module.is_some_and(|module| folder.with_file_name(format!("{module}.py")).is_file())
    };
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    is_folder
        && fs::read_dir(folder).is_ok_and(|entries| entries.flatten().all(|entry| is_compiled(&entry.file_name())))
}

/// Whether Python's import system may take an entry of a folder on its path.
fn is_importable(name: &str, is_folder: bool) -> bool {
    if is_folder {
        return !name.starts_with('.') && name != "__pycache__" && !name.contains('-');
    }
    [".py", ".pyc", ".so", ".pyd", ".pth", ".zip", ".egg"].iter().any(|ending| name.ends_with(ending))
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::{Filter, Question, Stamp, Stamps};
    use crate::place::Root;

    #[test]
    fn what_is_asked_says_what_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let root = Root::new(folder.path(), &folder.path().join(".tare"));
        let place = root.place(&path);
        let ask = |question| Stamps::default().ask(&root, &place, question, Filter::All);
        assert_eq!(ask(Question::Content), Stamp::Missing);
        fs::write(&path, "one").unwrap();
        let (content, existence) = (ask(Question::Content), ask(Question::Existence));
        fs::write(&path, "two").unwrap();
        assert_ne!(ask(Question::Content), content);
        assert_eq!(ask(Question::Existence), existence);
        fs::write(&path, "three").unwrap();
        assert_ne!(ask(Question::Existence), existence);
        let (content, existence) = (ask(Question::Content), ask(Question::Existence));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(content != ask(Question::Content) && existence != ask(Question::Existence));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(ask(Question::Existence), Stamp::Folder);
        assert_eq!(ask(Question::Content), Stamp::Folder, "a folder that was a file");
    }

    #[test]
    fn names_of_a_folder_count_without_what_python_cannot_import() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path(), &folder.path().join(".tare"));
        let place = root.place(folder.path());
        let ask = |filter| Stamps::default().ask(&root, &place, Question::Names, filter);
        fs::write(folder.path().join("a.py"), "").unwrap();
        let (all, importable) = (ask(Filter::All), ask(Filter::Importable));
        fs::write(folder.path().join("README.md"), "").unwrap();
        fs::create_dir(folder.path().join("__pycache__")).unwrap();
        assert_ne!(ask(Filter::All), all);
        assert_eq!(ask(Filter::Importable), importable);
        fs::write(folder.path().join("json.py"), "").unwrap();
        assert_ne!(ask(Filter::Importable), importable);
    }

    #[test]
    fn names_that_are_tares_or_gits_or_the_interpreters_own_are_so_in_their_places_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("sub/project")).unwrap();
        let root = Root::new(folder.path(), &at("sub/project/.tare"));
        let ask = |name: &str, filter| Stamps::default().ask(&root, &root.place(&at(name)), Question::Names, filter);
        let all = |filter| ["", "sub", "sub/project"].map(|name| ask(name, filter));
        let before = all(Filter::All);
        for name in [".git", ".tare", "sub/project/.tare"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        assert_eq!(all(Filter::All), before);
        for name in ["sub/.git", "sub/.tare"] {
            let before = ask("sub", Filter::All);
            fs::create_dir_all(at(name)).unwrap();
            assert_ne!(ask("sub", Filter::All), before, "{name}");
        }
        fs::write(at("sub/a.py"), "").unwrap();
        let before = [Filter::All, Filter::Written].map(|filter| ask("sub", filter));
        fs::create_dir_all(at("sub/__pycache__")).unwrap();
        fs::write(at("sub/__pycache__/a.cpython-312.pyc"), "").unwrap();
        assert_ne!(ask("sub", Filter::All), before[0]);
        assert_eq!(ask("sub", Filter::Written), before[1]);
        for (name, why) in [("z", "no compiled file"), ("b.cpython-312.pyc", "no source beside it")] {
            fs::write(at("sub/__pycache__").join(name), "").unwrap();
            assert_ne!(ask("sub", Filter::Written), before[1], "{why}");
            fs::remove_file(at("sub/__pycache__").join(name)).unwrap();
        }
    }

    #[test]
    fn a_name_that_becomes_a_link_to_the_same_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let root = Root::new(folder.path(), &at(".tare"));
        let ask = || Stamps::default().ask(&root, &root.place(folder.path()), Question::Names, Filter::All);
        fs::write(at("y"), "").unwrap();
        fs::write(at("x"), "").unwrap();
        let file = ask();
        fs::remove_file(at("x")).unwrap();
        std::os::unix::fs::symlink("y", at("x")).unwrap();
        assert_ne!(ask(), file);
    }

    #[test]
    fn a_file_that_changes_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, stamps) = (folder.path().join("a"), Stamps::default());
        let root = Root::new(folder.path(), &folder.path().join(".tare"));
        let ask = || stamps.ask(&root, &root.place(&path), Question::Content, Filter::All);
        fs::write(&path, "one").unwrap();
        let first = ask();
        assert_eq!(ask(), first);
        fs::write(&path, "other").unwrap();
        assert_ne!(ask(), first);
    }
}
