//! Builds the program of a target, and says what the compiler says when it can't.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Deserializer, Value};
use tare_frames::WIRE_VERSION;
use tare_samples::{Failure, FailureKind};

use super::super::marker::wire_of;
use super::super::{not_unpacked, text};
use super::graph::{Workspace, dependencies, not_started};
use super::invocation::Invocation;
use super::lock::LockFile;
use super::target::{Kind, Target, kind_of};
use super::{content, kept, place, wrapper};
use crate::cache::remedy;

/// What became of a target.
pub(super) enum Built {
    /// It has a program.
    Program(Program),
    /// Why it has none, though nothing failed, for people.
    LeftOut(String),
}

/// A program that was built.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// Folders of libraries that build scripts have made.
    pub(super) libraries: Vec<PathBuf>,
}

/// # Errors
/// What the compiler refuses, with its place; a toolchain that is missing; folders that can't be written.
pub(super) fn build(
    invocation: &Invocation,
    workspace: &Workspace,
    target: &Target,
    tell: &mut dyn FnMut(&str),
) -> Result<Built, Failure> {
    let sdk = crate::embedded::unpack_rust().map_err(|error| not_unpacked(&error))?;
    let own = invocation.variable("CARGO_TARGET_DIR");
    let unwritten = |error: std::io::Error| {
        let message = format!("the folder for the build can't be written: {error}");
        Failure::new(FailureKind::Runtime, message, remedy(&error))
    };
    let locks = place::target_folder(&workspace.root, &[b"locks"], own.as_deref()).map_err(unwritten)?;
    let lock = LockFile::held(&workspace.root, &locks);
    let needs = dependencies(invocation, workspace)?;
    lock.is_resolved();
    let parts = [sdk.as_os_str().as_encoded_bytes(), needs.needless.as_bytes()];
    let folder = place::target_folder(&workspace.root, &parts, own.as_deref()).map_err(unwritten)?;
    let list = folder.join("tare-empty.txt");
    fs::write(&list, &needs.needless).map_err(unwritten)?;
    place::seed(&folder, &needs.own).map_err(unwritten)?;
    content::forget_what_changed(&folder, &needs).map_err(unwritten)?;
    let wrapper = wrapper::wrapper(invocation, &sdk, &target.folder)?;
    tell(&format!("building {} with {}", target.source.display(), invocation.named()));
    let mut arguments = vec!["bench", "--no-run", "--message-format=json"];
    match target.kind {
        Kind::Benchmark => arguments.extend(["--bench", target.name.as_str()]),
        Kind::Library => arguments.push("--lib"),
        Kind::Program => arguments.extend(["--bin", target.name.as_str()]),
    }
    arguments.extend(invocation.flags.iter().map(String::as_str));
    let mut command = invocation.command(&arguments, &target.folder);
    command
        .env("RUSTC_WRAPPER", &wrapper)
        .env("TARE_RUST_SDK", &sdk)
        .env("TARE_RUST_EMPTY", &list)
        .env("CARGO_TARGET_DIR", &folder);
    if let Some(root) = checkout(&workspace.root) {
        command.env("TARE_RUST_ROOT", root);
    }
    if let Some(next) = invocation.variable("RUSTC_WRAPPER") {
        command.env("TARE_RUST_NEXT_WRAPPER", next);
    }
    let output = command.output().map_err(|error| not_started(invocation, &error))?;
    drop(lock);
    let messages: Vec<Value> =
        Deserializer::from_slice(&output.stdout).into_iter::<Value>().map_while(Result::ok).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        if let Some(features) = required(&said) {
            return Ok(Built::LeftOut(format!(
                "{} is left out: it requires the features {features}; name them: --runtime \"cargo --features …\"",
                target.source.display()
            )));
        }
        return Err(not_built(&messages, &said, workspace, target));
    }
    let program =
        messages.iter().filter(|message| is_of(message, target)).find_map(|message| message["executable"].as_str());
    let Some(program) = program else {
        return Ok(Built::LeftOut(format!("{} is left out: Cargo builds no program of it", target.source.display())));
    };
    check(Path::new(program), target)?;
    let path = kept::keep(Path::new(program), &target.shown(), &folder.join("tare-programs")).map_err(unwritten)?;
    let libraries = messages.iter().filter(|message| message["reason"] == "build-script-executed");
    let libraries =
        libraries.filter_map(|message| message["linked_paths"].as_array()).flatten().filter_map(Value::as_str);
    let libraries = libraries.map(|path| PathBuf::from(path.rsplit_once('=').map_or(path, |(_, path)| path)));
    // As Cargo: only what was built.
    let libraries = libraries.filter(|path| path.starts_with(&folder)).collect();
    Ok(Built::Program(Program { path, libraries }))
}

