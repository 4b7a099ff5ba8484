//! Compilers and the tools that call them: in process groups of their own, which end when Tare is asked to end.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::spawn::before_exec;

/// Between two looks whether a tool has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Process groups in which something is being built.
struct Builds {
    /// By their leaders; `None` once nothing may be built any more.
    groups: Mutex<Option<BTreeSet<u32>>>,
    time: Mutex<BuildTime>,
}

/// For how long something was being built, however much at once.
#[derive(Debug)]
struct BuildTime {
    under_way: usize,
    since: Option<Instant>,
    spent: Duration,
}

static ALL: Builds = Builds::new();

/// Ends all that is being built, with the compilers that were started for it; what is asked for afterwards isn't begun.
pub fn end_builds() {
    ALL.end();
}

/// For how long something was being built, since this process began: what is built at once counts once.
#[must_use]
pub fn build_time() -> Duration {
    ALL.spent(Instant::now())
}

/// Runs a tool to its end: what it said, and how it ended.
///
/// # Errors
/// It can't be started, or Tare was asked to end ([`end_builds`]).
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    ALL.output(command)
}

/// Runs a tool to its end; `None` where `stop` ended it.
///
/// # Errors
/// As of [`output`].
pub(crate) fn status(command: &mut Command, stop: &dyn Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    ALL.status(command, stop)
}

impl Builds {
    const fn new() -> Self {
        let time = BuildTime { under_way: 0, since: None, spent: Duration::ZERO };
        Self { groups: Mutex::new(Some(BTreeSet::new())), time: Mutex::new(time) }
    }

    fn spent(&self, now: Instant) -> Duration {
        let time = self.time();
        time.spent + time.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    fn time(&self) -> MutexGuard<'_, BuildTime> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        for group in self.groups().take().into_iter().flatten() {
            kill(group);
        }
    }

    fn output(&self, command: &mut Command) -> io::Result<Output> {
        let child = self.begin(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
        let group = child.id();
        let output = child.wait_with_output();
        self.forget(group)?;
        output
    }

    fn status(&self, command: &mut Command, stop: &dyn Fn() -> bool) -> io::Result<Option<ExitStatus>> {
        let mut child = self.begin(command)?;
        let group = child.id();
        loop {
            if let Some(status) = child.try_wait()? {
                return self.forget(group).map(|()| Some(status));
            }
            if stop() {
                kill(group);
                child.wait()?;
                return self.forget(group).map(|()| None);
            }
            thread::sleep(LOOK);
        }
    }

    fn begin(&self, command: &mut Command) -> io::Result<Child> {
        before_exec(command.process_group(0), &[]);
        // Held while it is started: what ends builds finds it.
        let mut groups = self.groups();
        let Some(groups) = groups.as_mut() else { return Err(stopped()) };
        let child = command.spawn()?;
        groups.insert(child.id());
        self.time().begin(Instant::now());
        Ok(child)
    }

    /// # Errors
    /// It was ended with all others.
    fn forget(&self, group: u32) -> io::Result<()> {
        self.time().end(Instant::now());
        match self.groups().as_mut() {
            Some(groups) => {
                groups.remove(&group);
                Ok(())
            }
            None => Err(stopped()),
        }
    }

    fn groups(&self) -> MutexGuard<'_, Option<BTreeSet<u32>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BuildTime {
    fn begin(&mut self, now: Instant) {
        self.under_way += 1;
        self.since.get_or_insert(now);
    }

    fn end(&mut self, now: Instant) {
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(since) = self.since.take_if(|_| self.under_way == 0) {
            self.spent += now.saturating_duration_since(since);
        }
    }
}

fn kill(group: u32) {
    if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "it was stopped")
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::process::Command;
    use std::thread;

    use std::time::{Duration, Instant};

    use super::Builds;

    #[test]
    fn what_is_built_at_once_takes_its_time_once() {
        let builds = Builds::new();
        let begun = Instant::now();
        let at = |seconds: u64| begun + Duration::from_secs(seconds);
        builds.time().begin(at(0));
        builds.time().begin(at(2));
        builds.time().end(at(3));
        assert_eq!(builds.spent(at(4)), Duration::from_secs(4), "one goes on");
        builds.time().end(at(5));
        assert_eq!(builds.spent(at(9)), Duration::from_secs(5));
        builds.time().begin(at(10));
        builds.time().end(at(11));
        assert_eq!(builds.spent(at(20)), Duration::from_secs(6));
        assert!(builds.output(&mut Command::new("/nowhere")).is_err());
        assert_eq!(builds.time().under_way, 0, "what didn't begin isn't under way");
    }

    #[test]
    fn what_is_built_ends_with_all_that_it_started_and_nothing_begins_afterwards() {
        let builds = Builds::new();
        assert_eq!(builds.output(Command::new("echo").arg("built")).unwrap().stdout, b"built\n");
        assert!(builds.groups().as_ref().unwrap().is_empty());
        // The output ends where the process in the background has ended, too.
        let ended = thread::scope(|scope| {
            let building =
                scope.spawn(|| builds.output(Command::new("sh").args(["-c", "sleep 600 & sleep 600"])).unwrap_err());
            while builds.groups().as_ref().is_some_and(std::collections::BTreeSet::is_empty) {
                thread::yield_now();
            }
            builds.end();
            building.join().unwrap()
        });
        assert_eq!(ended.kind(), ErrorKind::Interrupted);
        assert_eq!(builds.status(&mut Command::new("true"), &|| false).unwrap_err().kind(), ErrorKind::Interrupted);
    }
}
