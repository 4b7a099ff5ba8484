use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::process::Signal;

use crate::capture::{Lines, Tail};
use crate::error::RevisionError;
use crate::git::Git;
use crate::printable;
use crate::process::{self, Outlet, Stop, Terms};

/// The output that a failure carries.
const MOST_OUTPUT: usize = 64 << 10;

/// What makes a fresh checkout fit to be measured: `composer install`, `go build ./...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepare {
    /// Run by `/bin/sh -c` in the project's root, with nothing on its input and without a terminal.
    pub command: String,
    /// How long it may take; after that it and its children are ended.
    pub timeout: Duration,
}

impl Prepare {
    /// Prepares the project at `root`; every line of output, escaped, goes to `line`.
    pub(crate) fn run(
        &self,
        git: &Git,
        revision: &str,
        root: &Path,
        line: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), RevisionError> {
        let (revision, shown) = (revision.to_owned(), printable::line(&self.command));
        let cannot_run = |source: io::Error| RevisionError::CannotRun { command: shown.clone(), source };

        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&self.command).current_dir(root);
        knows_tare(&mut command);
        git.furnish(&mut command);
        // One pipe for both, so that messages stand where they were written.
        let (reader, writer) = io::pipe().map_err(cannot_run)?;
        command.stdout(writer.try_clone().map_err(cannot_run)?).stderr(writer);

        let mut output = Tail::new(MOST_OUTPUT);
        let mut lines = Lines::default();
        let mut take = |bytes: &[u8]| {
            output.push(bytes);
            lines.push(bytes, line);
        };
        // Half prepared, the tree is of no use, so there is nothing to tidy up.
        let terms = Terms { limit: Some(self.timeout), interrupted, orphaned: Signal::KILL };
        let ended = process::run(command, vec![Outlet { reader, take: &mut take }], &terms);
        lines.finish(line);
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(RevisionError::PrepareFailed {
                revision,
                command: shown,
                status: status.to_string(),
                output: output.text(),
            }),
            Err(Stop::TimedOut) => Err(RevisionError::PrepareTimedOut {
                revision,
                command: shown,
                limit: self.timeout,
                output: output.text(),
            }),
            Err(Stop::Interrupted) => Err(RevisionError::Interrupted),
            Err(Stop::CannotRun(source)) => Err(cannot_run(source)),
        }
    }
}

/// A shell command that ran to its end.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// The end of what it printed, on both streams, escaped.
    pub output: String,
}

/// Has a command find `tare` by its name, after all else: a C++ build asks it where its header is.
fn knows_tare(command: &mut Command) {
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    let known = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&known).filter(|folder| !folder.as_os_str().is_empty()).chain(own);
    if let Ok(path) = std::env::join_paths(all) {
        command.env("PATH", path);
    }
}

/// Runs `command` by `/bin/sh -c` in `folder`, with nothing on its input, without a terminal, with `environment` added to this
/// process's own, and with the folder of this program at the end of `PATH`. When `interrupted`, it and its children are ended.
///
/// # Errors
/// [`RevisionError::CannotRun`] and [`RevisionError::Interrupted`].
pub fn run_shell(
    command: &str,
    folder: &Path,
    environment: &[(&str, &OsStr)],
    interrupted: &dyn Fn() -> bool,
) -> Result<Ran, RevisionError> {
    let cannot_run = |source: io::Error| RevisionError::CannotRun { command: printable::line(command), source };
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).current_dir(folder);
    knows_tare(&mut shell);
    shell.envs(environment.iter().copied());
    let (reader, writer) = io::pipe().map_err(cannot_run)?;
    shell.stdout(writer.try_clone().map_err(cannot_run)?).stderr(writer);
    let mut output = Tail::new(MOST_OUTPUT);
    let mut take = |bytes: &[u8]| output.push(bytes);
    let terms = Terms { limit: None, interrupted, orphaned: Signal::KILL };
    match process::run(shell, vec![Outlet { reader, take: &mut take }], &terms) {
        Ok(status) => Ok(Ran { status, output: output.text() }),
        Err(Stop::Interrupted | Stop::TimedOut) => Err(RevisionError::Interrupted),
        Err(Stop::CannotRun(source)) => Err(cannot_run(source)),
    }
}
