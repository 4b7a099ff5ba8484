//! Which file of its program a launch starts: one of several links, or a fresh copy.
//!
//! Where the linker put a function, and which pages of physical memory hold it while the file is in the page cache, is the same for all launches of
//! one file, and can be worth some percent. A launch that has a number ([`ProcessPlacement::layout`](crate::ProcessPlacement::layout)) starts
//! another file than the one before it.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::places::Places;

/// Larger programs aren't copied for each launch, bytes: it would take as long as the launch.
const LARGEST: u64 = 32 << 20;
/// Copies are kept for a while after their launches, bytes of all together: what is free at once is what the next copy gets.
const KEPT: u64 = 256 << 20;

/// Tells a worker which program it is a copy of.
pub(crate) const COPY_OF: &str = "TARE_COPY_OF";

/// The files of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// These, with the functions in another order in each.
    Links {
        /// Where they lie.
        paths: Vec<String>,
        /// Their worker refuses to load another file than its own, so it is told of which program it is a copy.
        told: bool,
    },
    /// A fresh copy for each launch.
    Copies,
}

/// The files that launches start, by the path of their program.
#[derive(Debug, Default)]
pub struct Executables {
    programs: HashMap<String, Files>,
    /// Copies of past launches, which have no name any more, and their sizes.
    kept: Mutex<VecDeque<(File, u64)>>,
    /// Where links that were asked have their functions, by path.
    places: Mutex<HashMap<String, Arc<Places>>>,
    /// A process that is forked while a copy is open to be written keeps it open until its own execve(2), and no one can be started from
    /// it until then (ETXTBSY).
    writing: RwLock<()>,
}

/// What is started in a program's place.
#[derive(Debug)]
pub(crate) struct Drawn<'a> {
    pub(crate) command: Vec<String>,
    /// The program that it is a copy of: it is called as that is.
    pub(crate) copy_of: Option<&'a str>,
    _copy: Option<Copy<'a>>,
}

/// A copy of a program, beside it, so that it finds there what it looks for: libraries by `$ORIGIN`, data by `/proc/self/exe`. Its name goes once it has been
/// started, so that nothing stays behind in a folder that isn't ours.
#[derive(Debug)]
struct Copy<'a> {
    path: PathBuf,
    bytes: u64,
    of: &'a Executables,
}

impl Drop for Copy<'_> {
    fn drop(&mut self) {
        if let Ok(file) = File::open(&self.path) {
            self.of.keep(file, self.bytes);
        }
        let _ = fs::remove_file(&self.path);
    }
}

impl Executables {
    /// Launches of commands that begin with `program` start these files.
    pub fn add(&mut self, program: &str, files: Files) {
        self.programs.insert(program.to_owned(), files);
    }

    /// Whether a worker may be started from copies of its program: it isn't large, and knows that it may be one. `asks`: it refuses to load another file than
    /// its own.
    pub fn may_copy(program: &str, asks: bool) -> bool {
        let is_small = fs::metadata(program).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
        let knows = |content: Vec<u8>| content.windows(COPY_OF.len()).any(|window| window == COPY_OF.as_bytes());
        is_small && (!asks || tare_files::read(Path::new(program), LARGEST).is_ok_and(knows))
    }

    /// What the launch of that number starts; `None`: the command as it is. It may be dropped once it has been started.
    pub(crate) fn draw<'a>(&'a self, command: &'a [String], number: u64) -> Option<Drawn<'a>> {
        let (program, arguments) = command.split_first()?;
        let (file, copy_of, copy) = match self.programs.get(program)? {
            Files::Links { paths, told } => {
                let count = paths.len().max(1) as u64;
                (paths.get((number % count) as usize)?.clone(), told.then_some(program.as_str()), None)
            }
            // Where it can't be copied it is started where it lies.
            Files::Copies => {
                let copy = self.copy(Path::new(program)).ok()?;
                (copy.path.to_str()?.to_owned(), Some(program.as_str()), Some(copy))
            }
        };
        let command = std::iter::once(file).chain(arguments.iter().cloned()).collect();
        Some(Drawn { command, copy_of, _copy: copy })
    }

