//! Workers that don't keep to the protocol: one message, the other cases are measured, nothing is left.

use serde_json::json;

use crate::harness::{Dir, Document, Finished, TRUTH, simulated};

/// A run in which the worker misbehaves so while it measures `nothing`.
fn with_fault(fault: &str, status: i32) -> (Dir, Finished) {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let runtime = simulated(&format!("--fault {fault} --fault-case nothing"));
    let shown = dir.run(&["truth.toml", "--runtime", &runtime, "--timeout", "3s"]).finish(status);
    (dir, shown)
}

fn assert_the_other_is_stored(dir: &Dir) -> Document {
    let stored = dir.stored();
    stored.assert_measured("gaussian");
    stored
}

#[test]
fn each_way_to_misbehave_is_one_failure_of_one_case() {
    for (fault, kind, message, remedy) in [
        (
            "garbage",
            "protocol",
            "the worker sent a line that isn't a message of the worker protocol",
            "tare conformance",
        ),
        ("half-frame", "protocol", "the worker ended in the middle of a message", "tare conformance"),
        ("huge-frame", "protocol", "the worker sent a message of more than 16777216 bytes", "tare conformance"),
        ("close", "protocol", "the worker closed its connection to Tare but still runs", "file descriptors"),
        ("hang", "timeout", "no answer within 3 s", "--timeout"),
        (
            "silent-exit",
            "exit",
            "the process ended with status 3 and without an answer",
            "look at what the process printed",
        ),
        ("kill", "signal", "the process was ended by signal 6 (SIGABRT)", "run the subject alone under a debugger"),
    ] {
        let (dir, shown) = with_fault(fault, 4);
        shown.says_once(&["failed: nothing", &format!("{kind}: {message}"), remedy, "truth.toml:2"]);
        let wanted = json!({"kind": kind, "message": message, "remedy": remedy, "file": "truth.toml", "line": 2});
        assert_the_other_is_stored(&dir).assert_failed("nothing", &wanted);
    }
}

#[test]
fn ten_megabytes_of_output_between_the_frames_are_no_failure() {
    let (dir, shown) = with_fault("flood", 0);
    // That it prints is told, with the beginning of what it prints and no more.
    shown.says_once(&["warning: prints", "the code prints while Tare measures it"]);
    assert!(shown.stdout.matches('y').count() < 1_000, "{shown}");
    assert_the_other_is_stored(&dir).assert_measured("nothing");
}

#[test]
fn a_frame_of_a_gigabyte_is_refused_without_taking_its_memory() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("--fault huge-frame --fault-case nothing");
    // The shell bounds the address space of tare and of all that it starts, far below the frame.
    let arguments = format!("run truth.toml --launches 1 --samples 2 --runtime '{runtime}'");
    let mut command = dir.tare(&[]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("ulimit -v 400000; exec '{}' {arguments}", env!("CARGO_BIN_EXE_tare"))]);
    shell.current_dir(dir.path());
    for (name, value) in command.command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    command.command = shell;
    command.finish(4).says_once(&["the worker sent a message of more than 16777216 bytes"]);
    assert_the_other_is_stored(&dir);
}

#[test]
fn a_worker_that_misbehaves_from_the_start_is_told_once() {
    for (fault, status, message) in [
        (
            "newer",
            4,
            "tare: runtime sim: the worker speaks version 2 of the worker protocol, and this tare speaks 1 update tare",
        ),
        ("garbage", 4, "tare: runtime sim: the worker sent a line that isn't a message of the worker protocol"),
        ("half-frame", 4, "tare: runtime sim: the worker ended in the middle of a message"),
        ("huge-frame", 4, "tare: runtime sim: the worker sent a message of more than 16777216 bytes"),
        ("close", 4, "tare: runtime sim: the worker closed its connection to Tare but still runs"),
        (
            "silent-exit",
            4,
            "tare: runtime sim: the worker didn't send its first message (hello): the process ended with status 3",
        ),
        ("kill", 4, "tare: runtime sim: the process was ended by signal 6 (SIGABRT)"),
    ] {
        let dir = Dir::new();
        dir.file("truth.toml", TRUTH).file("truth2.toml", TRUTH);
        let runtime = simulated(&format!("--fault {fault} --at hello"));
        let shown = dir.run(&["truth.toml", "truth2.toml", "--runtime", &runtime]).finish(status);
        shown.says_once(&[message]);
        assert_eq!(shown.stdout, "", "{shown}");
        let document = dir.run(&["truth.toml", "--runtime", &runtime, "--json"]).finish(status).document();
        assert_eq!(document.0["failures"].as_array().unwrap().len(), 1, "{fault}");
    }
}

#[test]
fn failures_at_each_request_are_failures_of_the_case() {
    for at in ["prepare", "run", "finish"] {
        let dir = Dir::new();
        dir.file("truth.toml", TRUTH);
        let runtime = simulated(&format!("--fault garbage --fault-case nothing --at {at}"));
        let document = dir.run(&["truth.toml", "--runtime", &runtime, "--json"]).finish(4).document();
        document.assert_measured("gaussian");
        document.assert_failed("nothing", &json!({"kind": "protocol"}));
    }
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("--fault garbage --at load");
    dir.run(&["truth.toml", "--runtime", &runtime])
        .finish(4)
        .says_once(&["truth.toml: the worker sent a line that isn't"]);
}

#[test]
fn a_worker_that_sends_notices_without_end_is_ended() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH).script(
        "babbler",
        r#"#!/bin/sh
exec > "$TARE_WIRE"
echo '{"frame":"hello","wire":1,"language":"sh","version":"1","sdk":"1","correction":"serial","clocks":["c"],"kernels":[],"capabilities":[],"facts":[]}'
read request
while :; do echo '{"frame":"notice","id":1,"level":"info","kind":"load","message":"still busy"}'; done
"#,
    );
    let shown = dir.run(&["truth.toml", "--runtime", "sh=worker:./babbler", "--timeout", "500ms"]).finish(4);
    shown.says_once(&["truth.toml: loading the file: no answer within 0.5 s"]);
}
