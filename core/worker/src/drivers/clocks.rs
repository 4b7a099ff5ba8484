//! A worker that has nothing to measure but its runtime's clocks: no source of the user's is needed.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use tare_samples::{Failure, FailureKind, RuntimeCommand};

use super::{not_unpacked, text};
use crate::cache::{LARGEST_PROGRAM, cache_folder, fingerprint, in_cache, remedy};
use crate::embedded::content_key;
use crate::embedded::unpack_cpp;
use crate::ending::cannot_start;

/// The longest that a compiler may take for one small file.
const COMPILING: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(10);
const CPP: &str = "#include <tare/benchmark.h>\n\nBENCHMARK_MAIN();\n";
const GO: [(&str, &str); 2] = [
    ("go.mod", "module clocks\n\ngo 1.21\n"),
    (
        "clocks_test.go",
        "package clocks\n\nimport \"testing\"\n\nfunc BenchmarkNothing(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n",
    ),
];

/// A Go package without anything of the user's, in the cache.
pub(super) fn go_package() -> Result<PathBuf, Failure> {
    let key = content_key(GO.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    in_cache(&format!("clocks-go-{key:016x}"), &GO).map_err(|error| not_unpacked(&error))
}

/// The C++ worker as this compiler makes it, from the cache where it was made before.
pub(super) fn compiled(runtime: &RuntimeCommand, tell: &mut dyn FnMut(&str)) -> Result<PathBuf, Failure> {
    let (program, arguments) = runtime.command.split_first().ok_or_else(|| {
        Failure::new(FailureKind::Runtime, "the compiler's command is empty", "give one: --runtime NAME=cpp:COMMAND")
    })?;
    let include = unpack_cpp().map_err(|error| not_unpacked(&error))?;
    let headers = text(&include);
    let mut parts = vec![headers.clone(), CPP.to_owned(), identity(program)];
    parts.extend(runtime.command.iter().cloned());
    parts.extend(runtime.environment.iter().map(|(name, value)| format!("{name}={value}")));
    let key = content_key(parts.iter().map(String::as_bytes));
    let cache = cache_folder().map_err(|error| not_unpacked(&error))?;
    let folder = cache.join(format!("clocks-cpp-{key:016x}"));
    let binary = folder.join("clocks");
    if is_as_built(&binary) {
        return Ok(binary);
    }
    tell(&format!("building the worker of {} for its clocks, once", runtime.name));
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    let fresh = tempfile::Builder::new()
        .prefix("building-")
        .tempdir_in(&folder)
        .map_err(|error| cannot_write(&folder, &error))?;
    let (source, made) = (fresh.path().join("clocks.cc"), fresh.path().join("clocks"));
    fs::write(&source, CPP).map_err(|error| cannot_write(&source, &error))?;
    let said = fresh.path().join("said");
    let output = fs::File::create(&said).map_err(|error| cannot_write(&said, &error))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(["-std=c++17", "-O2", "-pthread", "-I", &headers, &text(&source), "-o", &text(&made)])
        .envs(runtime.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(output)
        .process_group(0);
    let child = command.spawn().map_err(|error| cannot_start(program, &error))?;
    let done = ended_well(child);
    let failed = |message: String| {
        let mut failure = Failure::new(
            FailureKind::Runtime,
            message,
            "name a C++17 compiler (GCC or Clang): --runtime NAME=cpp:COMMAND",
        );
        failure.stderr = fs::read(&said).map(|said| String::from_utf8_lossy(&said).into_owned()).unwrap_or_default();
        failure
    };
    match done {
        None => return Err(failed(format!("`{program}` did not end within {} s", COMPILING.as_secs()))),
        Some(false) => return Err(failed(format!("`{program}` can't compile the worker"))),
        Some(true) if !made.is_file() => return Err(failed(format!("`{program}` made no program"))),
        Some(true) => {}
    }
    let content = tare_files::read(&made, LARGEST_PROGRAM).map_err(|error| cannot_write(&made, &error))?;
    fs::rename(&made, &binary).map_err(|error| cannot_write(&binary, &error))?;
    let kept = fresh.path().join(FINGERPRINT);
    let note = folder.join(FINGERPRINT);
    fs::write(&kept, fingerprint(&content))
        .and_then(|()| fs::rename(&kept, &note))
        .map_err(|error| cannot_write(&note, &error))?;
    Ok(binary)
}

/// Beside a program, what it holds.
const FINGERPRINT: &str = "clocks.sha256";

/// Whether a program is there, and the one that the compiler made.
fn is_as_built(binary: &Path) -> bool {
    let Ok(content) = tare_files::read(binary, LARGEST_PROGRAM) else { return false };
    tare_files::text(&binary.with_file_name(FINGERPRINT), 1024).is_ok_and(|kept| kept == fingerprint(&content))
}

/// Whether it ended with status 0; `None` where it had to be killed.
fn ended_well(mut child: Child) -> Option<bool> {
    let until = Instant::now() + COMPILING;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < until => thread::sleep(POLL),
            _ => {
                let pid = rustix::process::Pid::from_child(&child);
                let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// Which file the program is, so that an exchanged compiler builds anew.
fn identity(program: &str) -> String {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let candidates = match program.contains('/') {
        true => vec![PathBuf::from(program)],
        false => std::env::split_paths(&paths).map(|folder| folder.join(program)).collect(),
    };
    let found = candidates.into_iter().filter_map(|path| path.canonicalize().ok()).find(|path| path.is_file());
    let Some(path) = found else { return String::new() };
    let metadata = path.metadata().ok();
    let changed = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |time| time.as_nanos());
    format!("{} {} {changed}", path.display(), metadata.map_or(0, |metadata| metadata.len()))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(FailureKind::Runtime, format!("{} can't be written: {error}", path.display()), remedy(error))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FINGERPRINT, fingerprint, is_as_built};

    #[test]
    fn a_program_that_was_not_built_here_is_not_executed() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("clocks");
        fs::write(&binary, "built").unwrap();
        assert!(!is_as_built(&binary), "nobody says that it was");
        fs::write(folder.path().join(FINGERPRINT), fingerprint(b"built")).unwrap();
        assert!(is_as_built(&binary));
        fs::write(&binary, "forged").unwrap();
        assert!(!is_as_built(&binary));
    }
}
