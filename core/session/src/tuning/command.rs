//! The command that runs on the settled machine.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;

use super::TuneEnd;
use crate::error::Error;
use crate::session::Session;

/// Signals after which the command is killed: one to end it, one for a command that needs two, as `tare run`.
const PATIENCE: usize = 3;
/// How soon the end of the command is noticed. A wait that a signal thread would interrupt needs more than the standard library
/// has, and what waits here measures nothing.
const SLICE: Duration = Duration::from_millis(10);

/// The signals that ask for an end. They are only counted: nothing ends this process before everything is put back.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// How many came.
    pub count: Arc<AtomicUsize>,
    /// The number of the newest.
    pub last: Arc<AtomicUsize>,
}

impl Signals {
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    fn last(&self) -> Option<Signal> {
        let number = self.last.load(Ordering::SeqCst);
        let known = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];
        known.into_iter().find(|signal| usize::try_from(signal.as_raw()) == Ok(number))
    }
}

/// Runs the command to its end and says how it ended, as a shell would. Signals are handed on to it.
pub(super) fn run(words: &[OsString], signals: &Signals, session: &Session<'_>) -> Result<TuneEnd, Error> {
    let Some((program, arguments)) = words.split_first() else { return Ok(TuneEnd::Done) };
    if signals.count() > 0 {
        return Ok(TuneEnd::Interrupted);
    }
    let mut child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(error) => {
            let name = program.to_string_lossy();
            // As a shell has it: 127 for what isn't there, 126 for what can't be executed.
            let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
            let message = format!("{name} can't be run: {error}; name a program and its arguments after `--`");
            return Ok(TuneEnd::NotRun(status, Error::usage(message)));
        }
    };
    let mut handed = 0;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(passed(status)),
            Ok(None) => {}
            Err(error) => return Err(Error::failed(format!("the command can't be waited for: {error}"))),
        }
        let count = signals.count();
        if count > handed {
            handed = count;
            hand_on(&mut child, signals, count, session);
        }
        std::thread::sleep(SLICE);
    }
}

fn hand_on(child: &mut Child, signals: &Signals, count: usize, session: &Session<'_>) {
    if count >= PATIENCE {
        // It has no process group of its own, so that it may use the terminal.
        session.notice("the command doesn't end; Tare kills it, but processes that it started may go on");
        let _ = child.kill();
        return;
    }
    let (Some(signal), Ok(pid)) = (signals.last(), i32::try_from(child.id())) else { return };
    // What is typed at the terminal reaches the command as well; a second one of the same would be taken for another.
    let typed = matches!(signal, Signal::INT | Signal::QUIT) && is_in_the_foreground();
    if let Some(pid) = Pid::from_raw(pid).filter(|_| !typed) {
        let _ = kill_process(pid, signal);
    }
    if count == 1 {
        session.notice("everything is put back when the command has ended");
    }
}

/// Whether this process and the command are those that the terminal sends its signals to.
fn is_in_the_foreground() -> bool {
    std::fs::File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}

fn passed(status: ExitStatus) -> TuneEnd {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    TuneEnd::Passed(u8::try_from(code).unwrap_or(1))
}
