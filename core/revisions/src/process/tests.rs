use std::cell::Cell;
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::{Outlet, Stop, Terms, run};

/// Runs a shell's text; how it ended and what it printed.
fn shell(text: &str, limit: Option<Duration>, interrupted: &dyn Fn() -> bool) -> (Result<ExitStatus, Stop>, String) {
    let mut command = Command::new("/bin/sh");
    let (reader, writer) = io::pipe().unwrap();
    command.args(["-c", text]).stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut printed = Vec::new();
    let mut take = |bytes: &[u8]| printed.extend_from_slice(bytes);
    let terms = Terms { limit, interrupted, orphaned: Signal::KILL };
    let ended = run(command, vec![Outlet { reader, take: &mut take }], &terms);
    (ended, String::from_utf8(printed).unwrap())
}

/// The number that the shell wrote into the file, once it is whole.
fn number(path: &Path) -> Option<Pid> {
    let text = fs::read_to_string(path).ok()?;
    Pid::from_raw(text.strip_suffix('\n')?.parse().ok()?)
}

/// A zombie is one: it is for its parent, or init, to reap.
fn has_ended(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

fn ends(pid: Pid) -> bool {
    // Generous, so that a busy machine doesn't decide.
    (0..6_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        has_ended(pid)
    })
}

#[test]
fn both_streams_come_in_order_with_the_status() {
    let (ended, printed) = shell("echo a; echo b >&2; echo c; exit 3", None, &|| false);
    assert_eq!((ended.unwrap().code(), printed.as_str()), (Some(3), "a\nb\nc\n"));
    let (ended, _) = shell("kill -9 $$", None, &|| false);
    assert_eq!(ended.unwrap().signal(), Some(9));
}

#[test]
fn there_is_nothing_to_read_and_no_terminal() {
    let (ended, printed) = shell("cat; if (: </dev/tty); then echo tty; fi", None, &|| false);
    assert!(ended.is_ok());
    assert!(!printed.lines().any(|line| line == "tty"), "{printed}");
    // Even where the tests have a terminal: it is the leader of a session of its own.
    let (_, printed) = shell("echo $$; cut -d' ' -f6 /proc/$$/stat", None, &|| false);
    let (pid, session) = printed.trim().split_once('\n').unwrap();
    assert_eq!(pid, session);
}

#[test]
fn an_interrupt_ends_a_stubborn_command_and_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let (leader, child) = (folder.path().join("leader"), folder.path().join("child"));
    let text = format!(
        "trap '' TERM; sleep 1000 & echo $! >{}; echo $$ >{}; while :; do sleep 1; done",
        child.display(),
        leader.display()
    );
    let (ended, _) = shell(&text, None, &|| number(&leader).is_some());
    assert!(matches!(ended, Err(Stop::Interrupted)), "{ended:?}");
    assert!(has_ended(number(&leader).unwrap()));
    assert!(ends(number(&child).unwrap()));
}

#[test]
fn a_command_may_tidy_up_when_it_is_interrupted() {
    let begun = Cell::new(false);
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let text = format!("trap 'echo tidied; exit 1' TERM; : >{}; while :; do sleep 0.01; done", ready.display());
    let (ended, printed) = shell(&text, None, &|| {
        begun.set(ready.exists());
        begun.get()
    });
    assert!(matches!(ended, Err(Stop::Interrupted)), "{ended:?}");
    assert!(begun.get());
    // The shell may tell of its child before.
    assert!(printed.ends_with("tidied\n"), "{printed}");
}

#[test]
fn a_limit_ends_it() {
    let (ended, _) = shell("sleep 1000", Some(Duration::ZERO), &|| false);
    assert!(matches!(ended, Err(Stop::TimedOut)), "{ended:?}");
}

#[test]
fn endless_output_neither_hides_the_limit_nor_the_interrupt() {
    let asked = Cell::new(0);
    let (ended, printed) = shell("yes", None, &|| {
        asked.set(asked.get() + 1);
        asked.get() > 3
    });
    assert!(matches!(ended, Err(Stop::Interrupted)), "{ended:?}");
    assert!(printed.starts_with("y\ny\n"));
}

#[test]
fn children_that_are_left_behind_are_ended_and_not_waited_for() {
    let (ended, printed) = shell("sleep 1000 & echo $!", None, &|| false);
    assert!(ended.unwrap().success());
    assert!(ends(Pid::from_raw(printed.trim().parse().unwrap()).unwrap()));
}

#[test]
fn a_daemon_that_keeps_the_output_open_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("daemon");
    let text = format!(
        "setsid sh -c 'echo $$ >{0}; exec sleep 1000' & while [ ! -s {0} ]; do sleep 0.01; done",
        file.display()
    );
    let (ended, _) = shell(&text, None, &|| false);
    assert!(ended.unwrap().success());
    let daemon = number(&file).unwrap();
    assert!(!has_ended(daemon));
    rustix::process::kill_process(daemon, Signal::KILL).unwrap();
}

#[test]
fn who_is_interrupted_already_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let witness = folder.path().join("witness");
    let (ended, _) = shell(&format!(": >{}", witness.display()), None, &|| true);
    assert!(matches!(ended, Err(Stop::Interrupted)), "{ended:?}");
    assert!(!witness.exists());
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let terms = Terms { limit: None, interrupted: &|| false, orphaned: Signal::KILL };
    let ended = run(Command::new("a-program-that-is-not-there"), Vec::new(), &terms);
    assert!(matches!(ended, Err(Stop::CannotRun(_))), "{ended:?}");
}
