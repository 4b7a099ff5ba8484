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
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::error::Error;
use crate::session::Session;

/// Signals after which the command is killed: one to end it, one for a command that needs two, as `tare run`.
const PATIENCE: usize = 3;
/// How soon the end of the command is noticed. A wait that a signal thread would interrupt needs more than the standard library
/// has, and what waits here measures nothing.
const SLICE: Duration = Duration::from_millis(10);

/// Why the command couldn't be run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct NotRun {
    /// As a shell has it: 127 for what isn't there, 126 for what can't be executed.
    pub status: u8,
    message: String,
}

/// The signals that ask for an end. They are only counted: nothing ends this process before everything is put back.
#[derive(Debug)]
pub struct Signals {
    count: Arc<AtomicUsize>,
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// From here on they are counted.
    ///
    /// # Errors
    ///
    /// The system doesn't let them.
    pub fn catch() -> Result<Self, Error> {
        let (count, last) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
            .map_err(|error| Error::failed(format!("signals can't be handled: {error}")))?;
        let (counted, seen) = (Arc::clone(&count), Arc::clone(&last));
        std::thread::spawn(move || {
            for signal in signals.forever() {
                seen.store(signal.cast_unsigned() as usize, Ordering::SeqCst);
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(Self { count, last })
    }

    /// How many came.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    fn last(&self) -> Option<Signal> {
        match self.last.load(Ordering::SeqCst) as i32 {
            SIGINT => Some(Signal::INT),
            SIGTERM => Some(Signal::TERM),
            SIGHUP => Some(Signal::HUP),
            SIGQUIT => Some(Signal::QUIT),
            _ => None,
        }
    }
}

impl Session<'_> {
    /// Runs a command to its end and says how it ended, as a shell would; `None` where a signal came before it. Signals are handed on to it.
    ///
    /// # Errors
    ///
    /// It can't be run.
    pub fn run_command(&self, words: &[OsString], signals: &Signals) -> Result<Option<u8>, NotRun> {
        run(words, signals, self)
    }
}

fn run(words: &[OsString], signals: &Signals, session: &Session<'_>) -> Result<Option<u8>, NotRun> {
    let Some((program, arguments)) = words.split_first() else { return Ok(Some(0)) };
    if signals.count() > 0 {
        return Ok(None);
    }
    let mut child = Command::new(program).args(arguments).spawn().map_err(|error| {
        let name = program.to_string_lossy();
        let message = format!("{name} can't be run: {error}; name a program and its arguments after `--`");
        let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        NotRun { status, message }
    })?;
    let mut handed = 0;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Some(passed(status))),
            Ok(None) => {}
            Err(error) => {
                return Err(NotRun { status: 4, message: format!("the command can't be waited for: {error}") });
            }
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
        session.notice("the command doesn't end; it is killed, and what it has started may go on");
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

fn passed(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
