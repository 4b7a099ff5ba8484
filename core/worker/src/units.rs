//! Has a runtime print the units of source files; the crate `tare-units` reads them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tare_samples::{Failure, FailureKind, RuntimeCommand};

use crate::drivers::not_unpacked;
use crate::embedded::{unpack_php_units, unpack_python_units};
use crate::ending::cannot_start;
use crate::spawn::before_exec;
use crate::units_kept::{KeptLines, state_of};

const MOST_BYTES: u64 = 1 << 30;
const PAUSE: Duration = Duration::from_millis(2);
/// So many files a process has at least: it takes a while to start.
const LEAST_FILES: usize = 48;

/// The output of the runtime's extraction of units, for files by their absolute paths: a line for each that `tare_units::read` understands. It goes on
/// as long as `going_on` says so, which is asked every few milliseconds. Of files of `libraries` what Python printed before is taken, as long as they are the
/// same; `version`: all that the runtime says of itself. Of many files several processes print, one a CPU. What was printed until it was to stop is kept, too, so that the
/// next comparison goes on from there.
///
/// # Errors
/// The language of the runtime has no units; it can't be started, fails, or prints more than 1 GiB; `going_on` said no.
pub fn print_units(
    runtime: &RuntimeCommand,
    version: &str,
    files: &[PathBuf],
    libraries: &dyn Fn(&Path) -> bool,
    going_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<u8>, Failure> {
    if runtime.driver != "python" {
        return print(runtime, files, going_on, &|_| {});
    }
    let script = unpack_python_units().map_err(|error| not_unpacked(&error))?;
    let Some(kept) = KeptLines::of(&format!("{}\n{:?}\n{version}", script.display(), runtime.command)) else {
        return print(runtime, files, going_on, &|_| {});
    };
    let mut known = Vec::new();
    let mut missing = Vec::new();
    for file in files {
        match libraries(file).then(|| kept.line(file)).flatten() {
            Some(line) => known.push(line),
            None => missing.push(file.clone()),
        }
    }
    let mut whole = match kept.header().filter(|_| missing.is_empty()) {
        Some(header) => header,
        None => {
            let states = missing.iter().filter(|file| libraries(file)).map(|file| (file.as_path(), state_of(file)));
            let states: HashMap<&Path, Option<String>> = states.collect();
            print(runtime, &missing, going_on, &|printed| kept.keep(printed, &states))?
        }
    };
    for line in known {
        whole.push(b'\n');
        whole.extend(line);
    }
    Ok(whole)
}

/// `keep` gets what each process has printed, whole or not.
fn print(
    runtime: &RuntimeCommand,
    files: &[PathBuf],
    going_on: &mut dyn FnMut() -> bool,
    keep: &dyn Fn(&[u8]),
) -> Result<Vec<u8>, Failure> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let count = (files.len() / LEAST_FILES).clamp(1, cpus);
    let mut printing = Vec::with_capacity(count);
    let mut ended = Ok(());
    for part in 0..count {
        // One after the other in turns: neighbours are of a size.
        let part: Vec<&PathBuf> = files.iter().skip(part).step_by(count).collect();
        match Printing::begin(runtime, &part) {
            Ok(begun) => printing.push(begun),
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        }
    }
    while ended.is_ok() && printing.iter().any(|one| one.status.is_none()) {
        std::thread::sleep(PAUSE);
        ended = printing.iter_mut().try_for_each(Printing::look);
        if ended.is_ok() && !going_on() {
            ended = Err(failed("there was no time left"));
        }
    }
    let mut whole = Vec::new();
    // All of them, before anything of one is told.
    let all: Vec<_> = printing.into_iter().map(Printing::end).collect();
    for printed in all {
        let printed = printed?;
        keep(&printed);
        // Each begins with the same line.
        let begin =
            if whole.is_empty() { 0 } else { printed.iter().position(|byte| *byte == b'\n').unwrap_or_default() };
        whole.extend_from_slice(&printed[begin..]);
    }
    ended.map(|()| whole)
}

fn failed(what: &str) -> Failure {
    Failure::new(FailureKind::Runtime, format!("units of sources can't be read: {what}"), "measure all: --measure all")
}

/// A process that prints.
struct Printing {
    child: Child,
    output: File,
    status: Option<ExitStatus>,
}

