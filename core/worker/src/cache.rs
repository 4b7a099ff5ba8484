//! Where what is executed is kept between runs: a folder that nobody else can write to, looked at each time before anything in it is
//! executed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha2::{Digest, Sha256};

/// The embedded worker can't be put where the runtime finds it.
#[derive(Debug, thiserror::Error)]
#[error("the worker can't be unpacked to {path}: {source}; {}", remedy(source))]
pub struct EmbeddedError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

/// What to do where the cache can't be written.
pub(crate) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space there, or set XDG_CACHE_HOME to a folder on a disk that has some"
        }
        _ => "set XDG_CACHE_HOME to a folder that you alone can write to",
    }
}

/// The folder, which is there and private: made where it is missing, refused where another user could have put something in it.
pub fn cache_folder() -> Result<PathBuf, EmbeddedError> {
    let CacheFolder { above, folder } = place(&|name| std::env::var_os(name).map(PathBuf::from), &std::env::temp_dir());
    let failed = |source| EmbeddedError { path: folder.clone(), source };
    if !above.is_dir() {
        let what = format!("{} doesn't exist, and Tare doesn't create it", above.display());
        return Err(failed(io::Error::new(io::ErrorKind::NotFound, what)));
    }
    tare_files::make_private(&folder).map_err(failed)?;
    Ok(folder)
}

/// The cache's folder, and the folder above it that has to be there.
#[derive(Debug, PartialEq)]
struct CacheFolder {
    /// Has to be there: nobody's home, and no folder for temporary files, is made here.
    above: PathBuf,
    folder: PathBuf,
}

/// `XDG_CACHE_HOME` names a folder that is made where it is missing, as its specification asks. The home folder of a system's user may be one
/// that isn't there (`/nonexistent`), and to root it would be made like any other: then it is as if there was none.
fn place(variable: &dyn Fn(&str) -> Option<PathBuf>, temporary: &Path) -> CacheFolder {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if let Some(cache) = absolute("XDG_CACHE_HOME") {
        return CacheFolder { above: PathBuf::from("/"), folder: cache.join("tare") };
    }
    if let Some(home) = absolute("HOME").filter(|home| home.is_dir()) {
        return CacheFolder { folder: home.join(".cache/tare"), above: home };
    }
    let name = format!("tare-cache-{}", rustix::process::getuid().as_raw());
    CacheFolder { above: temporary.to_owned(), folder: temporary.join(name) }
}

/// The home folder that the environment names, where there is none.
pub(crate) fn missing_home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| !home.as_os_str().is_empty() && !home.is_dir())
}

/// What to tell of a home folder that isn't there, once in a process.
pub(crate) fn tell_of_missing_home(tell: &mut dyn FnMut(&str)) {
    static TOLD: Once = Once::new();
    let Some(home) = missing_home().filter(|_| std::env::var_os("XDG_CACHE_HOME").is_none()) else { return };
    TOLD.call_once(|| {
        tell(&format!(
            "HOME is {}, which doesn't exist, so Tare keeps workers and builds in {}; set XDG_CACHE_HOME for another folder",
            home.display(),
            std::env::temp_dir().display()
        ));
    });
}

/// The folder `name` of the cache with these files and no others.
pub(crate) fn in_cache<D: AsRef<[u8]>>(name: &str, contents: &[(&str, D)]) -> Result<PathBuf, EmbeddedError> {
    let folder = cache_folder()?.join(name);
    if !is_unpacked(&folder, contents) {
        unpack(&folder, contents).map_err(|source| EmbeddedError { path: folder.clone(), source })?;
    }
    Ok(folder)
}

/// Compares contents, not only names: a cache that somebody edited would measure something else. Nothing else may lie there: an
/// interpreter would prefer a compiled file, or a module of the name of one of its own.
fn is_unpacked<D: AsRef<[u8]>>(folder: &Path, contents: &[(&str, D)]) -> bool {
    let mut found = BTreeSet::new();
    let whole = tare_files::is_private(folder) && list(folder, folder, &mut found).is_ok();
    let wanted: BTreeSet<PathBuf> = contents.iter().map(|(name, _)| PathBuf::from(name)).collect();
    whole
        && found == wanted
        && contents.iter().all(|(name, data)| {
            let data = data.as_ref();
            tare_files::read(&folder.join(name), data.len() as u64).is_ok_and(|found| found == data)
        })
}

/// The files below a folder, relative to `base`. A link is none of ours.
fn list(base: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            list(base, &path, found)?;
        } else if kind.is_file() {
            found.insert(path.strip_prefix(base).map_err(io::Error::other)?.to_owned());
        } else {
            return Err(io::Error::other("neither a file nor a folder"));
        }
    }
    Ok(())
}

