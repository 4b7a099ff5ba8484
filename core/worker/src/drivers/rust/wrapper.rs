//! The wrapper of rustc, compiled once by the compiler that it wraps.

use std::fs;
use std::path::{Path, PathBuf};

use tare_samples::{Failure, FailureKind};

use super::super::not_unpacked;
use super::invocation::Invocation;
use crate::building;
use crate::cache::{LARGEST_PROGRAM, cache_folder, fingerprint, remedy};
use crate::embedded::content_key;

/// The program that Cargo calls in the place of rustc. `sdk`: the folder of Tare's sources; `folder`: where Cargo is called, which may say which compiler is used.
///
/// # Errors
/// A compiler that can't be started or doesn't compile it, a cache that can't be written.
pub(super) fn wrapper(invocation: &Invocation, sdk: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let source = sdk.join("wrapper/main.rs");
    let unwritten = |path: &Path, error: &std::io::Error| {
        let message = format!("the wrapper of rustc can't be written to {}: {error}", path.display());
        Failure::new(FailureKind::Runtime, message, remedy(error))
    };
    let parts = ["main.rs", "link.rs", "alike.rs", "libtest.rs"].map(|name| {
        let path = sdk.join("wrapper").join(name);
        fs::read(&path).map_err(|error| unwritten(&path, &error))
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    let cache = cache_folder().map_err(|error| not_unpacked(&error))?.join("rust");
    tare_files::make_private(&cache).map_err(|error| unwritten(&cache, &error))?;
    let path = cache.join(format!("wrapper-{:016x}", content_key(parts.iter().map(Vec::as_slice))));
    if is_as_built(&path) {
        return Ok(path);
    }
    let fresh =
        tempfile::Builder::new().prefix("building-").tempdir_in(&cache).map_err(|error| unwritten(&cache, &error))?;
    let made = fresh.path().join("wrapper");
    let (mut command, rustc) = invocation.own_compiler(folder);
    command.args(["--edition=2021", "-Copt-level=2", "--crate-name=tare_wrapper", "-o"]).arg(&made).arg(&source);
    let output = building::output(&mut command).map_err(|error| {
        let message = format!("the compiler `{rustc}` can't be started: {error}");
        Failure::new(FailureKind::Runtime, message, "install Rust's compiler, or name it with RUSTC")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let first = said.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it doesn't say why");
        let message = format!("the compiler `{rustc}` can't make Tare's wrapper of rustc: {first}");
        let remedy = match () {
            () if said.contains("No space left") || said.contains("File too large") => {
                "free some space, or set XDG_CACHE_HOME to a folder on a disk that has some (`df` shows which are full)"
            }
            () if said.contains("linker `") => "install a C compiler, whose linker Rust's compiler uses",
            () => "use Rust 1.63 or newer",
        };
        let failure = Failure::new(FailureKind::Runtime, message, remedy);
        return Err(Failure { stderr: said, ..failure });
    }
    let content = fs::read(&made).map_err(|error| unwritten(&made, &error))?;
    fs::write(sum_of(&path), fingerprint(&content)).map_err(|error| unwritten(&path, &error))?;
    fs::rename(&made, &path).map_err(|error| unwritten(&path, &error))?;
    Ok(path)
}

/// What was built has its fingerprint beside it.
fn is_as_built(path: &Path) -> bool {
    let known = fs::read_to_string(sum_of(path)).ok();
    known.is_some_and(|known| tare_files::read(path, LARGEST_PROGRAM).is_ok_and(|found| fingerprint(&found) == known))
}

fn sum_of(path: &Path) -> PathBuf {
    path.with_extension("sum")
}
