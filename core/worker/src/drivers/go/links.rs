//! A package's test program linked again and again, with its functions in another order each time.
//!
//! The go command's linker shuffles them by a number (`-randlayout`, from Go 1.22 on). Everything is compiled already, so that a link is all
//! that it takes. The programs lie beside the one that was built, are looked at before they are executed as that is, and go when nobody has used
//! them for a day.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::invocation::Invocation;
use super::manifest::{self, Manifest};
use super::operations;
use super::text;
use super::toolchain::Toolchain;
use crate::building;
use crate::cache::{LARGEST_PROGRAM, fingerprint};

/// Bytes of the largest list of programs that is read.
const LARGEST_LIST: u64 = 1 << 20;
/// A linker works on several CPUs by itself for a part of its time: more of them at once would only wait for each other's memory.
const AT_ONCE: usize = 8;
/// Flags of the linker, before the number of an order.
const SHUFFLED: &str = "-w -randlayout=";

/// The paths of `count` programs, in order of the numbers that their functions are shuffled by; of fewer where `enough` says so.
///
/// # Errors
/// Why there are none.
pub(super) fn linked(
    invocation: &Invocation,
    source: &Path,
    folder: &Path,
    count: u32,
    enough: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<String>, String> {
    let identity = invocation.identity(source);
    let changed = || "its sources have changed since it was built".to_owned();
    let built = Manifest::read(folder).filter(|kept| kept.holds(&identity)).ok_or_else(changed)?;
    let list = List::of(folder, &built);
    let missing: Vec<u32> = (1..=count).filter(|&number| !list.has(number)).collect();
    let linked = match missing.as_slice() {
        [] => BTreeMap::new(),
        missing => link(invocation, source, &list, missing, enough)?,
    };
    let list = list.with(linked);
    // Those of one number may be through while the one before it was never begun.
    let count = (1..=count).find(|&number| !list.linked.contains_key(&number)).map_or(count, |first| first - 1);
    if !Manifest::read(folder).is_some_and(|kept| kept.binary == built.binary && kept.holds(&identity)) {
        return Err(changed());
    }
    if !missing.is_empty() {
        list.write().map_err(|error| error.to_string())?;
    }
    list.touch(count);
    Ok((1..=count).map(|number| text(&list.path(number))).collect())
}

/// The programs that were linked of one build.
struct List {
    folder: PathBuf,
    /// What their names begin with: the name of the program that was built, and so the key of its content.
    stem: String,
    /// By number, the fingerprints that they had when they were linked.
    linked: BTreeMap<u32, String>,
}

impl List {
    fn of(folder: &Path, built: &Manifest) -> Self {
        let stem = built.binary.trim_end_matches(".test").to_owned();
        let mut list = Self { folder: folder.to_owned(), stem, linked: BTreeMap::new() };
        let said = tare_files::read(&list.name(), LARGEST_LIST).ok();
        list.linked = said.and_then(|said| serde_json::from_slice(&said).ok()).unwrap_or_default();
        list
    }

    fn name(&self) -> PathBuf {
        self.folder.join(format!("{}-links.json", self.stem))
    }

    fn path(&self, number: u32) -> PathBuf {
        self.folder.join(manifest::link_name(&self.stem, number))
    }

    /// Whether it is there as it was linked.
    fn has(&self, number: u32) -> bool {
        let known = self.linked.get(&number);
        let is_known = |content: Vec<u8>| known.is_some_and(|known| *known == fingerprint(&content));
        known.is_some() && tare_files::read(&self.path(number), LARGEST_PROGRAM).is_ok_and(is_known)
    }

    fn with(self, linked: BTreeMap<u32, String>) -> Self {
        Self { linked: self.linked.into_iter().chain(linked).collect(), ..self }
    }

    fn write(&self) -> std::io::Result<()> {
        let fresh = tempfile::Builder::new().prefix("links-").tempfile_in(&self.folder)?;
        fs::write(fresh.path(), serde_json::to_string(&self.linked)?)?;
        fresh.persist(self.name()).map_err(|error| error.error)?;
        Ok(())
    }

    fn touch(&self, count: u32) {
        manifest::touch(&self.name());
        (1..=count).for_each(|number| manifest::touch(&self.path(number)));
    }
}

/// Links those that are missing, several at once, until there are enough: their fingerprints.
fn link(
    invocation: &Invocation,
    source: &Path,
    list: &List,
    missing: &[u32],
    enough: &(dyn Fn() -> bool + Sync),
) -> Result<BTreeMap<u32, String>, String> {
    let toolchain = Toolchain::find(invocation, source).map_err(|failure| failure.message)?;
    flags(&toolchain.flags, &invocation.flags, 1)?;
    let (overlay, _) = toolchain.overlay().map_err(|failure| failure.message)?;
    let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(&list.folder).map_err(|e| e.to_string())?;
    let overlay = operations::added(&overlay, source, fresh.path()).map_err(|error| error.to_string())?;
    let overlay = format!("-overlay={}", text(&overlay));
    let one = |number: u32| {
        let out = fresh.path().join(format!("{number}.test"));
        let (flags, path) = (flags(&toolchain.flags, &invocation.flags, number)?, text(&out));
        let mut arguments = vec!["test", "-c", "-vet=off", overlay.as_str(), "-o", path.as_str()];
        arguments.extend(invocation.flags.iter().chain(&flags).map(String::as_str));
        arguments.push(".");
        let output =
            building::output(&mut invocation.command(&arguments, source)).map_err(|error| error.to_string())?;
        let content = fs::read(&out).ok().filter(|_| output.status.success());
        let content = content.ok_or_else(|| first_line(&[output.stderr, output.stdout].concat()))?;
        fs::rename(&out, list.path(number)).map_err(|error| error.to_string())?;
        Ok((number, fingerprint(&content)))
    };
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
                        (Ok(made), Ok(all)) => _ = all.insert(made.0, made.1),
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

/// What is added to the flags of the build: the user's flags for the linker once more, each with the shuffle behind it. The last one that is for a
/// package is taken, as of the user's own. Information for debuggers is left out, as `go test` does where it runs the program itself: a link takes a third less time.
fn flags(goflags: &[String], own: &[String], number: u32) -> Result<Vec<String>, String> {
    let mut all = vec![format!("-ldflags={SHUFFLED}{number}")];
    let mut words = goflags.iter().chain(own);
    while let Some(word) = words.next() {
        let Some(rest) = word.trim_start_matches('-').strip_prefix("ldflags").filter(|_| word.starts_with('-')) else {
            continue;
        };
        let value = match rest.strip_prefix('=') {
            Some(value) => value,
            None if rest.is_empty() => words.next().map_or("", String::as_str),
            None => continue,
        };
        if value.contains("-randlayout") {
            return Err("-randlayout is set already, in GOFLAGS or in the runtime's flags".to_owned());
        }
        all.push(format!("-ldflags={} {SHUFFLED}{number}", value.trim_end()));
    }
    Ok(all)
}

/// What the go command says first that isn't the name of a package.
fn first_line(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let first = said.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    first.unwrap_or("the go command doesn't say why").trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::flags;

    fn of(goflags: &[&str], own: &[&str]) -> Result<Vec<String>, String> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        flags(&owned(goflags), &owned(own), 7)
    }

    #[test]
    fn the_users_flags_for_the_linker_stay() {
        let alone = "-ldflags=-w -randlayout=7";
        assert_eq!(of(&["-race"], &["-tags=ldflags"]).unwrap(), [alone]);
        assert_eq!(
            of(&["-ldflags=-s -w"], &["--ldflags", "all=-X a.b=c", "-ldflagsx=1"]).unwrap(),
            [alone, "-ldflags=-s -w -w -randlayout=7", "-ldflags=all=-X a.b=c -w -randlayout=7"]
        );
    }

    #[test]
    fn an_order_that_the_user_chose_is_kept() {
        for (goflags, own) in [(vec!["-ldflags=-randlayout=3"], vec![]), (vec![], vec!["-ldflags", "-s -randlayout=3"])]
        {
            assert!(of(&goflags, &own).unwrap_err().contains("set already"));
        }
    }
}
