//! Go: the package's test binary is built by the user's toolchain, with an overlay that makes package `testing` of it a worker.
//!
//! Nothing is added to the module. The binary is kept with a list of all that went into it, so that an unchanged
//! package is found to be so by looking at its files alone: the go command takes a tenth of a second to say anything.

mod build;
mod embed;
mod invocation;
mod links;
mod manifest;
mod objects;
mod operations;
mod overlay;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use tare_samples::{Failure, FailureKind, RuntimeCommand};

use self::build::Built;
use self::invocation::Invocation;
use self::manifest::Manifest;
use super::{Driver, LeftOut, Objects, Ready, clocks, not_unpacked, text};
use crate::cache::cache_folder;

/// Go.
pub(super) struct Go;

impl Driver for Go {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, source, tell)
    }

    fn ready_for_clocks(&self, runtime: &RuntimeCommand, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, &clocks::go_package()?, tell)
    }

    fn objects(
        &self,
        runtime: &RuntimeCommand,
        source: &Path,
        arguments: &[&str],
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Objects>, Failure> {
        let invocation = Invocation::of(runtime)?;
        let folder = build_folder(&cache_folder().map_err(|error| not_unpacked(&error))?, &invocation, source);
        objects::listed(&invocation, source, &folder, arguments, stop).map(Some)
    }

    fn links(
        &self,
        runtime: &RuntimeCommand,
        source: &Path,
        count: u32,
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Option<Result<Vec<String>, String>> {
        let linked = || {
            let invocation = Invocation::of(runtime).map_err(|failure| failure.message)?;
            let cache = cache_folder().map_err(|error| error.to_string())?;
            links::linked(&invocation, source, &build_folder(&cache, &invocation, source), count, enough)
        };
        Some(linked())
    }

    fn source_to_judge(&self, _: &RuntimeCommand) -> Result<PathBuf, Failure> {
        crate::embedded::unpack_go_probe().map_err(|error| not_unpacked(&error))
    }

    fn opted_out(&self, files: &[String], failure: &Failure) -> Option<String> {
        opted_out(files, failure)
    }

    fn list_without(&self, start: &mut RuntimeCommand, benchmarks: &[String]) {
        list_without(start, benchmarks);
    }

    fn leave_out(&self, ready: &mut Ready) -> Option<LeftOut> {
        leave_out(&mut ready.start, &ready.files)
    }
}

/// Builds the package in the folder `source`, unless the cache has it.
///
/// # Errors
/// A [`Failure`] of kind `syntax` or `load` with the compiler's place and message, of kind `runtime` where the toolchain is missing
/// or isn't known.
fn ready(runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
    let invocation = Invocation::of(runtime)?;
    let folder = build_folder(&cache_folder().map_err(|error| not_unpacked(&error))?, &invocation, source);
    let identity = invocation.identity(source);
    let built = match Manifest::read(&folder).filter(|kept| kept.holds(&identity)) {
        Some(kept) => kept,
        None => match build::build(&invocation, source, &folder, identity, tell)? {
            Built::Binary(built) => built,
            Built::LeftOut(why) => {
                return Ok(Ready { start: runtime.clone(), files: Vec::new(), notices: vec![why] });
            }
        },
    };
    manifest::keep(&folder, &built.binary);

    let mut start = runtime.clone();
    start.command = vec![text(&folder.join(&built.binary)), "-test.timeout=0".to_owned()];
    // As `go test` does: a benchmark reads its testdata from there.
    start.folder = Some(source.to_owned());
    start.environment.extend(invocation.environment.iter().cloned());
    start.environment.push(("TARE_WORKER".to_owned(), "1".to_owned()));
    start.environment.push(("PWD".to_owned(), text(source)));
    start.environment.push(("PATH".to_owned(), path_with(&built.goroot, &start)));
    Ok(Ready {
        start,
        files: vec![text(source), text(&cases_file(&folder))],
        notices: built.warning.into_iter().collect(),
    })
}

/// One folder for each package, toolchain and set of build settings. Another `GOGC` is the same binary.
fn build_folder(cache: &Path, invocation: &Invocation, source: &Path) -> PathBuf {
    let key = crate::embedded::content_key([invocation.identity(source).as_bytes()].into_iter());
    cache.join("go").join(format!("build-{key:016x}"))
}

/// Where the first process of this measurement leaves the names it found for the others.
fn cases_file(folder: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    folder.join(format!("{}{}-{moment}-{number}", manifest::CASES, process::id()))
}

/// Reads which benchmark a worker was listing when it ended, and adds it to those that the next ones leave out.
fn leave_out(start: &mut RuntimeCommand, files: &[String]) -> Option<LeftOut> {
    let trace = format!("{}.at", files.get(1)?);
    let said = tare_files::text(trace.as_ref(), 1 << 20).ok()?;
    // One that is left from now would be taken for that of a later process.
    let _ = fs::remove_file(&trace);
    let mut lines = said.lines();
    let (benchmark, file) = (lines.next()?.to_owned(), lines.next()?.to_owned());
    let line = lines.next()?.parse().ok()?;
    let known = start.environment.iter().find(|(name, _)| name == LEAVE_OUT);
    if known.is_some_and(|(_, names)| names.lines().any(|name| name == benchmark)) {
        return None;
    }
    list_without(start, std::slice::from_ref(&benchmark));
    Some(LeftOut { benchmark, file, line })
}

/// Adds to the benchmarks that workers don't run to list them.
fn list_without(start: &mut RuntimeCommand, benchmarks: &[String]) {
    let benchmarks = benchmarks.join("\n");
    match start.environment.iter_mut().find(|(name, _)| name == LEAVE_OUT) {
        Some((_, names)) => names.extend(["\n", benchmarks.as_str()]),
        None => start.environment.push((LEAVE_OUT.to_owned(), benchmarks)),
    }
}

/// Whether the process ended with status 0 before any benchmark was listed: `TestMain` does so where there is nothing to do.
fn opted_out(files: &[String], failure: &Failure) -> Option<String> {
    let listing = files.get(1).is_some_and(|cases| Path::new(&format!("{cases}.at")).exists());
    let is_out = failure.kind == FailureKind::Exit && failure.exit_status == Some(0) && !listing;
    is_out.then(|| {
        let package = files.first().map_or("", String::as_str);
        format!("{package} is left out: its TestMain ended with status 0 before any benchmark ran")
    })
}

/// Names of benchmarks, a line each.
const LEAVE_OUT: &str = "TARE_LEAVE_OUT";

/// Benchmarks that call the go command get the one that built them, as under `go test`.
fn path_with(goroot: &str, start: &RuntimeCommand) -> String {
    let own = start.environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = own.or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
    if goroot.is_empty() { path } else { format!("{goroot}/bin:{path}") }
}
