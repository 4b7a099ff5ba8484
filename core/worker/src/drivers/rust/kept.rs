//! Programs that were built, each under a name of its content: a measurement under way keeps its own. Beside it lies what it was linked of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache::{LARGEST_PROGRAM, fingerprint};
use crate::embedded::content_key;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Behind the name of a program: the folder with the record of how it was linked.
const RECORD: &str = "tare-link";

/// The folder with the record of what `program` was linked of, if there is one.
pub(super) fn record_of(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".");
    name.push(RECORD);
    name.into()
}

/// Within a target folder: where its programs are kept.
const PROGRAMS: &str = "tare-programs";

/// The target folder in which a kept program was built.
pub(super) fn target_of(program: &Path) -> Option<&Path> {
    let programs = program.parent()?;
    programs.ends_with(PROGRAMS).then(|| programs.parent())?
}

/// The place of a program of the target folder `target`, where a copy of it lies now.
pub(super) fn keep(program: &Path, name: &str, target: &Path) -> io::Result<PathBuf> {
    let folder = &target.join(PROGRAMS);
    tare_files::make_private(folder)?;
    let content = tare_files::read(program, LARGEST_PROGRAM)?;
    let path = folder.join(format!("{name}-{:016x}", content_key([content.as_slice()].into_iter())));
    let is_there = || {
        tare_files::read(&path, content.len() as u64).is_ok_and(|found| fingerprint(&found) == fingerprint(&content))
    };
    if !is_there() {
        let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(folder)?;
        let copy = fresh.path().join(name);
        fs::copy(program, &copy)?;
        fs::rename(&copy, &path)?;
    }
    keep_record(&record_of(program), &record_of(&path), folder)?;
    // Opened to read: a program that runs can't be opened to write.
    let _ = fs::File::open(record_of(&path)).and_then(|folder| folder.set_modified(SystemTime::now()));
    let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
    clean(folder, &path);
    Ok(path)
}

/// Copies the record by hard links; nobody writes into these files.
fn keep_record(from: &Path, to: &Path, folder: &Path) -> io::Result<()> {
    if to.is_dir() || !from.is_dir() {
        return Ok(());
    }
    let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(folder)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let goal = fresh.path().join(entry.file_name());
        fs::hard_link(entry.path(), &goal).or_else(|_| fs::copy(entry.path(), &goal).map(|_| ()))?;
    }
    // Where another process has put it there meanwhile, that one stays.
    match fs::rename(fresh.path(), to) {
        Err(_) if to.is_dir() => Ok(()),
        renamed => renamed,
    }
}

/// Removes what no measurement of the last day has used.
fn clean(folder: &Path, own: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|about| about.modified());
        let is_old = modified.is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > DAY));
        let path = entry.path();
        if is_old && path != own && path != record_of(own) {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
}