/// The top of the checkout that a folder lies in.
fn checkout(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| above.join(".git").exists())
}

fn is_of(message: &Value, target: &Target) -> bool {
    let of = &message["target"];
    message["reason"] == "compiler-artifact"
        && of["name"] == target.name.as_str()
        && kind_of(of) == Some(target.kind)
        // Cargo builds programs for benchmarks, too.
        && (target.kind == Kind::Benchmark || message["profile"]["test"] == true)
        && message["manifest_path"].as_str().is_none_or(|path| Path::new(path).parent() == Some(&target.folder))
}

/// Whether a program has our worker in it.
fn check(program: &Path, target: &Target) -> Result<(), Failure> {
    let refused = |message: String, remedy: &str| {
        Err(Failure::new(FailureKind::Load, message, remedy).at(text(&target.source), 0))
    };
    match wire_of(program) {
        Ok(Some(wire)) if wire == WIRE_VERSION => Ok(()),
        Ok(Some(wire)) => refused(
            format!("its program speaks version {wire} of the worker protocol, and this tare speaks {WIRE_VERSION}"),
            "remove the folder `rust` in Tare's cache",
        ),
        Ok(None) => refused(
            "its program has none of the benchmark frameworks that Tare knows: Criterion 0.3 to 0.8, Divan 0.1, and #[bench]"
                .to_owned(),
            "if it uses one of the first two, set `harness = false` for it in Cargo.toml; otherwise leave it out with --exclude or name other paths",
        ),
        Err(error) => refused(format!("its program can't be read: {error}"), "check its rights"),
    }
}

/// The features without which a target isn't built: "target `x` in package `y` requires the features: `a`, `b`".
fn required(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains("requires the features:"))?;
    Some(line.split_once("requires the features:")?.1.trim().to_owned())
}

/// The first error of the compiler that has a place; all that was said as standard error.
fn not_built(messages: &[Value], said: &str, workspace: &Workspace, target: &Target) -> Failure {
    let errors = messages.iter().filter(|message| message["reason"] == "compiler-message");
    let errors: Vec<&Value> =
        errors.map(|message| &message["message"]).filter(|message| message["level"] == "error").collect();
    let rendered: String = errors.iter().filter_map(|error| error["rendered"].as_str()).collect();
    let placed = errors.iter().find_map(|error| {
        let span = error["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
        Some((error["message"].as_str()?, span["file_name"].as_str()?, span["line_start"].as_u64()?))
    });
    let remedy = match said.contains("No space left on device") {
        true => {
            "free some space, or set CARGO_TARGET_DIR to a folder on a disk that has some (`df` shows which are full)"
        }
        false => "repair it; `cargo bench --no-run` in the package's folder shows the same error",
    };
    let failure = match placed {
        Some((message, file, line)) => {
            let file = workspace.root.join(file);
            Failure::new(FailureKind::Load, format!("it doesn't build: {message}"), remedy).at(text(&file), line)
        }
        None => {
            let first = said.lines().find_map(|line| line.trim().strip_prefix("error: "));
            let first = first.or_else(|| errors.iter().find_map(|error| error["message"].as_str()));
            let message = format!("it doesn't build: {}", first.unwrap_or("Cargo doesn't say why"));
            Failure::new(FailureKind::Load, message, remedy).at(text(&target.source), 0)
        }
    };
    Failure { stderr: format!("{rendered}{said}"), ..failure }
}

#[cfg(test)]
mod tests {
    use super::required;

    #[test]
    fn features_that_are_off_are_named() {
        let said = "error: target `x` in package `y` requires the features: `a`, `b`\nConsider enabling them";
        assert_eq!(required(said).unwrap(), "`a`, `b`");
        assert_eq!(required("error: no"), None);
    }
}
