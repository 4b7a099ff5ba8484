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
            "the worker closed its connection to Tare but still runs",
            "user code must not close file descriptors that it didn't open; check the worker with `tare conformance -- WORKER`",
        ),
        Some(status) => match (status.signal(), status.code()) {
            (Some(9), _) => Failure::new(
                FailureKind::Signal,
                KILLED,
                "the kernel does this when memory runs out: look into its log (dmesg) and at the subject's memory",
            ),
            (Some(25), _) => Failure::new(
                FailureKind::Signal,
                "the process was ended by signal 25 (SIGXFSZ): it wrote more to a file than its limit allows",
                "raise the limit on the size of files (ulimit -f), or let the subject write less",
            ),
            (Some(24), _) => Failure::new(
                FailureKind::Signal,
                "the process was ended by signal 24 (SIGXCPU): it took more CPU time than its limit allows",
                "raise the limit on CPU time (ulimit -t), or measure for a shorter time with --budget",
            ),
            (Some(signal), _) => Failure::new(
                FailureKind::Signal,
                format!("the process was ended by signal {signal}{}", signal_name(signal)),
                "run the subject alone under a debugger; in PHP and Python, switch off extensions one by one",
            ),
            (None, code) => Failure {
                exit_status: code,
                ..Failure::new(
                    FailureKind::Exit,
                    format!("the process ended with status {} and without an answer", code.unwrap_or(-1)),
                    "look at what the process printed; code under measurement must return, not end the process",
                )
            },
        },
    }
}

/// What a process that SIGKILL ended is told as.
const KILLED: &str = "the process was killed by signal 9 (SIGKILL)";

/// The failure of a process that ended, with what it said of that, if anything, in the message. Whom SIGKILL ends has no time for
/// words: what it printed before is about something else.
pub(crate) fn with_last_words(mut failure: Failure) -> Failure {
    if matches!(failure.kind, FailureKind::Exit | FailureKind::Signal)
        && failure.message != KILLED
        && let Some(words) = last_words(&failure.stderr)
    {
        failure.message = format!("{}: {words}", failure.message);
    }
    if failure.kind == FailureKind::Signal
        && failure.file.is_empty()
        && let Some((file, line)) = python_place(&failure.stderr)
    {
        failure = failure.at(file, line);
        // The end of what was printed is shown: Tare's frames are the outermost, and would stand there.
        let is_own = |line: &&str| line.starts_with("  File \"") && OWN.iter().any(|own| line.contains(own));
        failure.stderr = failure.stderr.lines().filter(|line| !is_own(line)).collect::<Vec<_>>().join("\n");
    }
    failure
}

/// What paths of Tare's own Python have in them.
const OWN: [&str; 3] = ["/tare_worker/", "/src/tare/", "/tare/sdk-python-"];

/// The innermost frame of the user's in what Python's faulthandler prints: `  File "/…/bench_x.py", line 12 in work`. Tare's own frames, and those
/// of installed packages and of the standard library, are passed over where there are others.
fn python_place(printed: &str) -> Option<(String, u64)> {
    const INSTALLED: [&str; 3] = ["/lib/python", "/site-packages/", "/dist-packages/"];
    let (_, trace) = printed.rsplit_once("Fatal Python error: ")?;
    let frame = |line: &str| {
        let (file, rest) = line.strip_prefix("  File \"")?.split_once("\", line ")?;
        let number: u64 = rest.split_once(" in ")?.0.parse().ok()?;
        let is_own = file.starts_with('<') || OWN.iter().any(|own| file.contains(own));
        (!is_own).then(|| (file.to_owned(), number))
    };
    let frames: Vec<(String, u64)> = trace.lines().filter_map(frame).collect();
    let is_users = |(file, _): &&(String, u64)| !INSTALLED.iter().any(|place| file.contains(place));
    frames.iter().find(is_users).or(frames.first()).cloned()
}

/// What runtimes print first when they give up: the line itself, where there is one. What stands below it, stacks of every thread, is
/// longer than anybody is shown. The last of several: a server that logs a panic it has recovered from goes on.
fn last_words(printed: &str) -> Option<&str> {
    const BEGIN: [&str; 6] = [
        "fatal error: ",
        "panic: ",
        "unexpected fault address",
        "SIGSEGV: ",
        "terminate called ",
        "Fatal Python error: ",
    ];
    /// Go's line below the address of a fault, which says less than that.
    const SAYS_LESS: &str = "fatal error: fault";
    const LONGEST: usize = 200;
    let says_why = |line: &&str| BEGIN.iter().any(|begin| line.starts_with(begin)) && line.trim_end() != SAYS_LESS;
    let line = printed.lines().rfind(says_why)?.trim_end();
    Some(line.char_indices().nth(LONGEST).map_or(line, |(end, _)| &line[..end]))
}

