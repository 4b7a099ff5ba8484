//! The thread that follows: it waits for stops, and lets processes go on.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::filter::FOREIGN;
use crate::incomplete::Incomplete;
use crate::kernel::{Event, Place, Resume, Wait, place, reap, resume, take_stop, wait};
use crate::observer::{Observer, Who};
use crate::outside::Outside;
use crate::tracees::Tracees;

/// Between looks at processes that were left behind, as long as the first one's end isn't taken: it would be told again and again.
const LOOK: Duration = Duration::from_micros(500);

/// What the thread that follows shares with the one that asks.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) observer: Observer,
    /// Threads that live, and aren't reaped before they are taken from here. The first process isn't among them: others may reap it.
    alive: HashSet<Pid>,
    /// Handle of the first process.
    first: Option<OwnedFd>,
    /// All are to be killed.
    is_stopping: bool,
    /// Whatever there was to follow has been followed.
    pub(crate) has_ended: bool,
}

impl Shared {
    pub(crate) fn new(observer: Observer) -> Self {
        Self { observer, alive: HashSet::new(), first: None, is_stopping: false, has_ended: false }
    }

    /// Whether the first process lives, with one thread, and nothing beside it.
    pub(crate) fn is_alone(&self) -> bool {
        self.alive.is_empty() && !self.has_ended && !self.is_stopping
    }

    /// Kills all that is followed, now and later.
    pub(crate) fn stop(&mut self) {
        self.is_stopping = true;
        if let Some(first) = &self.first {
            let _ = rustix::process::pidfd_send_signal(first, rustix::process::Signal::KILL);
        }
        for &thread in &self.alive {
            let _ = kill(thread, Signal::SIGKILL);
        }
    }
}

/// What is shared, even if the other thread has panicked.
pub(crate) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is told of a process, and of all that it starts.
fn options() -> Options {
    Options::PTRACE_O_EXITKILL
        | Options::PTRACE_O_TRACESECCOMP
        | Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACEEXEC
}

/// Follows a process and all that it starts.
pub(crate) struct Tracer {
    shared: Arc<Mutex<Shared>>,
    first: Pid,
    tracees: Tracees,
    /// The processes that were left behind have been named.
    has_looked_back: bool,
}

