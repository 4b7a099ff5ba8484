//! A program linked again and again, with its functions in another order each time, whatever the language.
//!
//! The programs lie beside the one that was built. Their contents are checked before they are executed, and those that weren't used for a day are removed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use super::text;
use crate::cache::{LARGEST_PROGRAM, fingerprint};

/// Bytes of the largest list of programs that is read.
const LARGEST_LIST: u64 = 1 << 20;
/// A linker works on several CPUs by itself for a part of its time: more of them at once would only wait for each other's memory.
const AT_ONCE: usize = 8;

/// The programs that were linked of one build.
pub(super) struct Links {
    folder: PathBuf,
    /// What their names begin with, which is the key of the content of the program that was built, and what they end with.
    stem: String,
    ending: &'static str,
    /// By number, the fingerprints that they had when they were linked.
    linked: BTreeMap<u32, String>,
}

impl Links {
    pub(super) fn of(folder: &Path, stem: &str, ending: &'static str) -> Self {
        let mut links = Self { folder: folder.to_owned(), stem: stem.to_owned(), ending, linked: BTreeMap::new() };
        let said = tare_files::read(&links.list(), LARGEST_LIST).ok();
        links.linked = said.and_then(|said| serde_json::from_slice(&said).ok()).unwrap_or_default();
        links
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn list(&self) -> PathBuf {
        self.folder.join(format!("{}-links.json", self.stem))
    }

    pub(super) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{}-{number}{}", self.stem, self.ending))
    }

    /// Whether it is there as it was linked.
    fn has(&self, number: u32) -> bool {
        let known = self.linked.get(&number);
        let is_known = |content: Vec<u8>| known.is_some_and(|known| *known == fingerprint(&content));
        known.is_some() && tare_files::read(&self.path(number), LARGEST_PROGRAM).is_ok_and(is_known)
    }

    /// Calls `link` with the numbers up to `count` that have no program yet; it links them, and returns their fingerprints by number.
    ///
    /// # Errors
    /// Those of `link`.
    pub(super) fn complete(
        &mut self,
        count: u32,
        link: impl FnOnce(&Self, &[u32]) -> Result<BTreeMap<u32, String>, String>,
    ) -> Result<(), String> {
        let missing: Vec<u32> = (1..=count).filter(|&number| !self.has(number)).collect();
        if !missing.is_empty() {
            missing.iter().for_each(|number| _ = self.linked.remove(number));
            let linked = link(self, &missing)?;
            self.linked.extend(linked);
            self.write().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The paths of `count` programs, in order of their numbers; of fewer where the next one wasn't linked.
    pub(super) fn paths(&self, count: u32) -> Vec<String> {
        // Those of one number may be through while the one before it was never begun.
        let numbers = (1..=count).take_while(|number| self.linked.contains_key(number));
        touch(&self.list());
        let paths: Vec<PathBuf> = numbers.map(|number| self.path(number)).collect();
        paths.iter().for_each(|path| touch(path));
        paths.iter().map(|path| text(path)).collect()
    }

    fn write(&self) -> std::io::Result<()> {
        let fresh = tempfile::Builder::new().prefix("links-").tempfile_in(&self.folder)?;
        fs::write(fresh.path(), serde_json::to_string(&self.linked)?)?;
        fresh.persist(self.list()).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Somebody uses it.
pub(super) fn touch(path: &Path) {
    // Opened to read: a binary that runs can't be opened to write.
    let _ = fs::File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Links several at once, until there are enough: their fingerprints. `one` links the program of a number.
///
/// # Errors
/// The first of `one`.
pub(super) fn several(
    missing: &[u32],
    enough: &(dyn Fn() -> bool + Sync),
    one: &(dyn Fn(u32) -> Result<String, String> + Sync),
) -> Result<BTreeMap<u32, String>, String> {
    let (next, linked) = (AtomicUsize::new(0), Mutex::new(Ok(BTreeMap::new())));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&number) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if enough() {
                        return;
                    }
                    let made = one(number);
                    let Ok(mut linked) = linked.lock() else { return };
                    match (made, linked.as_mut()) {
                        (Ok(made), Ok(all)) => _ = all.insert(number, made),
                        (Err(why), _) => {
                            *linked = Err(why);
                            next.store(missing.len(), Ordering::Relaxed);
                        }
                        _ => {}
                    }
                }
            });
        }
    });
    linked.into_inner().map_err(|_| "a thread that links has panicked".to_owned())?
}

/// What `tool` says first that isn't the name of a package.
pub(super) fn first_line(said: &[u8], tool: &str) -> String {
    let said = String::from_utf8_lossy(said);
    let first = said.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    first.map_or_else(|| format!("{tool} doesn't say why"), |first| first.trim().chars().take(200).collect())
}