/// The failure of a command that is no process.
pub(crate) fn cannot_start(program: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound if program.contains('/') && !program.starts_with('/') => Failure::new(
            FailureKind::Runtime,
            format!("there is no program `{program}` in the folder that it is started in"),
            "give its absolute path; or let `prepare` in [compare] make it, since a checkout of a revision has only what git has",
        ),
        io::ErrorKind::NotFound => Failure::new(
            FailureKind::Runtime,
            format!("there is no program `{program}`"),
            "install it, or name another with --runtime NAME=COMMAND",
        ),
        io::ErrorKind::PermissionDenied => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` may not be executed"),
            "check its rights, and whether its file system is mounted with noexec (XDG_CACHE_HOME names another cache); or name another with --runtime NAME=COMMAND",
        ),
        // Another program could be started no better.
        _ if lacks_descriptors(error) => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` can't be started: {error}"),
            "raise the limit on open files (ulimit -n), or end the programs that have too many open",
        ),
        _ if error.kind() == io::ErrorKind::OutOfMemory => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` can't be started: {error}"),
            "free some memory, or raise the limit on it (ulimit -v)",
        ),
        _ => Failure::new(
            FailureKind::Runtime,
            format!("`{program}` can't be started: {error}"),
            "name another with --runtime NAME=COMMAND",
        ),
    }
}

fn lacks_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    Errno::from_io_error(error).is_some_and(|number| number == Errno::MFILE || number == Errno::NFILE)
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
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::{last_words, python_place, with_last_words, without_answer};

    #[test]
    fn a_crash_of_python_has_the_users_frame() {
        let printed = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n  File \"<frozen importlib>\", line 2 in f\n  File \"/c/src/tare_worker/call_path.py\", line 9 in loop\n  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 5 in string_at\n  File \"/p/bench_x.py\", line 12 in bench_read\n  File \"/c/worker.py\", line 46 in <module>\n";
        assert_eq!(python_place(printed), Some(("/p/bench_x.py".to_owned(), 12)));
        assert_eq!(python_place("  File \"/p/bench_x.py\", line 12 in bench_read\n"), None);
        let mut failure = without_answer(Some(ExitStatus::from_raw(11)));
        printed.clone_into(&mut failure.stderr);
        let failure = with_last_words(failure);
        assert_eq!((failure.file.as_str(), failure.line), ("/p/bench_x.py", 12));
        assert!(!failure.stderr.contains("tare_worker") && failure.stderr.contains("bench_x.py"), "{}", failure.stderr);
        assert!(failure.message.ends_with("(SIGSEGV): Fatal Python error: Segmentation fault"), "{}", failure.message);
    }

    #[test]
    fn the_line_that_says_why_is_found_in_front_of_the_stacks() {
        let printed = "starting\nfatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n";
        assert_eq!(last_words(printed), Some("fatal error: all goroutines are asleep - deadlock!"));
        assert_eq!(last_words("don't panic: it is fine\nbye\n"), None);
        assert_eq!(last_words(&format!("panic: {}", "é".repeat(500))).map(|words| words.chars().count()), Some(200));
    }

    #[test]
    fn a_panic_that_was_logged_and_survived_is_not_what_ended_the_process() {
        let printed = "panic: boom\ngoroutine 7 [running]:\nserving on\nterminate called without an active exception\n";
        assert_eq!(last_words(printed), Some("terminate called without an active exception"));
        let ended = |signal: i32| {
            let mut failure = without_answer(Some(ExitStatus::from_raw(signal)));
            "panic: boom\n".clone_into(&mut failure.stderr);
            with_last_words(failure).message
        };
        assert_eq!(ended(9), "the process was killed by signal 9 (SIGKILL)");
        assert_eq!(ended(6), "the process was ended by signal 6 (SIGABRT): panic: boom");
    }

    #[test]
    fn a_limit_that_ended_the_process_is_named() {
        for (signal, limit) in [(24, "ulimit -t"), (25, "ulimit -f")] {
            let failure = without_answer(Some(ExitStatus::from_raw(signal)));
            assert!(failure.message.contains("than its limit allows") && failure.remedy.contains(limit), "{failure:?}");
        }
    }

    #[test]
    fn crashes_of_go_are_known_by_their_first_line() {
        for (printed, says) in [
            (
                "unexpected fault address 0x7f10\nfatal error: fault\n[signal SIGBUS: bus error]\n",
                "unexpected fault address 0x7f10",
            ),
            (
                "SIGSEGV: segmentation violation\nPC=0x4a m=0 sigcode=1\nsignal arrived during cgo execution\n",
                "SIGSEGV: segmentation violation",
            ),
            (
                "fatal error: unexpected signal during runtime execution\n[signal SIGSEGV: segmentation violation code=0x1]\n",
                "fatal error: unexpected signal during runtime execution",
            ),
        ] {
            assert_eq!(last_words(printed), Some(says));
        }
    }
}