impl Printing {
    fn begin(runtime: &RuntimeCommand, files: &[&PathBuf]) -> Result<Self, Failure> {
        let (script, options): (_, &[&str]) = match runtime.driver.as_str() {
            // What the user's settings load or show would stand among the lines.
            "php" => (unpack_php_units(), &["-d", "display_errors=stderr", "-d", "auto_prepend_file="]),
            "python" => (unpack_python_units(), &["-I", "-B"]),
            other => return Err(failed(&format!("sources of `{other}` have none"))),
        };
        let script = script.map_err(|error| not_unpacked(&error))?;
        let (program, arguments) =
            runtime.command.split_first().ok_or_else(|| failed("the runtime's command is empty"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .args(options)
            .arg(script)
            .envs(runtime.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &runtime.folder {
            command.current_dir(folder);
        }
        let told = |error: io::Error| failed(&error.to_string());
        let output = tempfile::tempfile().map_err(told)?;
        command
            .env_remove("TARE_STORE")
            .stdin(listed(files).map_err(told)?)
            .stdout(output.try_clone().map_err(told)?)
            .stderr(Stdio::null())
            .process_group(0);
        before_exec(&mut command, &[]);
        let child = command.spawn().map_err(|error| cannot_start(program, &error))?;
        Ok(Self { child, output, status: None })
    }

    /// How it is getting on.
    fn look(&mut self) -> Result<(), Failure> {
        if self.status.is_some() {
            return Ok(());
        }
        self.status = self.child.try_wait().map_err(|error| failed(&error.to_string()))?;
        match self.status {
            Some(status) if !status.success() => Err(failed(&format!("the runtime ended with {status}"))),
            None if self.output.metadata().is_ok_and(|metadata| metadata.len() > MOST_BYTES) => {
                Err(failed("it printed too much"))
            }
            _ => Ok(()),
        }
    }

    /// Ends it, and takes what it has printed.
    fn end(mut self) -> Result<Vec<u8>, Failure> {
        if self.status.is_none() {
            end(&mut self.child);
        }
        let mut bytes = Vec::new();
        let read = self.output.rewind().and_then(|()| self.output.take(MOST_BYTES).read_to_end(&mut bytes));
        read.map_err(|error| failed(&error.to_string()))?;
        Ok(bytes)
    }
}

/// The paths, one a line, as an open file: a pipe would have to be written while the output is read.
fn listed(files: &[&PathBuf]) -> io::Result<File> {
    let mut list = tempfile::tempfile()?;
    for file in files.iter().filter(|file| !file.as_os_str().as_bytes().contains(&b'\n')) {
        list.write_all(file.as_os_str().as_bytes())?;
        list.write_all(b"\n")?;
    }
    list.rewind()?;
    Ok(list)
}

fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tare_samples::RuntimeCommand;

    use super::print_units;

    fn runtime(driver: &str, command: &[&str]) -> RuntimeCommand {
        RuntimeCommand {
            driver: driver.into(),
            command: command.iter().map(|part| (*part).to_owned()).collect(),
            ..RuntimeCommand::default()
        }
    }

    #[test]
    fn a_runtime_prints_the_units_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for (driver, command, text) in
            [("python", "python3", "def f(): pass\n"), ("php", "php", "<?php function f() {}\n")]
        {
            let file = folder.path().join(driver);
            fs::write(&file, text).unwrap();
            let files = [file, folder.path().join("absent")];
            let output = print_units(&runtime(driver, &[command]), "", &files, &|_| false, &mut || true).unwrap();
            let text = String::from_utf8(output).unwrap();
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines.len(), 3, "{text}");
            assert!(lines[1].contains("\"simple\"") && lines[1].contains("\"f\""), "{text}");
            assert!(lines[2].contains("\"fault\""), "{text}");
        }
    }

    #[test]
    fn several_processes_print_many_files_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<_> = (0..200).map(|at| folder.path().join(format!("f{at}.py"))).collect();
        files.iter().for_each(|file| fs::write(file, "def f(): pass\n").unwrap());
        let output = print_units(&runtime("python", &["python3"]), "", &files, &|_| false, &mut || true).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert_eq!(text.lines().filter(|line| line.contains("\"format\"")).count(), 1);
        let told = |file: &std::path::PathBuf| {
            text.lines().filter(|line| line.contains(&format!("{:?}", file.display().to_string()))).count()
        };
        assert!(files.iter().all(|file| told(file) == 1));
    }

    #[test]
    fn what_takes_too_long_is_ended_and_what_fails_is_told() {
        let sleeper = runtime("python", &["sh", "-c", "sleep 100"]);
        let mut asked = 0;
        let ended = print_units(&sleeper, "", &[], &|_| false, &mut || {
            asked += 1;
            asked < 3
        });
        assert!(ended.unwrap_err().message.contains("no time left"));
        let message = print_units(&runtime("php", &["false"]), "", &[], &|_| false, &mut || true).unwrap_err().message;
        assert!(message.contains("exit status: 1"), "{message}");
        assert!(print_units(&runtime("go", &["go"]), "", &[], &|_| false, &mut || true).is_err());
    }
}
