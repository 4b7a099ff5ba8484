//! A command run to its end, or ended with all its children.

use std::io::{self, PipeReader};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, PidfdFlags, Signal};
use tare_files::{SCRATCH, Scratch};

/// How often it is asked whether the user has had enough.
const ATTENTION: Duration = Duration::from_millis(50);
/// How long a command may take to tidy up once it is told to end.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes taken in from one stream at a go. Who prints faster than this is read must not keep us from looking at the time;
/// more than a pipe holds, so that one go empties the pipe of a process that has ended.
const GO: usize = 1 << 20;

/// How long a command may go on.
pub(crate) struct Terms<'a> {
    /// `None` waits as long as it takes.
    pub(crate) limit: Option<Duration>,
    /// Whether to give up.
    pub(crate) interrupted: &'a dyn Fn() -> bool,
    /// What the command is sent when this process dies.
    pub(crate) orphaned: Signal,
}

/// One stream of a command, and who takes what it prints.
pub(crate) struct Outlet<'a> {
    pub(crate) reader: PipeReader,
    pub(crate) take: &'a mut dyn FnMut(&[u8]),
}

/// Why a command didn't come to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It couldn't be started, or not be watched.
    CannotRun(io::Error),
    /// The user has had enough; it and its children have ended.
    Interrupted,
    /// It took longer than the limit; it and its children have ended.
    TimedOut,
}

/// Runs `command`, whose output goes to the pipes of `outlets`, with nothing to read.
///
/// It gets a session, and with it a process group, of its own: ending the group ends its children too, and without a
/// terminal nothing (ssh, a credential prompt) can stop to ask a question that nobody sees. Children that are left
/// behind when it ends are ended; one that made a session of its own is a daemon, which stays: build servers do so. Of a command that
/// doesn't come to its end those are ended, too.
pub(crate) fn run(mut command: Command, mut outlets: Vec<Outlet<'_>>, terms: &Terms<'_>) -> Result<ExitStatus, Stop> {
    if (terms.interrupted)() {
        return Err(Stop::Interrupted);
    }
    let scratch = Scratch::new().map_err(Stop::CannotRun)?;
    command.stdin(Stdio::null()).env(SCRATCH, scratch.path());
    before_exec(&mut command, terms.orphaned);
    for outlet in &outlets {
        let flags = rustix::fs::fcntl_getfl(&outlet.reader).map_err(cannot_run)?;
        rustix::fs::fcntl_setfl(&outlet.reader, flags | OFlags::NONBLOCK).map_err(cannot_run)?;
    }
    let child = command.spawn().map_err(Stop::CannotRun)?;
    // With it our writing ends of the pipes, which would keep them open.
    drop(command);
    let mut running = Running::adopt(child)?;
    let begun = Instant::now();
    loop {
        if let Some(status) = running.attend(&mut outlets)? {
            return Ok(status);
        }
        let stop = if (terms.interrupted)() {
            Stop::Interrupted
        } else if terms.limit.is_some_and(|limit| begun.elapsed() >= limit) {
            Stop::TimedOut
        } else {
            continue;
        };
        running.terminate(&mut outlets)?;
        scratch.end_processes();
        return Err(stop);
    }
}

struct Running {
    child: Child,
    pid: Pid,
    pidfd: Option<OwnedFd>,
    reaped: bool,
}

impl Running {
    fn adopt(child: Child) -> Result<Self, Stop> {
        let pid = Pid::from_child(&child);
        // Owned first: should the next step fail, dropping it ends the child.
        let mut running = Self { child, pid, pidfd: None, reaped: false };
        running.pidfd = Some(rustix::process::pidfd_open(pid, PidfdFlags::empty()).map_err(cannot_run)?);
        Ok(running)
    }

    /// Waits a moment for something to happen and takes in what came; its status when it has ended.
    fn attend(&mut self, outlets: &mut Vec<Outlet<'_>>) -> Result<Option<ExitStatus>, Stop> {
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(ATTENTION.subsec_nanos()) };
        let mut watched: Vec<_> = outlets.iter().map(|outlet| PollFd::new(&outlet.reader, PollFlags::IN)).collect();
        watched.extend(self.pidfd.iter().map(|pidfd| PollFd::new(pidfd, PollFlags::IN)));
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(cannot_run(error)),
        }
        let ended = watched.last().is_some_and(|pidfd| pidfd.revents().contains(PollFlags::IN));
        drop(watched);
        drain(outlets)?;
        if !ended {
            return Ok(None);
        }
        let status = self.end().map_err(Stop::CannotRun)?;
        drain(outlets)?;
        Ok(Some(status))
    }

    /// Asks it and its children to end, then makes them.
    fn terminate(&mut self, outlets: &mut Vec<Outlet<'_>>) -> Result<(), Stop> {
        let _ = rustix::process::kill_process_group(self.pid, Signal::TERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if self.attend(outlets)?.is_some() {
                return Ok(());
            }
        }
        self.end().map_err(Stop::CannotRun)?;
        drain(outlets)
    }

    /// Ends what is left of the process group, and then reaps: as long as its leader is not reaped, its number can't be
    /// somebody else's.
    fn end(&mut self) -> io::Result<ExitStatus> {
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        self.reaped = true;
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = self.end();
        }
    }
}

/// Takes in all that can be read without waiting; a stream that is at its end is let go.
fn drain(outlets: &mut Vec<Outlet<'_>>) -> Result<(), Stop> {
    let mut buffer = [0u8; 65536];
    let mut failed = None;
    outlets.retain_mut(|outlet| {
        let mut taken = 0;
        while taken < GO {
            match rustix::io::read(&outlet.reader, &mut buffer) {
                Ok(0) => return false,
                Ok(count) => {
                    (outlet.take)(&buffer[..count]);
                    taken += count;
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => break,
                Err(error) => {
                    failed = Some(error);
                    return false;
                }
            }
        }
        true
    });
    failed.map_or(Ok(()), |error| Err(cannot_run(error)))
}

fn cannot_run(error: rustix::io::Errno) -> Stop {
    Stop::CannotRun(error.into())
}

/// A session of its own, and a life tied to ours, between fork and exec.
#[allow(unsafe_code)]
fn before_exec(command: &mut Command, orphaned: Signal) {
    let parent = rustix::process::getpid();
    // SAFETY: the closure runs in the forked child before exec. It makes system calls on values captured by copy and
    // allocates nothing, so it is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            rustix::process::set_parent_process_death_signal(Some(orphaned))?;
            // The parent may have been killed before that took hold.
            if rustix::process::getppid() != Some(parent) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            Ok(())
        });
    }
}

#[cfg(test)]
#[path = "process/tests.rs"]
mod tests;
