//! Starting a command that is followed from before its first instruction, and asking what it did.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use libc::sock_filter;
use nix::errno::Errno;
use nix::unistd::Pid;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::calls;
use crate::filter;
use crate::incomplete::Incomplete;
use crate::observer::Observer;
use crate::record::{Record, Scope};
use crate::refusal::{Refusal, SpawnError};
use crate::tracer::{Shared, Tracer, lock};

/// Follows a process and all that it starts. When it is dropped they are killed, and they don't outlive this process either.
#[derive(Debug)]
pub struct Follower {
    shared: Arc<Mutex<Shared>>,
    thread: Option<JoinHandle<()>>,
}

impl Follower {
    /// What was recorded since the last call, or the beginning.
    ///
    /// Whatever a followed process did before something that the caller has seen is in it: a process waits at each call that is recorded until it has been.
    pub fn take(&mut self) -> Record {
        let has_stopped = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        let mut shared = lock(&self.shared);
        if has_stopped && !shared.has_ended {
            shared.observer.writing.incomplete(Incomplete::Lost);
        }
        shared.observer.take()
    }

    /// Begins anew with what comes next, where the first process alone is left: files that processes before it made are as good as any that were there.
    /// False where others live, whose doings couldn't be told from what comes.
    pub fn begin_anew(&mut self) -> bool {
        let mut shared = lock(&self.shared);
        let is_alone = shared.is_alone();
        if is_alone {
            shared.observer.begin_anew();
        }
        is_alone
    }

    /// Kills what is left of the processes, and says what was recorded since the last [`Follower::take`]: with
    /// [`Outside::LeftBehind`](crate::Outside::LeftBehind) for what lived
    /// when the first process ended.
    pub fn finish(mut self) -> Record {
        self.stop();
        self.take()
    }

    fn stop(&mut self) {
        lock(&self.shared).stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How the child and the thread that follows it speak before execve(2).
struct Channel {
    /// The child's id, then the number of an error with its filter.
    said: OwnedFd,
    /// A byte lets the child go on: 1, it is followed; 0, it isn't.
    go: OwnedFd,
}

/// Starts a command that is followed, with all that it starts, from before its first instruction.
///
/// The child is the caller's: of the thread that calls this, to wait for and to kill. A `wait` while it may not have ended yet can return a stop as if it
/// were the end: the caller waits until a pidfd says that it has ended. The process can't get new rights (`no_new_privs`).
///
/// # Errors
/// [`SpawnError::Refused`]: the system doesn't let us follow it. [`SpawnError::Start`]: it can't be started, as without following it.
pub fn spawn(mut command: Command, scope: Scope) -> Result<(Child, Follower), SpawnError> {
    let processor = calls::PROCESSOR.ok_or(Refusal::Processor)?;
    let shared = Arc::new(Mutex::new(Shared::new(Observer::new(scope))));
    let (said, say) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(Refusal::from)?;
    let (heard, go) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from).map_err(Refusal::from)?;
    let again = said.try_clone().map_err(Refusal::from)?;
    let (tell, told) = channel();
    let theirs = Arc::clone(&shared);
    // A process belongs to the thread that follows it, and only that one may wait for its stops. The caller waits in `spawn` until execve(2) has succeeded.
    let thread = thread::Builder::new()
        .name("follower".to_owned())
        .spawn(move || follow(Channel { said, go }, theirs, &tell))
        .map_err(Refusal::from)?;
    ask(&mut command, filter::program(processor), heard, say);
    let started = command.spawn();
    // Our copy of the child's ends goes with it.
    drop(command);
    match started {
        Ok(child) => Ok((child, Follower { shared, thread: Some(thread) })),
        Err(error) => {
            let refusal = match told.recv() {
                // The child's end is closed: it has said something, or there is nothing to come.
                Ok(Ok(())) => number(&again).map(|error| Refusal::Seccomp(Errno::from_raw(error))),
                Ok(Err(error)) => Some(Refusal::Ptrace(error)),
                // There is no child.
                Err(_) => None,
            };
            lock(&shared).stop();
            let _ = thread.join();
            Err(refusal.map_or(SpawnError::Start(error), SpawnError::Refused))
        }
    }
}

/// Makes the child of a command wait until it is followed, and then give itself the filter.
#[allow(unsafe_code)]
fn ask(command: &mut Command, filter: Vec<sock_filter>, heard: OwnedFd, say: OwnedFd) {
    // SAFETY: the closure runs in the forked child before exec. It makes system calls on values that were made before, and allocates nothing, so that it is
    // async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            let own = rustix::process::getpid().as_raw_nonzero().get();
            rustix::io::write(&say, &own.to_ne_bytes())?;
            let mut answer = [0];
            if rustix::io::read(&heard, &mut answer)? != 1 || answer != [1] {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            filter::install(&filter).map_err(|error| {
                let _ = rustix::io::write(&say, &(error as i32).to_ne_bytes());
                error.into()
            })
        });
    }
}

/// The thread that follows: takes hold of the child, and lets it go on.
fn follow(channel: Channel, shared: Arc<Mutex<Shared>>, tell: &Sender<Result<(), Errno>>) {
    // Without a number there is no child.
    let Some(process) = number(&channel.said).map(Pid::from_raw) else { return };
    let seized = Tracer::seize(process, Arc::clone(&shared));
    let is_followed = seized.is_ok();
    let _ = tell.send(seized.as_ref().map(|_| ()).map_err(|error| *error));
    let _ = rustix::io::write(&channel.go, &[u8::from(is_followed)]);
    drop(channel);
    if let Ok(tracer) = seized {
        tracer.follow();
    }
}

/// Four bytes of a pipe; none where it ends.
fn number(pipe: &OwnedFd) -> Option<i32> {
    let mut bytes = [0; 4];
    loop {
        match rustix::io::read(pipe.as_fd(), &mut bytes) {
            Ok(4) => return Some(i32::from_ne_bytes(bytes)),
            Err(rustix::io::Errno::INTR) => {}
            _ => return None,
        }
    }
}
