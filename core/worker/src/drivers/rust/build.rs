//! Builds the program of a target, and says what the compiler says when it can't.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Deserializer, Value};
use tare_frames::WIRE_VERSION;
use tare_samples::{Failure, FailureKind};

use super::super::marker::wire_of;
use super::super::{not_unpacked, text};
use super::asked::Known;
use super::graph::{Workspace, dependencies, not_started};
use super::invocation::Invocation;
use super::lock::LockFile;
use super::target::{Kind, Target, kind_of};
use super::{content, kept, place, wrapper};
use crate::building;
use crate::cache::remedy;

/// What the system says of a disk.
const FULL: &str = "No space left on device";
/// Of what Cargo built and may not start.
const NEVER_EXECUTED: &str = "(never executed)";
const FORBIDDEN: &str = "Permission denied (os error 13)";

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
    /// Folders that hold shared libraries which build scripts have made. Cargo names those with static libraries, too, where nothing is looked for.
    pub(super) libraries: Vec<PathBuf>,
    /// What `cargo bench` tells a program of its package's build script.
    pub(super) variables: Vec<(String, String)>,
}

/// # Errors
/// What the compiler refuses, with its place; a toolchain that is missing; folders that can't be written.
pub(super) fn build(
    invocation: &Invocation,
    known: &mut Known,
    target: &Target,
    tell: &mut dyn FnMut(&str),
) -> Result<Built, Failure> {
    let sdk = crate::embedded::unpack_rust().map_err(|error| not_unpacked(&error))?;
    let workspace = &known.workspace;
    let own = invocation.variable("CARGO_TARGET_DIR");
    let unwritten = |error: std::io::Error| {
        let message = format!("the folder for the build can't be written: {error}");
        Failure::new(FailureKind::Runtime, message, remedy(&error))
    };
    let locks = place::target_folder(&workspace.root, &[b"locks"], own.as_deref()).map_err(unwritten)?;
    let lock = LockFile::held(&workspace.root, &locks, invocation.is_locked());
    let needs = match known.needs.take() {
        Some(needs) => needs,
        None => {
            let needs = dependencies(invocation, workspace);
            // Where Cargo fails later, it has written the file all the same.
            lock.is_resolved();
            needs?
        }
    };
    let needs = known.needs.insert(needs);
    let parts = [sdk.as_os_str().as_encoded_bytes(), needs.needless.as_bytes()];
    let folder = place::target_folder(&workspace.root, &parts, own.as_deref()).map_err(unwritten)?;
    let list = folder.join("tare-empty.txt");
    fs::write(&list, &needs.needless).map_err(unwritten)?;
    place::seed(&folder, &needs.own).map_err(unwritten)?;
    if known.compared.insert(folder.clone()) {
        content::forget_what_changed(&folder, needs).map_err(unwritten)?;
    }
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
    let output = building::output(&mut command).map_err(|error| not_started(invocation, &error))?;
    drop(lock);
    let messages: Vec<Value> =
        Deserializer::from_slice(&output.stdout).into_iter::<Value>().map_while(Result::ok).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        if let Some(features) = required(&said) {
            return Ok(Built::LeftOut(format!(
                "it is left out: it requires the features {features}; name them: --runtime \"cargo --features …\""
            )));
        }
        return Err(not_built(&messages, &said, workspace, target));
    }
    let artifact = messages.iter().find(|message| is_of(message, target) && message["executable"].is_string());
    let built = artifact.and_then(|message| Some((message["executable"].as_str()?, &message["package_id"])));
    let Some((program, package)) = built else {
        return Ok(Built::LeftOut("it is left out: Cargo builds no program of it".to_owned()));
    };
    check(Path::new(program), target)?;
    let path = kept::keep(Path::new(program), &target.name, &folder).map_err(unwritten)?;
    let scripts = messages.iter().filter(|message| message["reason"] == "build-script-executed");
    let libraries =
        scripts.clone().filter_map(|message| message["linked_paths"].as_array()).flatten().filter_map(Value::as_str);
    let libraries = libraries.map(|path| PathBuf::from(without_kind(path)));
    // As Cargo: only what was built.
    let libraries = libraries.filter(|path| path.starts_with(&folder) && has_shared_libraries(path)).collect();
    let variables = scripts.filter(|message| message["package_id"] == *package).flat_map(of_script).collect();
    Ok(Built::Program(Program { path, libraries, variables }))
}

/// `native=/folder`: a kind may stand before the path.
fn without_kind(path: &str) -> &str {
    path.split_once('=').filter(|(kind, _)| !kind.contains('/')).map_or(path, |(_, path)| path)
}

/// Whether the dynamic linker could find something in a folder: a file of the type `ET_DYN`, whatever its name, or a folder of its own for newer processors.
fn has_shared_libraries(folder: &Path) -> bool {
    let is_shared = |path: &Path| {
        let mut begin = [0; 18];
        let read = tare_files::open(path).and_then(|mut file| file.read_exact(&mut begin));
        read.is_ok() && begin.starts_with(b"\x7fELF") && begin[16..] == 3u16.to_ne_bytes()
    };
    let mut paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.any(|path| path.ends_with("glibc-hwcaps") || is_shared(&path))
}

/// `OUT_DIR`, and what the script asked for with `cargo:rustc-env`.
fn of_script(message: &Value) -> Vec<(String, String)> {
    let asked = message["env"].as_array().into_iter().flatten();
    let asked = asked.filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned())));
    let own = message["out_dir"].as_str().map(|folder| ("OUT_DIR".to_owned(), folder.to_owned()));
    own.into_iter().chain(asked).collect()
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
    let remedy = if rendered.contains(FULL) || said.contains(FULL) {
        "free some space, or set CARGO_TARGET_DIR to a folder on a disk that has some (`df` shows which are full)"
    } else if said.contains(NEVER_EXECUTED) && said.contains(FORBIDDEN) {
        "the file system is mounted with noexec: set XDG_CACHE_HOME, and CARGO_TARGET_DIR if you set it, to folders on another one"
    } else {
        "repair it; where `cargo bench --no-run` in the package's folder builds it, Tare's own source of the framework lacks what it uses"
    };
    let failure = match placed {
        Some((message, file, line)) => {
            let file = workspace.root.join(file);
            Failure::new(FailureKind::Load, format!("it doesn't build: {message}"), remedy).at(text(&file), line)
        }
        None => {
            // The compiler says why ("linker `x` not found"), Cargo only that it failed.
            let first = errors.iter().find_map(|error| error["message"].as_str());
            let first = first.or_else(|| said.lines().find_map(|line| line.trim().strip_prefix("error: ")));
            let message = format!("it doesn't build: {}", first.unwrap_or("Cargo doesn't say why"));
            Failure::new(FailureKind::Load, message, remedy).at(text(&target.source), 0)
        }
    };
    // Only the end is shown: Cargo's list of what it compiled would take the place of what the compiler shows.
    Failure { stderr: if rendered.is_empty() { said.to_owned() } else { rendered }, ..failure }
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
