//! Whether a file is the program that runs: the benchmarks are in it, and it is the only file that can be loaded.

use super::fault::Fault;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) fn check(file: &str) -> Result<(), Fault> {
    let path = Path::new(file);
    // A path with a byte of 0 names no file; the system's calls refuse it.
    if is_named_as_own(path) {
        return Ok(());
    }
    let Some(asked) = identity(path) else {
        return Err(Fault::new("load", "The file doesn't exist.")
            .with_remedy("Check the path and its permissions.")
            .placed(file, 0));
    };
    let own = own_path().and_then(|path| identity(&path)).or_else(|| identity(Path::new("/proc/self/exe")));
    let original = env::var_os("TARE_COPY_OF").and_then(|path| identity(Path::new(&path)));
    if own.is_none() || own == Some(asked) || original == Some(asked) {
        return Ok(());
    }
    let fault = Fault::new("load", "The file isn't the program that was started.");
    Err(fault.with_remedy("Rust benchmarks are compiled: name the program that holds them.").placed(file, 0))
}

fn own_path() -> Option<PathBuf> {
    fs::read_link("/proc/self/exe").ok().or_else(|| env::current_exe().ok())
}

/// Whether the paths themselves say so. No file is looked at then: a process that looks at its own program depends on it, and the worker's own question would hide who else does.
fn is_named_as_own(path: &Path) -> bool {
    let Some(own) = own_path() else { return false };
    path == own
        || env::var_os("TARE_COPY_OF").is_some_and(|original| Path::new(&original) == path)
        || path.canonicalize().is_ok_and(|real| real == own)
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
