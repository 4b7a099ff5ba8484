//! Whether the user's own packages are what was built of them.
//!
//! Cargo compares times: an edited file with an older time, as `mv` or an archive leaves it, would be taken for what was built.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::graph::Dependencies;
use crate::cache::{LARGEST_PROGRAM, fingerprint};

/// What was built in a folder, by content.
const STATE: &str = "tare-sources";

/// Where the files of own packages aren't those of the last build in `folder`, makes Cargo compile these packages anew.
pub(super) fn forget_what_changed(folder: &Path, needs: &Dependencies) -> io::Result<()> {
    let mut hash = Sha256::new();
    for own in &needs.folders {
        add(own, &mut hash)?;
    }
    let state = fingerprint(&hash.finalize());
    let path = folder.join(STATE);
    if fs::read_to_string(&path).is_ok_and(|known| known == state) {
        return Ok(());
    }
    for profile in fs::read_dir(folder)?.flatten() {
        for unit in fs::read_dir(profile.path().join(".fingerprint")).into_iter().flatten().flatten() {
            let name = unit.file_name().to_string_lossy().into_owned();
            if name.rsplit_once('-').is_some_and(|(package, _)| needs.own.contains(package)) {
                fs::remove_dir_all(unit.path())?;
            }
        }
    }
    fs::write(path, state)
}

/// Names and contents, without hidden files and without what Cargo builds.
fn add(folder: &Path, hash: &mut Sha256) -> io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        if name.starts_with(b".") || name == b"target" {
            continue;
        }
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(b"\0");
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            add(&path, hash)?;
        } else if let Ok(content) = tare_files::read(&path, LARGEST_PROGRAM) {
            hash.update(content);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::forget_what_changed;
    use crate::drivers::rust::graph::Dependencies;

    #[test]
    fn an_edit_with_an_older_time_is_compiled() {
        let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let source = own.path().join("lib.rs");
        fs::write(&source, "one").unwrap();
        let needs = Dependencies {
            needless: String::new(),
            own: BTreeSet::from(["mine".to_owned()]),
            folders: BTreeSet::from([own.path().to_owned()]),
        };
        let built = |name: &str| folder.path().join("release/.fingerprint").join(name);
        let build = || ["mine-11", "other-22"].map(|name| fs::create_dir_all(built(name)).unwrap());
        let are_there = || ["mine-11", "other-22"].map(|name| built(name).exists());
        build();
        forget_what_changed(folder.path(), &needs).unwrap();
        assert_eq!(are_there(), [false, true]);
        build();
        forget_what_changed(folder.path(), &needs).unwrap();
        assert_eq!(are_there(), [true, true]);
        fs::write(&source, "two").unwrap();
        let old = SystemTime::now() - Duration::from_secs(86_400);
        fs::File::open(&source).unwrap().set_modified(old).unwrap();
        forget_what_changed(folder.path(), &needs).unwrap();
        assert_eq!(are_there(), [false, true]);
    }
}