    /// Where each link of a program has these functions within a line of the cache; nothing where it has no links.
    pub(crate) fn places(&self, program: &str, functions: &[&str]) -> Vec<Vec<Option<u8>>> {
        let Some(Files::Links { paths, .. }) = self.programs.get(program) else { return Vec::new() };
        let of_link = |path: &String| {
            let known = self.places.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
            let places = known.unwrap_or_else(|| {
                let read = Arc::new(Places::read(Path::new(path)));
                let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(places.entry(path.clone()).or_insert(read))
            });
            functions.iter().map(|function| places.of(function)).collect()
        };
        paths.iter().map(of_link).collect()
    }

    fn copy(&self, program: &Path) -> std::io::Result<Copy<'_>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = program.with_file_name(format!(".{name}.tare-{}-{number}", process::id()));
        let _writing = self.writing.write().unwrap_or_else(PoisonError::into_inner);
        // What is there already is somebody else's.
        File::create_new(&path)?;
        let mut copy = Copy { path, bytes: 0, of: self };
        copy.bytes = fs::copy(program, &copy.path)?;
        Ok(copy)
    }

    fn keep(&self, file: File, bytes: u64) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((file, bytes));
        while kept.iter().map(|(_, bytes)| bytes).sum::<u64>() > KEPT {
            kept.pop_front();
        }
    }

    /// Starts a process by `start` while no copy is open to be written.
    pub(crate) fn while_none_is_written<T>(&self, start: impl FnOnce() -> T) -> T {
        let _starting = self.writing.read().unwrap_or_else(PoisonError::into_inner);
        start()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use super::{Executables, Files};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn links_go_round_and_arguments_stay() {
        let mut executables = Executables::default();
        executables.add("/b/p.test", Files::Links { paths: words("/b/p-1.test /b/p-2.test"), told: false });
        let command = words("/b/p.test -x 1");
        let of = |number| executables.draw(&command, number).unwrap();
        assert_eq!(of(0).command, words("/b/p-1.test -x 1"));
        assert_eq!(of(3).command, words("/b/p-2.test -x 1"));
        assert_eq!(of(3).copy_of, None);
        assert!(executables.draw(&words("/b/other.test"), 0).is_none());
        assert!(executables.draw(&[], 0).is_none());
    }

    #[test]
    fn a_copy_is_another_file_beside_it_that_stays_only_until_it_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bench");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let command = [program.to_str().unwrap().to_owned()];
        let mut executables = Executables::default();
        executables.add(&command[0], Files::Copies);
        let inode = |path: &str| fs::metadata(path).unwrap().ino();
        let mut inodes = vec![inode(&command[0])];
        for number in 0..3 {
            let copy = executables.draw(&command, number).unwrap();
            let path = Path::new(&copy.command[0]);
            assert_eq!((path.parent(), copy.copy_of), (Some(folder.path()), Some(command[0].as_str())));
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o755);
            assert_eq!(fs::read(path).unwrap(), fs::read(&program).unwrap());
            inodes.push(inode(&copy.command[0]));
            drop(copy);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
        inodes.sort_unstable();
        inodes.dedup();
        assert_eq!(inodes.len(), 4, "and its pages aren't given to the next one");
        fs::remove_file(&program).unwrap();
        assert!(executables.draw(&command, 4).is_none(), "what can't be copied is started where it lies");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_worker_that_does_not_know_of_copies_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (old, new) = (at("old", b"\x7fELF.."), at("new", b"\x7fELF..TARE_COPY_OF\0"));
        assert_eq!([&old, &new].map(|path| Executables::may_copy(path, true)), [false, true]);
        assert!(Executables::may_copy(&old, false));
        assert!(!Executables::may_copy("/nonexistent/program", false));
    }
}