/// Writes beside the goal and renames, so that a process that looks meanwhile sees all or nothing.
fn unpack<D: AsRef<[u8]>>(folder: &Path, contents: &[(&str, D)]) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let fresh = tempfile::Builder::new().prefix("unpacking-").tempdir_in(parent)?;
    forget_unfinished(parent);
    for (name, data) in contents {
        let path = fresh.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, data)?;
    }
    // Who finds a folder already, has to look at it before anything is removed: another tare may have finished it this moment, and
    // have started an interpreter in it.
    let mut failed = None;
    for _ in 0..ATTEMPTS {
        match fs::rename(fresh.path(), folder) {
            Ok(()) => return Ok(()),
            Err(_) if is_unpacked(folder, contents) => return Ok(()),
            Err(error) => failed = Some(error),
        }
        // Exchanged, so that there is a whole folder at every moment; the old one is removed in the place of the fresh one. Where the
        // file system can't exchange, or the folder has gone meanwhile, the way is cleared for the next attempt.
        if renameat_with(CWD, fresh.path(), CWD, folder, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
        let _ = fs::remove_dir_all(folder);
    }
    failed.map_or(Ok(()), Err)
}

/// More than one only where several processes replace the same folder.
const ATTEMPTS: usize = 16;

/// What a process left that was killed while it unpacked. None takes an hour.
fn forget_unfinished(parent: &Path) {
    const HOUR: std::time::Duration = std::time::Duration::from_secs(60 * 60);
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|about| about.modified());
        let old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > HOUR));
        if old && entry.file_name().as_encoded_bytes().starts_with(b"unpacking-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// What a file holds, as 64 hexadecimal digits: by it what is executed is known to be what was built.
pub(crate) fn fingerprint(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Programs are smaller.
pub(crate) const LARGEST_PROGRAM: u64 = 2 << 30;

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{CacheFolder, fingerprint, is_unpacked, place, unpack};

    /// From FIPS 180-2, appendix B.1.
    #[test]
    fn a_fingerprint_is_sha_256() {
        assert_eq!(fingerprint(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_home_that_is_not_there_is_as_none() {
        let base = tempfile::tempdir().unwrap();
        let at = |cache: &str, home: &str| {
            let variable = |name: &str| {
                let value = if name == "HOME" { home } else { cache };
                Some(PathBuf::from(value)).filter(|_| !value.is_empty())
            };
            let CacheFolder { above, folder } = place(&variable, Path::new("/tmp"));
            assert!(folder.starts_with(&above), "{above:?} {folder:?}");
            (above, folder)
        };
        let home = base.path().to_str().unwrap();
        let temporary = at("", "").1;
        assert!(temporary.starts_with("/tmp/"));
        assert_eq!(at("", home), (base.path().to_owned(), base.path().join(".cache/tare")));
        assert_eq!(at("", &format!("{home}/none")).1, temporary);
        assert_eq!(at("", "relative").1, temporary);
        assert_eq!(at("/var/cache/x", home).1, Path::new("/var/cache/x/tare"));
        assert_eq!(at("relative", home).1, base.path().join(".cache/tare"));
    }

    #[test]
    fn what_does_not_belong_there_is_not_left_there() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("sdk");
        let contents = [("worker.py", "import json"), ("src/a.py", "1")];
        let spoil: [fn(&Path); 5] = [
            // Python would run these in the place of the sources and of its own module.
            |folder| {
                std::fs::create_dir(folder.join("src/__pycache__")).unwrap();
                std::fs::write(folder.join("src/__pycache__/a.cpython-311.pyc"), "forged").unwrap();
            },
            |folder| std::fs::write(folder.join("json.py"), "forged").unwrap(),
            |folder| {
                std::fs::rename(folder.join("src/a.py"), folder.join("../a.py")).unwrap();
                std::os::unix::fs::symlink("../../a.py", folder.join("src/a.py")).unwrap();
            },
            |folder| {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
            },
            |folder| std::fs::remove_file(folder.join("worker.py")).unwrap(),
        ];
        for (number, spoil) in spoil.iter().enumerate() {
            unpack(&folder, &contents).unwrap();
            assert!(is_unpacked(&folder, &contents), "{number}");
            spoil(&folder);
            assert!(!is_unpacked(&folder, &contents), "{number}");
        }
        unpack(&folder, &contents).unwrap();
        assert!(is_unpacked(&folder, &contents));
    }

    #[test]
    fn an_edited_cache_is_replaced() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("sdk");
        let contents = [("worker.php", "<?php 1;"), ("src/A.php", "<?php 2;")];
        unpack(&folder, &contents).unwrap();
        assert!(is_unpacked(&folder, &contents));
        std::fs::write(folder.join("src/A.php"), "<?php 3;").unwrap();
        assert!(!is_unpacked(&folder, &contents));
        unpack(&folder, &contents).unwrap();
        assert!(is_unpacked(&folder, &contents));
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn many_that_unpack_at_once_all_find_it() {
        let base = tempfile::tempdir().unwrap();
        let contents = [("worker.php", "<?php 1;"), ("src/A.php", "<?php 2;"), ("src/B.php", "<?php 3;")];
        for round in 0..100 {
            let folder = base.path().join(format!("sdk-{round}"));
            // Half of the rounds replace what somebody edited.
            if round % 2 == 1 {
                unpack(&folder, &contents).unwrap();
                std::fs::write(folder.join("src/A.php"), "<?php 4;").unwrap();
            }
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        unpack(&folder, &contents).unwrap();
                        assert!(is_unpacked(&folder, &contents), "nobody removes what another has finished");
                    });
                }
            });
        }
        assert_eq!(std::fs::read_dir(base.path()).unwrap().count(), 100, "nothing is left beside them");
    }
}
