//! What makes a worker of a runtime and a source: one driver a language.

mod clocks;
mod cpp;
mod go;
mod php;
mod python;

use std::path::Path;

pub use clocks::ready_for_clocks;
use tare_samples::{Failure, FailureKind, RuntimeCommand};

/// A source on a runtime, ready to be launched as often as wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ready {
    /// What a launch starts.
    pub start: RuntimeCommand,
    /// What it loads. None where the toolchain leaves the source out: then there is nothing to launch, and a notice says why.
    pub files: Vec<String>,
    /// What the user should know.
    pub notices: Vec<String>,
}

/// A benchmark that can't be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub benchmark: String,
    /// Where it stands.
    pub file: String,
    /// The line in that file.
    pub line: u64,
}

impl Ready {
    /// Why nothing is listed, where a package's `TestMain` has ended its process as one that has nothing to do: no failure, as under
    /// `go test`.
    pub fn opted_out(&self, failure: &Failure) -> Option<String> {
        match self.start.driver.as_str() {
            "go" => go::opted_out(&self.files, failure),
            _ => None,
        }
    }

    /// Workers launched from now on don't run these benchmarks to list them. Only Go runs any.
    pub fn list_without(&mut self, benchmarks: &[String]) {
        if self.start.driver == "go" && !benchmarks.is_empty() {
            go::list_without(&mut self.start, benchmarks);
        }
    }

    /// The benchmark at which the last worker ended or hung while it listed its cases. Workers launched from now on leave it out, so
    /// that the others can be measured. `None` where the worker left no trace of it.
    pub fn leave_out(&mut self) -> Option<LeftOut> {
        match self.start.driver.as_str() {
            "go" => go::leave_out(&mut self.start, &self.files),
            _ => None,
        }
    }
}

/// Makes `source` (absolute; a file, or the folder of a Go package) ready on `runtime`: unpacks the worker, builds. `tell` takes what
/// is done meanwhile, a line each, for somebody who waits.
///
/// # Errors
/// A [`Failure`] with the place where there is one: what doesn't compile, a toolchain that isn't there, a cache that can't be
/// written.
pub fn ready(runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
    match runtime.driver.as_str() {
        "cpp" => cpp::ready(runtime, source, tell),
        "go" => go::ready(runtime, source, tell),
        "php" => php::ready(runtime, source),
        "python" => python::ready(runtime, source, tell),
        "worker" => Ok(Ready { start: runtime.clone(), files: vec![text(source)], notices: Vec::new() }),
        other => Err(Failure::new(
            FailureKind::Runtime,
            format!("there is no driver for the language `{other}`"),
            "languages are php, go, cpp and python, and worker for a command that speaks the wire itself",
        )),
    }
}

/// A path as text, for the wire.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A worker that can't be unpacked.
fn not_unpacked(error: &crate::EmbeddedError) -> Failure {
    Failure::new(FailureKind::Runtime, error.to_string(), "set XDG_CACHE_HOME to a folder that can be written")
}
