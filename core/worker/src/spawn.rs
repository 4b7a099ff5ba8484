//! How a worker's process begins: its command, environment and streams, where it is pinned, and where it lies.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::io::Errno;
use rustix::process::Signal;
use tare_follow::{Follower, Refusal, Scope, SpawnError};
use tare_samples::{Failure, FailureKind};

use crate::ending::cannot_start;
use crate::executables::COPY_OF;
use crate::layout::{Hold, Placed};
use crate::threads::cpu_set;

/// How a process is started.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spawn<'a> {
    /// Program and arguments.
    pub(crate) command: &'a [String],
    /// What the program is told that it is called; `None`: as it is in the command.
    pub(crate) name: Option<&'a str>,
    /// Where it runs; `None` leaves that as it is.
    pub(crate) folder: Option<&'a std::path::Path>,
    /// CPUs that the worker may run on; empty leaves it as it is.
    pub(crate) cpus: &'a [usize],
    /// It starts on this one of them all, and moves when it is ready.
    pub(crate) starts_on: Option<usize>,
    /// Added to the environment.
    pub(crate) environment: &'a [(String, String)],
    /// Executables that have the same number lie at the same address.
    pub(crate) address: Option<u64>,
}

/// Why a worker that was to be followed isn't there.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The system doesn't let us follow a process. Workers can be started without that.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It can't be started, as without following it.
    #[error("{0}")]
    Failed(Failure),
}

impl From<Failure> for FollowError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Spawn<'_> {
    /// Whether it starts elsewhere than where it may run.
    pub(crate) fn moves(&self) -> bool {
        self.starts_on.is_some_and(|cpu| self.cpus != [cpu])
    }

    /// Starts the process, pinned before its first instruction, with `wire` as the path of its wire.
    pub(crate) fn child(&self, scratch: &Path, wire: &Path) -> Result<Child, Failure> {
        let placed = self.address.filter(|_| cfg!(target_arch = "x86_64"));
        self.try_child(scratch, wire, placed)?.map_or_else(
            // A process that was half_moved in being moved; the next one stays where it is.
            || {
                self.try_child(scratch, wire, None)?
                    .ok_or_else(|| Failure::new(FailureKind::Runtime, "the worker can't be started", "try again"))
            },
            Ok,
        )
    }

    /// The same, at an address of the system's choice, followed from before its first instruction.
    pub(crate) fn followed(&self, scratch: &Path, wire: &Path, scope: Scope) -> Result<(Child, Follower), FollowError> {
        let (program, command) = self.command(scratch, wire)?;
        tare_follow::spawn(command, scope).map_err(|error| match error {
            SpawnError::Refused(refusal) => FollowError::Refused(refusal),
            SpawnError::Start(error) => FollowError::Failed(self.not_started(program, &error)),
        })
    }

    /// None where the process was half_moved in being moved to its address.
    fn try_child(&self, scratch: &Path, wire: &Path, address: Option<u64>) -> Result<Option<Child>, Failure> {
        let (program, mut command) = self.command(scratch, wire)?;
        let hold = address.and_then(|address| Some((Hold::ask(&mut command).ok()?, address)));
        let mut child = command.spawn().map_err(|error| self.not_started(program, &error))?;
        // Our copy of the child's end of what it tells goes with it.
        drop(command);
        let half_moved = hold.is_some_and(|(hold, address)| hold.place(child.id(), address) == Placed::HalfMoved);
        if half_moved {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        Ok(Some(child))
    }

    /// Of all that is done before a program begins, being brought to its CPUs alone is refused as invalid.
    fn not_started(&self, program: &str, error: &io::Error) -> Failure {
        if self.cpus.is_empty() || error.raw_os_error() != Some(Errno::INVAL.raw_os_error()) {
            return cannot_start(program, error);
        }
        let cpus: Vec<String> = self.cpus.iter().map(ToString::to_string).collect();
        Failure::new(
            FailureKind::Runtime,
            format!(
                "`{program}` can't run on CPU {}: it was taken offline, or this process may no longer use it",
                cpus.join(",")
            ),
            "measure again; Tare takes the CPUs that there are when it begins",
        )
    }

    /// The program's name, and what starts it.
    fn command(&self, scratch: &Path, wire: &Path) -> Result<(&str, Command), Failure> {
        let (program, arguments) = self.command.split_first().ok_or_else(|| {
            Failure::new(FailureKind::Runtime, "the runtime's command is empty", "give one: --runtime NAME=COMMAND")
        })?;
        let mut command = Command::new(program);
        // It may hold a password, and is nothing to a benchmark.
        command.env_remove("TARE_STORE");
        command
            .args(arguments)
            .env_remove(COPY_OF)
            .env("TARE_WIRE", wire)
            .env(tare_files::SCRATCH, scratch)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: a kill reaches the children of user code too, and Ctrl-C reaches us first.
            .process_group(0);
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        if let Some(name) = self.name {
            command.arg0(name);
        }
        before_exec(&mut command, if self.moves() { self.starts_on.as_slice() } else { self.cpus });
        Ok((program, command))
    }
}

/// Pins the child and ties its life to ours, between fork and exec.
#[allow(unsafe_code)]
pub(crate) fn before_exec(command: &mut Command, cpus: &[usize]) {
    let set = cpu_set(cpus);
    let pin = !cpus.is_empty();
    let parent = rustix::process::getpid();
    // SAFETY: the closure runs in the forked child before exec. It makes system calls on values captured by copy and
    // allocates nothing, so it is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            // Without this a worker in an endless loop would outlive a core that is killed.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // The core may have been killed before that took hold.
            if rustix::process::getppid() != Some(parent) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if pin {
                rustix::thread::sched_setaffinity(None, &set)?;
            }
            Ok(())
        });
    }
}
