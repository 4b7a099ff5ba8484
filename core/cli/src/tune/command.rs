//! The command that runs on the settled machine.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use rustix::process::{Pid, Signal, getpgrp, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::exit::{Refusal, Status};
use crate::screen;

/// Signals after which the command is killed: one to end it, one for a command that needs two, as `tare run`.
const PATIENCE: usize = 3;
/// How soon the end of the command is noticed. A wait that a signal thread would interrupt needs more than the standard library
/// has, and what waits here measures nothing.
const SLICE: Duration = Duration::from_millis(10);

/// The signals that ask for an end. They are only counted: nothing ends this process before everything is put back.
pub(super) struct Signals {
    count: Arc<AtomicUsize>,
    last: Arc<AtomicUsize>,
}

impl Signals {
    pub(super) fn catch() -> Result<Self, Refusal> {
        let (count, last) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
            .map_err(|error| Refusal::failed(anyhow!("signals can't be handled: {error}")))?;
        let (counted, seen) = (Arc::clone(&count), Arc::clone(&last));
        std::thread::spawn(move || {
            for signal in signals.forever() {
                seen.store(signal.cast_unsigned() as usize, Ordering::SeqCst);
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(Self { count, last })
    }

    pub(super) fn count(&self) -> usize {
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

/// Runs the command to its end and says how it ended, as a shell would. Signals are handed on to it.
pub(super) fn run(words: &[OsString], signals: &Signals) -> Result<Status, Refusal> {
    let Some((program, arguments)) = words.split_first() else { return Ok(Status::Done) };
    if signals.count() > 0 {
        return Ok(Status::Interrupted);
    }
    let mut child = Command::new(program).args(arguments).spawn().map_err(|error| {
        let name = program.to_string_lossy();
        let cause = anyhow!("{name} can't be run: {error}; name a program and its arguments after `--`");
        // As a shell has it: 127 for what isn't there, 126 for what can't be executed.
        let status = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        Refusal { status: Status::Passed(status), cause }
    })?;
    let mut handed = 0;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(passed(status)),
            Ok(None) => {}
            Err(error) => return Err(Refusal::failed(anyhow!("the command can't be waited for: {error}"))),
        }
        let count = signals.count();
        if count > handed {
            handed = count;
            hand_on(&mut child, signals, count);
        }
        std::thread::sleep(SLICE);
    }
}

fn hand_on(child: &mut Child, signals: &Signals, count: usize) {
    if count >= PATIENCE {
        // It has no process group of its own, so that it may use the terminal.
        screen::complain("the command doesn't end; it is killed, and what it has started may go on");
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
        screen::complain("everything is put back when the command has ended");
    }
}

/// Whether this process and the command are those that the terminal sends its signals to.
fn is_in_the_foreground() -> bool {
    std::fs::File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal).is_ok_and(|group| group == getpgrp()))
}

fn passed(status: ExitStatus) -> Status {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Status::Passed(u8::try_from(code).unwrap_or(1))
}
