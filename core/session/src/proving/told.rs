//! What a stretch of a process touched, as it is asked of files: what whoever followed it wrote down, and what the worker told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tare_follow::{FileIdentity, Outside, Record, as_recorded};
use tare_reach::Touched;
use tare_units::Recording;
use tare_worker::target_of;

/// A stage of a process's life: of some, less counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage<'a> {
    /// Until it said hello: what a runtime asks of the system is none of the case's business, but for files.
    StartUp,
    /// While sources were loaded and the case was prepared.
    Loading,
    /// While the case ran once; with what an empty subject showed in its place.
    Case(&'a Record),
    /// While it ran at other times, and was finished: which random bytes are the worker's own isn't known.
    Untold,
}

/// What the worker told of paths.
#[derive(Debug, Default)]
pub(super) struct ToldPaths {
    /// Files that code read, or asked the size of.
    pub(super) read: BTreeSet<PathBuf>,
    /// Folders that code listed.
    pub(super) listed: BTreeSet<PathBuf>,
}

impl ToldPaths {
    pub(super) fn of(code: &str) -> Self {
        let mut told = Self::default();
        // What can't be read is found where it is needed.
        for (_, recording) in Recording::read(code.as_bytes()).unwrap_or_default() {
            told.read.extend(recording.read.iter().map(|file| as_recorded(file.as_ref())));
            // The follower names folders without symbolic links.
            told.listed.extend(recording.listed.into_iter().filter_map(|folder| fs::canonicalize(folder).ok()));
        }
        told
    }
}

pub(super) fn touched(record: &Record, stage: Stage<'_>, written: &BTreeSet<PathBuf>) -> Touched {
    let own = |path: &PathBuf| written.contains(path) && !record.changed.contains(path);
    let looked_up = record.missing.iter().chain(&record.looked_at).filter(|path| !own(path)).cloned();
    let mut outside: BTreeSet<String> = record
        .outside
        .iter()
        .filter(|(what, times)| counts(what, **times, stage))
        .map(|(what, _)| what.to_string())
        .collect();
    let overwritten = record.read.keys().find(|path| record.changed.contains(*path));
    outside.extend(overwritten.map(|path| format!("a file that it changes itself (`{}`)", path.display())));
    let replaced = record.read.iter().find(|(path, identity)| !own(path) && is_replaced(path, identity));
    let replaced = replaced.map(|(path, _)| {
        format!("`{}` changed while it was looked at, by the case or by another program", path.display())
    });
    Touched {
        read: record.read.keys().filter(|path| !own(path)).cloned().collect(),
        listed: record.listed.clone(),
        looked_up: looked_up.collect(),
        written: record.written.clone(),
        links: record.links.keys().cloned().collect(),
        outside,
        incomplete: record.incomplete.iter().next().map(ToString::to_string).or(replaced),
    }
}

/// What a process asked for that lies where its program was built, which is Tare's own folder and yet the checkout's: what build scripts have left there.
pub(super) fn built_with(touched: &Touched, program: &Path) -> Option<PathBuf> {
    let named = target_of(program)?;
    let real = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    let all = [&touched.read, &touched.listed, &touched.looked_up, &touched.links];
    let own = program.strip_prefix(named).ok()?;
    let is_one = |path: &&PathBuf| {
        let below = path.strip_prefix(named).or_else(|_| path.strip_prefix(&real));
        below.is_ok_and(|below| !own.starts_with(below))
    };
    all.into_iter().flatten().find(is_one).cloned()
}

/// Whether a path leads to another file, or to other content, than when the process opened it.
fn is_replaced(path: &Path, identity: &FileIdentity) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map_or(true, |now| {
        now.ino() != identity.inode
            || now.len() != identity.size
            || (now.mtime(), now.mtime_nsec() as u32) != identity.modified
    })
}

/// Whether something beside files takes the proof away. A runtime that starts, and modules that are loaded, read random bytes for their own purposes, on
/// both sides alike; so does a worker around samples.
fn counts(what: &Outside, times: u64, stage: Stage<'_>) -> bool {
    match (what, stage) {
        (_, Stage::StartUp) => false,
        // By which the worker itself tells how long it waited.
        (Outside::Proc(path), _) if path.ends_with("schedstat") => false,
        // How many CPUs and how much memory there are, and where the stack lies.
        (Outside::Proc(path) | Outside::Sys(path), _) if is_of_machine(path) => false,
        // A worker looks at its own threads.
        (Outside::Proc(_), Stage::Case(empty)) => !empty.outside.contains_key(what),
        // Both sides read the same one, and a runtime reads it for its own purposes.
        (Outside::Clock | Outside::MachineState, _) => false,
        (Outside::Random, Stage::Case(empty)) => times > empty.outside.get(what).copied().unwrap_or_default(),
        (Outside::Random | Outside::Timer | Outside::Sys(_) | Outside::Proc(_), Stage::Loading | Stage::Untold) => {
            false
        }
        _ => true,
    }
}

/// Whether a file of the kernel's says how large the machine, or the process's share of it, is: the same for both sides. Runtimes ask for it when they
/// start: Go for its control group and the size of large pages, the C library for the stack's place.
fn is_of_machine(path: &Path) -> bool {
    const FILES: [&str; 5] =
        ["/proc/self/cgroup", "/proc/self/maps", "/proc/self/mountinfo", "/proc/cpuinfo", "/proc/meminfo"];
    const FOLDERS: [&str; 3] = ["/sys/fs/cgroup", "/sys/devices/system", "/sys/kernel/mm/transparent_hugepage"];
    FILES.iter().any(|file| path == Path::new(file)) || FOLDERS.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use tare_reach::Touched;

    use super::built_with;

    #[test]
    fn what_a_build_script_left_is_told_from_the_program_and_its_folders() {
        let program = Path::new("/c/rust/target-1/tare-programs/sums-02");
        let of = |path: &str| {
            let looked_up = ["/c/rust/target-1", "/c/rust/target-1/tare-programs", "/etc/hosts", path];
            let looked_up = looked_up.map(PathBuf::from).into();
            built_with(&Touched { read: [program.to_owned()].into(), looked_up, ..Touched::default() }, program)
        };
        assert_eq!(of("/c/rust/target-2/release/x"), None);
        let left = "/c/rust/target-1/release/build/mine-03/out/data";
        assert_eq!(of(left).as_deref(), Some(Path::new(left)));
    }
}
