//! The threads that are followed.

use std::collections::HashMap;
use std::fs;

use nix::unistd::Pid;

use crate::pending::Pending;

/// A followed thread.
#[derive(Debug)]
pub(crate) struct Tracee {
    /// The process that it belongs to.
    pub(crate) process: Pid,
    /// The call that it stands in, whose end is waited for.
    pub(crate) pending: Option<Pending>,
    /// It is ending.
    pub(crate) is_ending: bool,
}

/// All followed threads, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Tracees {
    threads: HashMap<Pid, Tracee>,
}

impl Tracees {
    /// A thread is followed; whether it wasn't known.
    pub(crate) fn add(&mut self, thread: Pid) -> bool {
        if self.threads.contains_key(&thread) {
            return false;
        }
        let process = process_of(thread).unwrap_or(thread);
        self.threads.insert(thread, Tracee { process, pending: None, is_ending: false });
        true
    }

    pub(crate) fn remove(&mut self, thread: Pid) {
        self.threads.remove(&thread);
    }

    pub(crate) fn pending(&mut self, thread: Pid, pending: Pending) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.pending = Some(pending);
        }
    }

    pub(crate) fn take_pending(&mut self, thread: Pid) -> Option<Pending> {
        self.threads.get_mut(&thread)?.pending.take()
    }

    /// A thread has become another program.
    pub(crate) fn begins_anew(&mut self, thread: Pid) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.pending = None;
            tracee.is_ending = false;
        }
    }

    /// A thread is ending. Whether it is the last one of its process.
    pub(crate) fn ends(&mut self, thread: Pid) -> bool {
        let Some(tracee) = self.threads.get_mut(&thread) else { return false };
        tracee.is_ending = true;
        let process = tracee.process;
        self.threads.values().all(|tracee| tracee.process != process || tracee.is_ending)
    }

    pub(crate) fn process(&self, thread: Pid) -> Option<Pid> {
        self.threads.get(&thread).map(|tracee| tracee.process)
    }

    /// All but this one.
    pub(crate) fn others(&self, than: Pid) -> Vec<Pid> {
        self.threads.keys().copied().filter(|&thread| thread != than).collect()
    }

    /// Processes that live, but for this one, by their names.
    pub(crate) fn living(&self, but: Pid) -> Vec<String> {
        let living = self.threads.iter().filter(|(thread, tracee)| {
            **thread == tracee.process && tracee.process != but && !tracee.is_ending && !has_ended(**thread)
        });
        let name = |thread: &Pid| fs::read_to_string(format!("/proc/{thread}/comm")).unwrap_or_default();
        living.map(|(thread, _)| name(thread).trim().escape_debug().to_string()).collect()
    }
}

/// The line of `/proc/…/status` that begins so.
fn status(thread: Pid, begins: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(begins)).map(|value| value.trim().to_owned())
}

fn process_of(thread: Pid) -> Option<Pid> {
    status(thread, "Tgid:")?.parse().ok().map(Pid::from_raw)
}

/// Whether it is a zombie, or gone.
fn has_ended(thread: Pid) -> bool {
    status(thread, "State:").is_none_or(|state| state.starts_with(['Z', 'X']))
}
