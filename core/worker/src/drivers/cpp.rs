//! C++: a built binary holds the worker; it is looked at, and started where the user stands.

use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tare_frames::WIRE_VERSION;
use tare_samples::{Failure, FailureKind, RuntimeCommand};

use super::marker::wire_of;
use super::{Driver, Ready, clocks, text};

/// Stands in a runtime's command for the binary.
const PLACE: &str = "native";

const INCLUDE: &str = "include <tare/benchmark.h> where it includes <benchmark/benchmark.h>, with the folder that \
                       `tare sdk cpp --include-dir` prints on the include path, and build it again";

/// C++.
pub(super) struct Cpp;

impl Driver for Cpp {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, source)
    }

    fn ready_for_clocks(&self, runtime: &RuntimeCommand, tell: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        let binary = clocks::compiled(runtime, tell)?;
        let native = RuntimeCommand { command: vec![PLACE.to_owned()], ..runtime.clone() };
        ready(&native, &binary)
    }

    fn source_to_judge(&self, runtime: &RuntimeCommand) -> Result<PathBuf, Failure> {
        let last = runtime.command.last().filter(|word| word.contains('/'));
        last.map(PathBuf::from).ok_or_else(|| {
            Failure::new(
                FailureKind::Runtime,
                "there is no C++ program whose build Tare could inspect",
                "name a program that was built with Tare's header, as in --runtime cpp:build/my_bench",
            )
        })
    }
}

/// The command is what stands before the binary, as in `env OMP_NUM_THREADS=1 native`; one that ends in another binary with the header
/// has that one measured in the source's place, so that two builds can be compared.
///
/// # Errors
/// No executable, none with the header, or one whose header speaks another wire.
fn ready(runtime: &RuntimeCommand, source: &Path) -> Result<Ready, Failure> {
    let mut start = runtime.clone();
    let binary = if let Some(place) = start.command.iter().position(|word| word == PLACE) {
        start.command[place] = text(source);
        source.to_owned()
    } else if let Some(build) = other_build(runtime) {
        build
    } else {
        start.command.push(text(source));
        source.to_owned()
    };
    check(&binary)?;
    Ok(Ready { start, files: vec![text(&binary)], notices: Vec::new() })
}

/// The last word of the command, where it is the path of a binary with the header.
fn other_build(runtime: &RuntimeCommand) -> Option<PathBuf> {
    let last = runtime.command.last().filter(|word| word.contains('/'))?;
    let path = runtime.folder.as_deref().unwrap_or(Path::new("")).join(last);
    let path = path.canonicalize().ok()?;
    wire_of(&path).ok()?.map(|_| path)
}

fn check(binary: &Path) -> Result<(), Failure> {
    let refuse = |kind, what: &str, remedy: &str| {
        Err(Failure::new(kind, format!("the file {what}"), remedy).at(text(binary), 0))
    };
    let build = "name a binary that was built, as in `tare run build/my_bench`";
    let metadata = match binary.metadata() {
        Ok(metadata) => metadata,
        Err(error) => return refuse(FailureKind::Load, &format!("can't be read: {error}"), "build it first"),
    };
    if !metadata.is_file() || !begins_as_program(binary).unwrap_or(false) {
        return refuse(FailureKind::Load, "is not an executable program (ELF)", build);
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return refuse(FailureKind::Load, "may not be executed", "make it executable: chmod +x");
    }
    match wire_of(binary) {
        Err(error) => refuse(FailureKind::Load, &format!("can't be read: {error}"), "check its rights"),
        Ok(None) => refuse(FailureKind::Load, "was built without Tare's header: it holds no worker", INCLUDE),
        Ok(Some(wire)) if wire == WIRE_VERSION => Ok(()),
        Ok(Some(wire)) => {
            let newer = wire > WIRE_VERSION;
            refuse(
                FailureKind::Runtime,
                &format!("speaks version {wire} of the worker protocol, and this tare speaks {WIRE_VERSION}"),
                if newer {
                    "use the tare that this header is from, or build the program again with the header that `tare sdk cpp --include-dir` names"
                } else {
                    "build it again with the header that `tare sdk cpp --include-dir` names"
                },
            )
        }
    }
}

fn begins_as_program(path: &Path) -> io::Result<bool> {
    let mut begin = [0u8; 4];
    tare_files::open(path)?.read_exact(&mut begin)?;
    Ok(begin == *b"\x7fELF")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use tare_samples::{Failure, FailureKind, RuntimeCommand};

    use super::ready;
    use crate::drivers::marker::with_marker;

    fn binary(folder: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn command(words: &[&str]) -> RuntimeCommand {
        let command = words.iter().map(|&word| word.to_owned()).collect();
        RuntimeCommand { name: "native".to_owned(), driver: "cpp".to_owned(), command, ..RuntimeCommand::default() }
    }

    fn refusal(path: &Path) -> Failure {
        ready(&command(&["native"]), path).unwrap_err()
    }

    #[test]
    fn the_binary_takes_its_place_in_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = binary(folder.path(), "bench", &with_marker("1"), 0o755);
        let name = path.to_str().unwrap();
        for (words, expected) in [
            (&["native"][..], vec![name]),
            (&["env", "K=1", "native"], vec!["env", "K=1", name]),
            (&["native", "--data", "x"], vec![name, "--data", "x"]),
            (&["setarch", "-R"], vec!["setarch", "-R", name]),
        ] {
            let ready = ready(&command(words), &path).unwrap();
            assert_eq!(ready.start.command, expected);
            assert_eq!(ready.files, [name]);
        }
    }

    #[test]
    fn another_build_is_measured_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let source = binary(folder.path(), "bench", &with_marker("1"), 0o755);
        let other = binary(folder.path(), "other", &with_marker("1"), 0o755).canonicalize().unwrap();
        let mut runtime = command(&["env", "K=1", "./other"]);
        runtime.folder = Some(folder.path().to_owned());
        let ready = ready(&runtime, &source).unwrap();
        assert_eq!(ready.start.command, ["env", "K=1", "./other"]);
        assert_eq!(ready.files, [other.to_str().unwrap()]);
    }

    #[test]
    fn what_holds_no_worker_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name, content: &[u8], mode| binary(folder.path(), name, content, mode);
        for (path, message, remedy) in [
            (at("plain", b"\x7fELF and nothing else", 0o755), "without Tare's header", "--include-dir"),
            (at("script", b"#!/bin/sh\n", 0o755), "not an executable program", "build/my_bench"),
            (at("empty", b"", 0o755), "not an executable program", "build/my_bench"),
            (at("locked", &with_marker("1"), 0o644), "may not be executed", "chmod"),
            (folder.path().to_owned(), "not an executable program", "build/my_bench"),
            (folder.path().join("missing"), "can't be read", "build it first"),
        ] {
            let failure = refusal(&path);
            assert_eq!(failure.kind, FailureKind::Load);
            assert_eq!(failure.file, path.to_str().unwrap());
            assert!(failure.message.contains(message) && failure.remedy.contains(remedy), "{failure:?}");
        }
    }

    #[test]
    fn another_wire_is_refused_with_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let failure = refusal(&binary(folder.path(), "newer", &with_marker("23"), 0o755));
        assert_eq!(failure.kind, FailureKind::Runtime);
        assert!(failure.message.contains("version 23") && failure.message.contains("speaks 1"), "{failure:?}");
        assert!(failure.remedy.starts_with("use the tare"), "{failure:?}");
        let failure = refusal(&binary(folder.path(), "older", &with_marker("0"), 0o755));
        assert!(failure.remedy.starts_with("build it again"), "{failure:?}");
    }
}
