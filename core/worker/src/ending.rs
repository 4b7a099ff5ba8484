//! What a process's start and end say, in words.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use tare_samples::{Failure, FailureKind};

/// The failure of a worker that ended with this status and without an answer; without a status, of one that closed its
/// wire and goes on running.
pub(crate) fn without_answer(status: Option<ExitStatus>) -> Failure {
    match status {
        None => Failure::new(
            FailureKind::Protocol,
            "the worker closed its wire and went on running",
            "user code must not close file descriptors that it didn't open; check the worker with `tare conformance -- WORKER`",
        ),
        Some(status) => match (status.signal(), status.code()) {
            (Some(9), _) => Failure::new(
                FailureKind::Signal,
                "the process was killed by signal 9 (SIGKILL)",
                "the kernel does this when memory runs out: look into its log (dmesg) and at the subject's memory",
            ),
            (Some(signal), _) => Failure::new(
                FailureKind::Signal,
                format!("the process was ended by signal {signal}{}", signal_name(signal)),
                "run the subject by itself under a debugger; in an interpreter, with its extensions switched off one by one",
            ),
            (None, code) => Failure::new(
                FailureKind::Exit,
                format!("the process ended with status {} and without an answer", code.unwrap_or(-1)),
                "look at what it printed; code under measurement must return, not end the process",
            ),
        },
    }
}

/// The failure of a process that ended, with what it said of that, if anything, in the message.
pub(crate) fn with_last_words(mut failure: Failure) -> Failure {
    if matches!(failure.kind, FailureKind::Exit | FailureKind::Signal)
        && let Some(words) = last_words(&failure.stderr)
    {
        failure.message = format!("{}: {words}", failure.message);
    }
    failure
}

/// What runtimes print first when they give up: the line itself, where there is one. What stands below it, stacks of every thread, is
/// longer than anybody is shown.
fn last_words(printed: &str) -> Option<&str> {
    const BEGIN: [&str; 4] = ["fatal error: ", "panic: ", "terminate called ", "Fatal Python error: "];
    const LONGEST: usize = 200;
    let line = printed.lines().find(|line| BEGIN.iter().any(|begin| line.starts_with(begin)))?.trim_end();
    Some(line.char_indices().nth(LONGEST).map_or(line, |(end, _)| &line[..end]))
}

/// The failure of a command that is no process.
pub(crate) fn cannot_start(program: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            FailureKind::Runtime,
            format!("there is no program `{program}`"),
            "install it, or name another with --runtime NAME=COMMAND",
        ),
        io::ErrorKind::PermissionDenied => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` may not be executed"),
            "check its rights, or name another with --runtime NAME=COMMAND",
        ),
        _ => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` can't be started: {error}"),
            "name another with --runtime NAME=COMMAND",
        ),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        31 => " (SIGSYS)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn the_line_that_says_why_is_found_in_front_of_the_stacks() {
        let printed = "starting\nfatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n";
        assert_eq!(last_words(printed), Some("fatal error: all goroutines are asleep - deadlock!"));
        assert_eq!(last_words("don't panic: it is fine\nbye\n"), None);
        assert_eq!(last_words(&format!("panic: {}", "é".repeat(500))).map(|words| words.chars().count()), Some(200));
    }
}
