//! Real workers read their clocks; which reads enter the kernel is seen. What is asserted is structure and counts, never time.
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use tare_frames::Read;
use tare_samples::{FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Launcher, ProcessLauncher, Tracer, ready_for_clocks};

const PATIENCE: Duration = Duration::from_secs(120);

fn launched(driver: &str, program: &str) -> Conversation {
    let runtime = RuntimeCommand {
        name: program.to_owned(),
        driver: driver.to_owned(),
        command: vec![program.to_owned()],
        ..RuntimeCommand::default()
    };
    let ready =
        ready_for_clocks(&runtime, &mut |_| {}).unwrap_or_else(|failure| panic!("{failure}\n{}", failure.stderr));
    ProcessLauncher::new(Vec::new(), &[], PATIENCE).launch(&ready.start, 1).unwrap()
}

fn read_request(clock: &str, pairs: u64) -> Read {
    Read { id: 0, clock: clock.to_owned(), pairs, skip: 2, blocks: 3, reads: 10 }
}

#[test]
fn every_runtime_reads_its_clocks_and_waits() {
    for (driver, program, clocks) in [
        ("php", "php", &["hrtime", "microtime"][..]),
        ("go", "go", &["time.Now", "time.Since"]),
        ("cpp", "g++", &["steady_clock", "system_clock", "high_resolution_clock"]),
        ("python", "python3", &["perf_counter_ns", "monotonic_ns", "time_ns", "process_time_ns"]),
    ] {
        let mut conversation = launched(driver, program);
        for clock in clocks {
            assert!(conversation.hello().reads.contains(&(*clock).to_owned()), "{clock} of {program}");
            let readings = conversation.read(read_request(clock, 50), PATIENCE).unwrap();
            assert_eq!((readings.values.len(), readings.blocks.len(), readings.empty.len()), (100, 3, 3));
        }
        let unknown = conversation.read(read_request("sundial", 1), PATIENCE).unwrap_err();
        assert!(unknown.message.contains("sundial"), "{unknown}");
        assert_eq!(conversation.wait("sleep", 1_000, 5, PATIENCE).unwrap().len(), 5);
        let yields = conversation.wait("yield", 0, 5, PATIENCE);
        match driver {
            "php" => assert_eq!(yields.unwrap_err().kind, FailureKind::Runtime),
            _ => assert_eq!(yields.unwrap().len(), 5),
        }
        conversation.close();
    }
}

/// The CPU time of a process is in no page that the kernel shares: each reading of it is a system call, on every machine.
#[test]
fn reads_that_enter_the_kernel_are_counted() {
    let mut conversation = launched("python", "python3");
    let pid = conversation.pid().unwrap();
    let tracer = Tracer::follow(pid).unwrap();
    let read = |pairs| Read { id: 0, clock: "process_time_ns".to_owned(), pairs, skip: 0, blocks: 0, reads: 1 };
    conversation.read(read(1), PATIENCE).unwrap();
    let before = tracer.clock_calls();
    conversation.read(read(1), PATIENCE).unwrap();
    let between = tracer.clock_calls();
    conversation.read(read(101), PATIENCE).unwrap();
    let after = tracer.clock_calls();
    assert!(after - between >= 200 + (between - before), "{before}, {between}, {after}");
    assert!(Tracer::follow(pid).is_err(), "it is followed already");
    drop(tracer);
    let gone = conversation.read(read(1), PATIENCE).unwrap_err();
    assert_eq!(gone.kind, FailureKind::Signal, "it ends with who followed it");
    conversation.close();
    assert!(std::fs::metadata(format!("/proc/{pid}")).is_err());
}

/// A process that isn't the worker, though started for it, shows none of the calls without which there is no answer.
#[test]
fn a_worker_that_is_not_followed_shows_no_call() {
    let mut conversation = launched("python", "python3");
    let read = || Read { id: 0, clock: "process_time_ns".to_owned(), pairs: 5, skip: 0, blocks: 0, reads: 1 };
    conversation.read(read(), PATIENCE).unwrap();
    let tracer = Tracer::follow(conversation.pid().unwrap()).unwrap();
    let before = tracer.calls();
    conversation.read(read(), PATIENCE).unwrap();
    assert!(tracer.calls() - before > tracer.clock_calls(), "its writing, and its waiting for more");
    drop(tracer);
    conversation.close();

    // Once it has answered it does nothing but wait for more.
    let mut other = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    other.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    other.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let mut conversation = launched("python", "python3");
    let tracer = Tracer::follow(other.id()).unwrap();
    let before = tracer.calls();
    conversation.read(read(), PATIENCE).unwrap();
    assert_eq!(tracer.clock_calls(), 0);
    // Its waiting for more, begun and, after the tracer's first stop, gone on with.
    assert!(tracer.calls() - before <= 2);
    drop(tracer);
    conversation.close();
    other.wait().unwrap();
}

#[test]
fn what_is_no_process_of_ours_can_not_be_followed() {
    assert!(Tracer::follow(0x3fff_ffff).is_err());
    assert!(Tracer::follow(u32::MAX).is_err());
}

#[test]
fn a_compiler_that_can_not_compile_is_told_with_its_words() {
    let runtime = |command: &[&str]| RuntimeCommand {
        name: "x".to_owned(),
        driver: "cpp".to_owned(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        ..RuntimeCommand::default()
    };
    let refused = |command: &[&str]| ready_for_clocks(&runtime(command), &mut |_| {}).unwrap_err();
    let failure = refused(&["sh", "-c", "echo no luck >&2; exit 1"]);
    assert!(failure.message.contains("can't compile") && failure.stderr.contains("no luck"), "{failure:?}");
    assert!(refused(&["true"]).message.contains("made no program"));
    assert!(refused(&["./no-such-compiler"]).message.contains("there is no program"));
    assert!(refused(&[]).message.contains("empty"));
}

/// A process around the worker may end just then.
#[test]
fn a_process_that_has_ended_is_no_refusal() {
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    let stat = format!("/proc/{}/stat", ended.id());
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
        std::thread::yield_now();
    }
    assert_eq!(Tracer::follow(ended.id()).unwrap().calls(), 0);
    ended.wait().unwrap();
}