impl Tracer {
    /// Takes hold of a process, which hasn't begun with what is to be followed.
    ///
    /// # Errors
    /// The kernel's refusal.
    pub(crate) fn seize(process: Pid, shared: Arc<Mutex<Shared>>) -> Result<Self, Errno> {
        ptrace::seize(process, options())?;
        let handle = rustix::process::Pid::from_raw(process.as_raw())
            .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok());
        lock(&shared).first = handle;
        let mut tracees = Tracees::default();
        tracees.add(process);
        Ok(Self { shared, first: process, tracees, has_looked_back: false })
    }

    /// Follows until there is nothing left to follow.
    pub(crate) fn follow(mut self) {
        while let Some(event) = self.next() {
            match event {
                Event::Ended(thread) => {
                    self.forget(thread);
                    reap(thread);
                }
                Event::Call(thread) => self.returned(thread),
                Event::Signal(thread, signal) => resume(thread, Resume::WithSignal(signal)),
                Event::Stop(thread, what, signal) => self.stopped(thread, what, signal),
            }
        }
        lock(&self.shared).has_ended = true;
    }

    /// What happens next, if anything more can. The first process isn't reaped: that is its parent's affair.
    fn next(&mut self) -> Option<Event> {
        loop {
            match wait(Wait::Any) {
                Ok(Some(Event::Ended(thread))) if thread == self.first => {
                    self.look_back();
                    self.tracees.remove(thread);
                    return self.next_of_others();
                }
                Ok(Some(event)) => return Some(event),
                Ok(None) | Err(Errno::EINTR) => {}
                // ECHILD: all have ended, and the first one's parent has taken its end.
                Err(_) => return None,
            }
        }
    }

    /// What happens next to others than the first process, as long as its end isn't taken.
    fn next_of_others(&mut self) -> Option<Event> {
        loop {
            let others = self.tracees.others(self.first);
            if others.is_empty() {
                return None;
            }
            for other in others {
                match wait(Wait::Look(other)) {
                    Ok(Some(event)) => return Some(event),
                    Ok(None) | Err(Errno::EINTR) => {}
                    Err(_) => self.forget(other),
                }
            }
            thread::sleep(LOOK);
        }
    }

    fn stopped(&mut self, thread: Pid, what: i32, signal: i32) {
        self.add(thread);
        let how = match what {
            libc::PTRACE_EVENT_SECCOMP => self.stands_before(thread),
            libc::PTRACE_EVENT_CLONE | libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK => {
                if let Ok(started) = ptrace::getevent(thread) {
                    self.add(Pid::from_raw(started as i32));
                }
                Resume::On
            }
            libc::PTRACE_EVENT_EXEC => {
                self.executed(thread);
                Resume::On
            }
            libc::PTRACE_EVENT_EXIT => {
                if self.tracees.ends(thread) && self.tracees.process(thread) == Some(self.first) {
                    self.look_back();
                }
                Resume::On
            }
            // It was stopped by a signal, as a shell stops a job.
            libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Resume::Listen,
            _ => Resume::On,
        };
        resume(thread, how);
    }

    /// A thread is followed.
    fn add(&mut self, thread: Pid) {
        if !self.tracees.add(thread) || thread == self.first {
            return;
        }
        let mut shared = lock(&self.shared);
        shared.alive.insert(thread);
        if shared.is_stopping {
            let _ = kill(thread, Signal::SIGKILL);
        }
    }

    fn who(&self, thread: Pid) -> Who {
        Who { thread, process: self.tracees.process(thread).unwrap_or(thread) }
    }

    fn stands_before(&mut self, thread: Pid) -> Resume {
        let who = self.who(thread);
        let mut shared = lock(&self.shared);
        match place(thread) {
            Ok(Some(Place::Before(_, _, FOREIGN))) => shared.observer.writing.outside(Outside::ForeignCall),
            Ok(Some(Place::Before(number, arguments, _))) => {
                if let Some(pending) = shared.observer.begin(who, number, arguments) {
                    drop(shared);
                    self.tracees.pending(thread, pending);
                    return Resume::ToReturn;
                }
            }
            Err(Errno::ESRCH) => {}
            _ => shared.observer.writing.incomplete(Incomplete::Stop),
        }
        Resume::On
    }

    fn returned(&mut self, thread: Pid) {
        let who = self.who(thread);
        if let Some(pending) = self.tracees.take_pending(thread) {
            let mut shared = lock(&self.shared);
            match place(thread) {
                Ok(Some(Place::Behind(returned))) => shared.observer.end(who, pending, returned),
                Err(Errno::ESRCH) => {}
                _ => shared.observer.writing.incomplete(Incomplete::Stop),
            }
        }
        resume(thread, Resume::On);
    }

    /// A thread has become another program: the only one of its process, whose id it has now.
    fn executed(&mut self, thread: Pid) {
        take_stop(thread);
        let before = ptrace::getevent(thread).map_or(thread, |id| Pid::from_raw(id as i32));
        let pending = self.tracees.take_pending(before);
        if before != thread {
            self.forget(before);
        }
        self.tracees.begins_anew(thread);
        let who = self.who(thread);
        lock(&self.shared).observer.executed(who, pending);
        // From here on its end is told, too. Not before: `Command::spawn` waits for a child that can't be started, and would take that stop for its end.
        if ptrace::setoptions(thread, options() | Options::PTRACE_O_TRACEEXIT) == Err(Errno::EINVAL) {
            lock(&self.shared).observer.writing.incomplete(Incomplete::Stop);
        }
    }

    fn forget(&mut self, thread: Pid) {
        self.tracees.remove(thread);
        lock(&self.shared).alive.remove(&thread);
    }

    /// The first process ends: what lives beside it was left behind.
    fn look_back(&mut self) {
        if std::mem::replace(&mut self.has_looked_back, true) {
            return;
        }
        let living = self.tracees.living(self.first);
        let mut shared = lock(&self.shared);
        for name in living {
            shared.observer.writing.outside(Outside::LeftBehind(name));
        }
    }
}
