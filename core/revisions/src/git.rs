use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::process::Signal;

use crate::capture::{Head, Tail};
use crate::error::RevisionError;
use crate::printable;
use crate::process::{self, Outlet, Stop, Terms};

/// What a question to git may take; on a slow network drive, that is.
const LIMIT: Duration = Duration::from_secs(60);
/// More than any answer that is made use of.
const MOST_ANSWERED: usize = 4 << 20;
/// Enough of what git complains of.
const MOST_SAID: usize = 4 << 10;

/// Set in a hook, where they would name another repository than the folder's. What configures git
/// (`GIT_CONFIG_COUNT`, …) stays: with it a build server says which repositories it trusts.
const ELSEWHERE: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// How git is run.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    pub(crate) program: OsString,
    /// Added to the environment of git and of what prepares a revision.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// What git answered.
#[derive(Debug)]
pub(crate) struct Answer {
    command: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Its complaints, escaped.
    pub(crate) said: String,
}

impl Default for Git {
    fn default() -> Self {
        Self { program: "git".into(), environment: Vec::new() }
    }
}

impl Git {
    /// The same with more in its environment.
    pub(crate) fn with(&self, environment: &[(&str, &OsStr)]) -> Self {
        let more = environment.iter().map(|(name, value)| (OsString::from(name), (*value).to_owned()));
        Self { environment: self.environment.iter().cloned().chain(more).collect(), ..self.clone() }
    }

    /// Asks something that is soon answered.
    pub(crate) fn ask(&self, folder: &Path, arguments: &[&dyn AsRef<OsStr>]) -> Result<Answer, RevisionError> {
        self.run(folder, arguments, Some(LIMIT), &|| false)
    }

    /// Does something that may take as long as it must.
    pub(crate) fn act(
        &self,
        folder: &Path,
        arguments: &[&dyn AsRef<OsStr>],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Answer, RevisionError> {
        self.run(folder, arguments, None, interrupted)
    }

    fn run(
        &self,
        folder: &Path,
        arguments: &[&dyn AsRef<OsStr>],
        limit: Option<Duration>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Answer, RevisionError> {
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        let shown = printable::line(&format!("git {}", words.join(" ")));
        let cannot_run = |source: io::Error| RevisionError::CannotRun { command: shown.clone(), source };

        let mut command = Command::new(&self.program);
        command
            // Programs that the repository's own configuration names.
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "log.showSignature=false", "-c", "advice.detachedHead=false"])
            .args(arguments.iter().map(AsRef::as_ref))
            .current_dir(folder);
        self.furnish(&mut command);
        // Its messages are read.
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");

        let (stdout, out) = io::pipe().map_err(cannot_run)?;
        let (stderr, err) = io::pipe().map_err(cannot_run)?;
        command.stdout(out).stderr(err);
        let mut answer = Head::new(MOST_ANSWERED);
        let mut said = Tail::new(MOST_SAID);
        let mut take_answer = |bytes: &[u8]| answer.push(bytes);
        let mut take_said = |bytes: &[u8]| said.push(bytes);
        let outlets =
            vec![Outlet { reader: stdout, take: &mut take_answer }, Outlet { reader: stderr, take: &mut take_said }];
        // Told to end, git removes what it has half made.
        let terms = Terms { limit, interrupted, orphaned: Signal::TERM };
        match process::run(command, outlets, &terms) {
            Ok(status) => Ok(Answer { command: shown, status, stdout: answer.bytes, said: said.text() }),
            Err(Stop::Interrupted) => Err(RevisionError::Interrupted),
            Err(Stop::TimedOut) => Err(RevisionError::GitTimedOut {
                command: shown,
                limit: limit.unwrap_or_default(),
                folder: folder.to_owned(),
            }),
            // A folder that isn't there is reported as a program that isn't; where a folder of the PATH is closed to this user, a
            // missing program as a forbidden one.
            Err(Stop::CannotRun(source))
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
                    && folder.is_dir() =>
            {
                Err(RevisionError::GitMissing { source })
            }
            Err(Stop::CannotRun(source)) => Err(cannot_run(source)),
        }
    }

    /// Gives `command` the environment in which git goes by the folder it is run in.
    pub(crate) fn furnish(&self, command: &mut Command) {
        for variable in ELSEWHERE {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }
}

impl Answer {
    /// The answer without the newline that ends it; `None` when git failed.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        self.status.success().then(|| self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout))
    }

    /// The full hash that git answered with; `None` when it failed.
    pub(crate) fn hash(&self) -> Option<String> {
        let text = std::str::from_utf8(self.line()?).ok()?;
        is_hash(text).then(|| text.to_owned())
    }

    /// The answer, where it is an error that git failed.
    pub(crate) fn expect_success(self, folder: &Path) -> Result<Self, RevisionError> {
        if self.status.success() {
            return Ok(self);
        }
        Err(RevisionError::Git {
            command: self.command,
            status: self.status.to_string(),
            said: self.said,
            folder: folder.to_owned(),
        })
    }
}

/// Whether `text` is a full SHA-1 or SHA-256 hash, as git writes it.
pub(crate) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
