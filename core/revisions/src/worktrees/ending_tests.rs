//! What is left when a checkout fails, is interrupted or killed, and when two are made at once.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::tests::{assert_nothing_is_left, checkout, prepare, tree};
use super::{Step, Worktrees};
use crate::error::RevisionError;
use crate::fixture::{Fixture, git_at_home};
use crate::hold::{Hold, Sharing};
use crate::prepare::Prepare;
use crate::repository::Repository;

fn wait_until(what: impl Fn() -> bool) {
    // Generous, so that a busy machine doesn't decide.
    assert!((0..6_000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        what()
    }));
}

fn pid(file: &Path) -> Option<Pid> {
    Pid::from_raw(fs::read_to_string(file).ok()?.strip_suffix('\n')?.parse().ok()?)
}

fn has_ended(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
}

#[test]
fn a_command_that_fails_leaves_nothing_but_its_message() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let command = "yes | head -c 100000; echo \"out: $PWD\"; printf '\\033[31mworse\\n' >&2; exit 7";
    let error = checkout(&fixture, "HEAD", Some(command)).unwrap_err();
    let RevisionError::PrepareFailed { revision: name, status, output, .. } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), status.as_str()), ("HEAD", "exit status: 7"));
    assert!(output.starts_with("[… ") && output.len() < (64 << 10) + 100, "{}", output.len());
    let said = format!("out: {}\n\\u{{1b}}[31mworse", tree(&fixture, &revision).display());
    assert!(output.ends_with(&said), "{}", &output[output.len() - 200..]);
    assert_nothing_is_left(&fixture, &revision);
    // Nor is the failure taken for a success the next time.
    assert!(checkout(&fixture, "HEAD", Some(command)).is_err());
    assert!(!checkout(&fixture, "HEAD", Some("true")).unwrap().cached);
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_its_children() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let child = fixture.folder.path().join("child");
    let text = format!("echo begun; sleep 1000 & echo $! >{}; wait", child.display());
    let command = Prepare { command: text, timeout: Duration::from_secs(2) };
    let error = fixture.worktrees().checkout(&revision, Some(&command), &mut |_| {}, &|| false).unwrap_err();
    assert!(matches!(&error, RevisionError::PrepareTimedOut { output, .. } if output == "begun"), "{error}");
    wait_until(|| has_ended(pid(&child).unwrap()));
    assert_nothing_is_left(&fixture, &revision);
}

#[test]
fn an_interrupt_while_it_is_prepared_leaves_nothing() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let child = fixture.folder.path().join("child");
    let command = prepare(&format!("sleep 1000 & echo $! >{}; wait", child.display()));
    let interrupted = || pid(&child).is_some();
    let error = fixture.worktrees().checkout(&revision, Some(&command), &mut |_| {}, &interrupted).unwrap_err();
    assert!(matches!(error, RevisionError::Interrupted), "{error}");
    wait_until(|| has_ended(pid(&child).unwrap()));
    assert_nothing_is_left(&fixture, &revision);
}

#[test]
fn an_interrupt_while_it_is_checked_out_leaves_nothing() {
    let fixture = Fixture::new();
    // A filter, as Git LFS is one, that holds the checkout up.
    let begun = fixture.folder.path().join("begun");
    fixture.write(".gitattributes", "value filter=slow\n");
    fixture.commit("second");
    fixture.run(&["config", "filter.slow.smudge", &format!("echo $$ >{}; sleep 1000", begun.display())]);
    let revision = fixture.revision("HEAD");
    let interrupted = || pid(&begun).is_some();
    let error = fixture.worktrees().checkout(&revision, None, &mut |_| {}, &interrupted).unwrap_err();
    assert!(matches!(error, RevisionError::Interrupted), "{error}");
    wait_until(|| has_ended(pid(&begun).unwrap()));
    assert_nothing_is_left(&fixture, &revision);
}

