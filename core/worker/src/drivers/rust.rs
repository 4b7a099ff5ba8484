//! Rust: a program of benchmarks is built by the user's Cargo, with Tare's own sources in the place of the framework that it is written for.
//!
//! Nothing is added to the package: Cargo calls a wrapper of rustc, which exchanges the sources of the framework's crate when that is compiled, and builds in a folder of Tare's.

mod asked;
mod build;
mod content;
mod graph;
mod harness;
mod invocation;
mod kept;
mod links;
mod lock;
mod modules;
mod place;
mod settings;
mod surroundings;
mod target;
mod wrapper;

use std::path::{Path, PathBuf};

use tare_samples::{Failure, FailureKind, RuntimeCommand};

pub(crate) use self::asked::Asked;
use self::build::Built;
use self::invocation::Invocation;
use self::surroundings::Surroundings;
use super::{Beside, Driver, Ready, text};

/// Rust.
pub(super) struct Rust;

impl Driver for Rust {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, source, &mut Asked::default(), tell)
    }

    fn ready_beside(
        &self,
        runtime: &RuntimeCommand,
        source: &Path,
        beside: &mut Beside,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Ready, Failure> {
        ready(runtime, source, &mut beside.rust, tell)
    }

    /// `program`: what [`Ready::files`] says.
    fn links(
        &self,
        _runtime: &RuntimeCommand,
        program: &Path,
        count: u32,
        enough: &(dyn Fn() -> bool + Sync),
    ) -> Option<Result<Vec<String>, String>> {
        Some(links::linked(program, count, enough))
    }
}

/// Builds the target whose root is `source`; Cargo knows what of it is there already.
///
/// # Errors
/// A [`Failure`] of kind `load` with the compiler's place and message, of kind `runtime` where the toolchain is missing.
fn ready(
    runtime: &RuntimeCommand,
    source: &Path,
    asked: &mut Asked,
    tell: &mut dyn FnMut(&str),
) -> Result<Ready, Failure> {
    let invocation = Invocation::of(runtime)?;
    let left_out = |why: String| Ready { start: runtime.clone(), files: Vec::new(), notices: vec![why] };
    let (known, manifest) = asked.known(runtime, &invocation, source)?;
    let Some(target) = known.workspace.target(&manifest, source) else {
        let why = "it is left out: no [[bench]] target of its package has it as its root, and no library, program or benchmark with a harness has it as a module with #[bench]";
        return Ok(left_out(why.to_owned()));
    };
    if !target.files.is_empty()
        && let Some(why) = harness::refusal(&invocation, &known.workspace.root, &target.folder)?
    {
        return Ok(left_out(format!("it is left out: {why}")));
    }
    harness::check_main(&target)?;
    settings::check_target(&invocation, &known.workspace.root, &target.folder)?;
    let surroundings = Surroundings::of(&target.folder);
    if let Some(file) = surroundings.as_ref().and_then(Surroundings::foreign) {
        let failure = Failure::new(
            FailureKind::Load,
            "Cargo would read this file for another revision, too, whose checkout lies below it and doesn't have the same",
            "set XDG_CACHE_HOME to a folder outside of the project",
        );
        return Err(failure.at(text(&file), 0));
    }
    let program = match build::build(&invocation, known, &target, tell)? {
        Built::Program(program) => program,
        Built::LeftOut(why) => return Ok(left_out(why)),
    };
    let mut start = runtime.clone();
    start.command = vec![text(&program.path), "--bench".to_owned()];
    // As `cargo bench` does: a benchmark reads its data from there.
    start.folder = Some(target.folder.clone());
    start.environment.extend(settings::of_the_environment(&known.workspace.root, &target.folder));
    start.environment.extend(invocation.environment.iter().cloned());
    start.environment.extend(program.variables.iter().cloned());
    let libraries = std::env::join_paths(program.libraries.iter()).ok().filter(|paths| !paths.is_empty());
    for (name, value) in [
        ("TARE_WORKER", Some("1".to_owned())),
        ("PWD", Some(text(&target.folder))),
        ("CARGO_MANIFEST_DIR", Some(text(&target.folder))),
        ("LD_LIBRARY_PATH", libraries.map(|paths| with_own(&paths.to_string_lossy()))),
    ] {
        start.environment.extend(value.map(|value| (name.to_owned(), value)));
    }
    start.environment.extend(target.variables.iter().cloned());
    start.environment.extend(harness::files_asked_for(&target));
    let out_of_reach = surroundings.iter().flat_map(Surroundings::out_of_reach);
    let notices = out_of_reach.map(|file| {
        format!(
            "Cargo reads {} for the working tree, and not for revisions, which are checked out elsewhere; keep it in the repository, or in Cargo's home",
            file.display()
        )
    });
    Ok(Ready { start, files: vec![text(&program.path)], notices: notices.collect() })
}

/// The folder with the record of what a program of [`ready`] was linked of (`sdk/rust/wrapper/link.rs`); it isn't there where none was written.
pub(super) fn linked(program: &Path) -> PathBuf {
    kept::record_of(program)
}

/// The target folder in which a program of [`ready`] was built: what lies in it was built of the same checkout.
pub(super) fn target_of(program: &Path) -> Option<&Path> {
    kept::target_of(program)
}

/// Before the folders of libraries that the user's environment names.
fn with_own(paths: &str) -> String {
    match std::env::var("LD_LIBRARY_PATH") {
        Ok(own) if !own.is_empty() => format!("{paths}:{own}"),
        _ => paths.to_owned(),
    }
}
