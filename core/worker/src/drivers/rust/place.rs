//! Where a workspace is built.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::builds::{self, USED, last_used};
use crate::cache::cache_folder;
use crate::embedded::content_key;

/// Endings of what the compiler makes of packages.
const COMPILED: [&str; 3] = ["rlib", "rmeta", "so"];

/// The folder that Cargo builds the workspace of `root` in. `parts`: what makes all that is built another: Tare's sources, and which crates are left empty.
///
/// One for each place of a workspace: Cargo tells what is fresh by the times of files, in paths from the root, so two checkouts in one folder would be taken for each
/// other. What packages of a registry were compiled to is the same everywhere: [`seed`] takes it over.
pub(super) fn target_folder(root: &Path, parts: &[&[u8]], own: Option<&str>) -> io::Result<PathBuf> {
    let above = match own {
        Some(folder) => root.join(folder).join("tare"),
        None => cache_folder().map_err(|error| error.source)?.join("rust"),
    };
    tare_files::make_private(&above)?;
    let parts = content_key(parts.iter().copied());
    let folder = above
        .join(format!("target-{parts:016x}-{:016x}", content_key([root.as_os_str().as_encoded_bytes()].into_iter())));
    builds::hold(&folder)?;
    Ok(folder)
}

/// Where nothing was built in `folder` yet, gives it what was built of packages that aren't `own` in a folder of the same parts, what was compiled as hard links: the other side of a comparison needs the same.
pub(super) fn seed(folder: &Path, own: &BTreeSet<String>) -> io::Result<()> {
    let is_target = |path: &Path| path.join(USED).is_file() && profiles(path).next().is_some();
    if profiles(folder).next().is_some() {
        return Ok(());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let alike = name.rsplit_once('-').map_or(name.as_str(), |(parts, _)| parts);
    let entries = folder.parent().map(fs::read_dir).transpose()?.into_iter().flatten().flatten();
    let others = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(alike));
    let newest = others
        .map(|entry| entry.path())
        .filter(|path| path != folder && is_target(path))
        .max_by_key(|path| last_used(path));
    let Some(newest) = newest else { return Ok(()) };
    profiles(&newest)
        .try_for_each(|profile| take_over(&profile, &folder.join(profile.file_name().unwrap_or_default()), own))
}

/// What is in a folder of a profile, `release`; nothing while Cargo builds in it.
fn take_over(from: &Path, to: &Path, own: &BTreeSet<String>) -> io::Result<()> {
    let Ok(lock) = fs::File::open(from.join(".cargo-lock")) else { return Ok(()) };
    if rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockShared).is_err() {
        return Ok(());
    }
    let mut hashes = BTreeSet::new();
    for kind in [".fingerprint", "build"] {
        for entry in fs::read_dir(from.join(kind)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((package, hash)) = name.rsplit_once('-') else { continue };
            if !own.contains(package) {
                hashes.insert(hash.to_owned());
                copy_all(&entry.path(), &to.join(kind).join(&name))?;
            }
        }
    }
    for entry in fs::read_dir(from.join("deps")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let hash = name.rsplit_once('-').map(|(_, rest)| rest.split('.').next().unwrap_or(rest));
        if hash.is_some_and(|hash| hashes.contains(hash)) {
            fs::create_dir_all(to.join("deps"))?;
            let goal = to.join("deps").join(&name);
            // The compiler puts these in the place of older ones; Cargo writes into all others where they are.
            match name.rsplit_once('.').is_some_and(|(_, ending)| COMPILED.contains(&ending)) {
                true => fs::hard_link(entry.path(), goal)?,
                false => copy(&entry.path(), &goal)?,
            }
        }
    }
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy_all(&entry.path(), &to.join(entry.file_name()))?,
            false => copy(&entry.path(), &to.join(entry.file_name()))?,
        }
    }
    Ok(())
}

/// With its time, by which Cargo tells what is fresh.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    // Opened to read: a program that runs can't be opened to write.
    fs::File::open(to)?.set_modified(modified)
}

/// Folders in which Cargo has built with a profile.
fn profiles(target: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(target).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.join(".fingerprint").is_dir())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::seed;
    use crate::builds::USED;

    #[test]
    fn what_registries_gave_is_taken_over_and_what_has_a_place_of_its_own_is_not() {
        let above = tempfile::tempdir().unwrap();
        let [built, fresh, other] = ["target-0a-1", "target-0a-2", "target-0b-3"].map(|name| above.path().join(name));
        let write = |path: &Path| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for folder in [&built, &fresh, &other] {
            write(&folder.join(USED));
        }
        for name in [
            ".cargo-lock",
            ".fingerprint/serde-11/lib-serde",
            ".fingerprint/mine-22/lib-mine",
            "build/serde-33/out/a.rs",
            "deps/libserde-11.rlib",
            "deps/libmine-22.rlib",
            "deps/mine-22.d",
            "incremental/mine-44/x",
        ] {
            write(&built.join("release").join(name));
        }
        seed(&fresh, &BTreeSet::from(["mine".to_owned()])).unwrap();
        let is_there = |name: &str| fresh.join("release").join(name).exists();
        for name in [".fingerprint/serde-11/lib-serde", "build/serde-33/out/a.rs", "deps/libserde-11.rlib"] {
            assert!(is_there(name), "{name}");
        }
        for name in [".fingerprint/mine-22", "deps/libmine-22.rlib", "deps/mine-22.d", "incremental"] {
            assert!(!is_there(name), "{name}");
        }
        seed(&other, &BTreeSet::new()).unwrap();
        assert!(!other.join("release").exists(), "other sources of ours");
    }
}