#[test]
fn every_moment_is_one_to_interrupt_in() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let (mut interrupted, mut moment) = (0, 0);
    loop {
        let asked = std::cell::Cell::new(0);
        let command = prepare("true");
        let result = fixture.worktrees().checkout(&revision, Some(&command), &mut |_| {}, &|| {
            asked.set(asked.get() + 1);
            asked.get() > moment
        });
        match result {
            Ok(_) => break,
            Err(RevisionError::Interrupted) => assert_nothing_is_left(&fixture, &revision),
            Err(error) => panic!("{moment}: {error}"),
        }
        (interrupted, moment) = (interrupted + 1, moment + 1);
    }
    assert!(interrupted >= 4, "{interrupted}");
}

#[test]
fn two_at_once_prepare_once() {
    let fixture = Fixture::new();
    let (log, gate) = (fixture.folder.path().join("log"), fixture.folder.path().join("gate"));
    let command = format!("echo run >>{}; while [ ! -e {} ]; do sleep 0.01; done", log.display(), gate.display());
    let waits = AtomicBool::new(false);
    thread::scope(|scope| {
        let first = scope.spawn(|| checkout(&fixture, "HEAD", Some(&command)).unwrap());
        wait_until(|| log.exists());
        let second = scope.spawn(|| {
            let mut observe = |step: Step<'_>| match step {
                Step::Waiting => assert!(!waits.swap(true, Ordering::SeqCst), "told twice"),
                other => panic!("{other:?}"),
            };
            let command = prepare(&command);
            fixture.worktrees().checkout(&fixture.revision("HEAD"), Some(&command), &mut observe, &|| false).unwrap()
        });
        wait_until(|| waits.load(Ordering::SeqCst));
        fs::write(&gate, "").unwrap();
        // Both use it at the same time.
        let (first, second) = (first.join().unwrap(), second.join().unwrap());
        assert_eq!((first.cached, second.cached), (false, true));
        assert_eq!(first.root, second.root);
    });
    assert_eq!(fs::read_to_string(&log).unwrap(), "run\n");
}

#[test]
fn who_waits_can_be_interrupted() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let used = checkout(&fixture, "HEAD", None).unwrap();
    let told = std::cell::Cell::new(false);
    let other = prepare("true");
    let mut observe = |step: Step<'_>| told.set(step == Step::Waiting);
    let error = fixture.worktrees().checkout(&revision, Some(&other), &mut observe, &|| told.get()).unwrap_err();
    assert!(matches!(error, RevisionError::Interrupted), "{error}");
    assert!(used.root.join("value").exists());
    assert!(checkout(&fixture, "HEAD", None).unwrap().cached);
}

/// Not a test: the process that another test kills.
#[test]
#[ignore = "run by a_killed_process_s_half_tree_is_made_again"]
fn a_process_to_kill() {
    let home = PathBuf::from(std::env::var_os("TARE_TEST_HOME").unwrap());
    let project = home.join("project");
    let repository = Repository::find_with(git_at_home(&home), &project).unwrap();
    let worktrees = Worktrees::open(Ok(&home.join("cache")), &project.join(".tare"), &repository).unwrap();
    let command = prepare(&format!("echo half >half; echo $$ >{}; exec sleep 1000", home.join("begun").display()));
    let revision = repository.resolve("HEAD").unwrap();
    worktrees.checkout(&revision, Some(&command), &mut |_| {}, &|| false).unwrap();
}

fn start_process_to_kill(fixture: &Fixture) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worktrees::ending_tests::a_process_to_kill", "--ignored"])
        .env("TARE_TEST_HOME", fixture.folder.path().canonicalize().unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_process_s_half_tree_is_made_again() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let begun = fixture.folder.path().join("begun");
    let mut process = start_process_to_kill(&fixture);
    wait_until(|| pid(&begun).is_some());
    let tree = tree(&fixture, &revision);
    assert!(Hold::try_take(&tree.with_extension("lock"), Sharing::Exclusive).unwrap().is_none());
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 0);

    rustix::process::kill_process(Pid::from_child(&process), Signal::KILL).unwrap();
    process.wait().unwrap();
    // It takes the command it ran along.
    wait_until(|| has_ended(pid(&begun).unwrap()));
    assert!(tree.join("half").exists());
    let again = checkout(&fixture, "HEAD", None).unwrap();
    assert!(!again.cached && !tree.join("half").exists());
    assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 2);
}
