//! Programs that are followed, in a folder of their own.
// Not every test uses all of it; a test that is skipped says so.
#![allow(dead_code, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tare_follow::{Outside, Record, Refusal, Scope, SpawnError, spawn};

/// What was seen of a program.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) record: Record,
    pub(crate) status: ExitStatus,
    pub(crate) printed: String,
}

/// A folder that goes with its end.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { path: folder.path().canonicalize().unwrap(), _folder: folder }
    }

    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// A command in this folder.
    pub(crate) fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command.args(arguments).current_dir(&self.path).stdin(Stdio::null()).stderr(Stdio::inherit());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LC_ALL", "C");
        command
    }

    /// What a script of the shell does. None: nothing can be followed here.
    pub(crate) fn sh(&self, script: &str) -> Option<Seen> {
        follow(self.command("/bin/sh", &["-c", script]))
    }

    pub(crate) fn python(&self, script: &str) -> Option<Seen> {
        let program = which("python3");
        let mut command = self.command(program, &["-I", "-S", "-B", "-c", script]);
        command.env("PYTHONHASHSEED", "0");
        follow(command)
    }

    /// Compiles a program in C.
    pub(crate) fn compiled(&self, name: &str, source: &str, options: &[&str]) -> PathBuf {
        let (from, to) = (self.at(format!("{name}.c")), self.at(name));
        std::fs::write(&from, source).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-pthread", "-o"]).arg(&to).arg(&from).args(options);
        assert!(compiler.status().unwrap().success());
        to
    }
}

/// Where the interpreter itself lies: what stands on the path may be a script that asks a version manager.
fn which(program: &str) -> PathBuf {
    let asked = Command::new(program).args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    PathBuf::from(String::from_utf8(asked.stdout).unwrap().trim())
}

/// Follows a command to its end. None: nothing can be followed here, which is said.
pub(crate) fn follow(command: Command) -> Option<Seen> {
    follow_within(command, Scope::default())
}

pub(crate) fn follow_within(mut command: Command, scope: Scope) -> Option<Seen> {
    command.stdout(Stdio::piped());
    let (mut child, follower) = match spawn(command, scope) {
        Ok(started) => started,
        Err(SpawnError::Refused(refusal @ (Refusal::Ptrace(_) | Refusal::Seccomp(_) | Refusal::Processor))) => {
            eprintln!("skipped: {refusal}");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let mut output = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || std::io::read_to_string(&mut output).unwrap());
    let handle = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
    while poll(&mut [PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN)], None).is_err() {}
    let status = child.wait().unwrap();
    let record = follower.finish();
    Some(Seen { record, status, printed: reading.join().unwrap() })
}

/// What is outside, in words.
pub(crate) fn words(outside: &BTreeMap<Outside, u64>) -> Vec<String> {
    outside.keys().map(ToString::to_string).collect()
}
