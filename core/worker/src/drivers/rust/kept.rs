//! Programs that were built, each under a name of its content: a measurement under way keeps its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache::{LARGEST_PROGRAM, fingerprint};
use crate::embedded::content_key;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The place of a program in `folder`, where a copy of it lies now.
pub(super) fn keep(program: &Path, name: &str, folder: &Path) -> io::Result<PathBuf> {
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
    // Opened to read: a program that runs can't be opened to write.
    let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
    clean(folder, &path);
    Ok(path)
}

/// Removes what no measurement of the last day has used.
fn clean(folder: &Path, own: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|about| about.modified());
        let is_old = modified.is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > DAY));
        let path = entry.path();
        if is_old && path != own {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
    }
}
