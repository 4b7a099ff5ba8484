//! What workers of real runtimes look up is recorded, step by step. What is asserted is what they read, never how long it takes.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_follow::{Outside, Record};
use tare_samples::{FailureKind, RuntimeCommand};
use tare_worker::{FollowError, ProcessLauncher, ready};

const PATIENCE: Duration = Duration::from_secs(120);

/// What a worker looked up until its hello, while it loaded, while it prepared and ran its first case, and until it had ended.
struct Steps {
    start: Record,
    load: Record,
    run: Record,
    end: Record,
}

/// Follows a worker through one call of the first case of a source. None: nothing can be followed here, which is said.
fn follow(driver: &str, program: &str, source: &Path) -> Option<Steps> {
    let runtime = RuntimeCommand {
        name: program.to_owned(),
        driver: driver.to_owned(),
        command: vec![program.to_owned()],
        ..RuntimeCommand::default()
    };
    let ready = ready(&runtime, source, &mut |_| {}).unwrap_or_else(|failure| panic!("{failure}\n{}", failure.stderr));
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], PATIENCE);
    let (starting, mut follower) = match launcher.start_followed(&ready.start, 1, None) {
        Ok(started) => started,
        Err(FollowError::Refused(refusal)) => {
            eprintln!("skipped: {refusal}");
            return None;
        }
        Err(FollowError::Failed(failure)) => panic!("{failure}"),
    };
    let mut conversation = starting.open().unwrap_or_else(|failure| panic!("{failure}\n{}", failure.stderr));
    let start = follower.take();
    let found = conversation.load(&ready.files, None, PATIENCE).unwrap();
    let load = follower.take();
    let case = &found.cases[0];
    conversation
        .prepare(case.case, &case.benchmark, case.parameters.as_deref().unwrap_or_default(), None, PATIENCE)
        .unwrap();
    conversation.run("case", 0, &[1], PATIENCE).unwrap();
    let run = follower.take();
    conversation.close();
    Some(Steps { start, load, run, end: follower.finish() })
}

fn source(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn assert_steps(steps: &Steps, source: &Path, data: &Path, absent: &Path) {
    let Steps { start, load, run, end } = steps;
    assert!(!start.read.is_empty() && !start.read.contains_key(source), "{start:#?}");
    assert!(load.read.contains_key(source), "{load:#?}");
    assert!(!load.read.contains_key(data), "only the case reads it");
    assert!(run.read.contains_key(data), "{run:#?}");
    assert!(run.missing.contains(absent), "{run:#?}");
    for record in [start, load, run, end] {
        assert!(record.incomplete.is_empty(), "{:#?}", record.incomplete);
        assert!(
            !record.outside.keys().any(|what| matches!(what, Outside::LeftBehind(_) | Outside::Fifo(_))),
            "{:#?}",
            record.outside
        );
    }
}

#[test]
fn a_python_worker_is_followed_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let (data, absent) = (path.join("data.txt"), path.join("absent.txt"));
    fs::write(&data, "1").unwrap();
    let text = format!("import os\n\ndef bench_read():\n    os.path.exists({absent:?})\n    open({data:?}).read()\n");
    let source = source(&path, "bench_read.py", &text);
    if let Some(steps) = follow("python", "python3", &source) {
        assert_steps(&steps, &source, &data, &absent);
    }
}

#[test]
fn a_php_worker_is_followed_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let (data, absent) = (path.join("data.txt"), path.join("absent.txt"));
    fs::write(&data, "1").unwrap();
    let text = format!(
        "<?php class ReadBench {{ function benchRead(): void {{ \
         file_exists({absent:?}); file_get_contents({data:?}); }} }}"
    );
    let source = source(&path, "ReadBench.php", &text);
    if let Some(steps) = follow("php", "php", &source) {
        assert_steps(&steps, &source, &data, &absent);
    }
}

#[test]
fn a_followed_worker_that_ends_early_is_told_as_any() {
    let folder = tempfile::tempdir().unwrap();
    for (script, kind) in [("exit 7", FailureKind::Exit), ("kill -9 $$", FailureKind::Signal)] {
        let runtime = RuntimeCommand {
            name: "sh".to_owned(),
            driver: "worker".to_owned(),
            command: ["sh", "-c", &format!("sleep 300 & test -e absent; {script}")].map(str::to_owned).into(),
            folder: Some(folder.path().to_owned()),
            ..RuntimeCommand::default()
        };
        let mut launcher = ProcessLauncher::new(Vec::new(), &[], PATIENCE);
        let (starting, follower) = match launcher.start_followed(&runtime, 1, None) {
            Ok(started) => started,
            Err(error) => return eprintln!("skipped: {error}"),
        };
        let Err(failure) = starting.open() else { panic!("there was no hello") };
        assert_eq!(failure.kind, kind, "{failure}");
        assert_eq!(failure.exit_status, (kind == FailureKind::Exit).then_some(7));
        let record = follower.finish();
        assert!(record.missing.contains(&folder.path().canonicalize().unwrap().join("absent")), "{record:#?}");
        // A process that is killed leaves its children behind, too, but nobody is asked while it ends.
        let is_left = record.outside.keys().any(|what| matches!(what, Outside::LeftBehind(_)));
        assert!(is_left || kind == FailureKind::Signal, "{:#?}", record.outside);
    }
    let runtime = RuntimeCommand {
        driver: "worker".to_owned(),
        command: vec!["/nowhere/no-such-worker".to_owned()],
        ..RuntimeCommand::default()
    };
    match ProcessLauncher::new(Vec::new(), &[], PATIENCE).start_followed(&runtime, 1, None) {
        Err(FollowError::Failed(failure)) => assert!(failure.message.contains("there is no program"), "{failure}"),
        Err(FollowError::Refused(refusal)) => eprintln!("skipped: {refusal}"),
        Ok(_) => panic!("it started"),
    }
}
