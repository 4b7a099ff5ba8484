//! What a worker reports of its whole process: the stretch of the timed samples, and the heap that each launch has for itself.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tare_worker::Ready;

use crate::built;

/// A conversation by hand: requests to its standard input, replies from its standard output.
struct ByHand {
    child: Child,
    replies: BufReader<ChildStdout>,
}

impl ByHand {
    fn prepared(ready: &Ready, benchmark: &str, environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(&ready.start.command[0]);
        command.args(&ready.start.command[1..]).current_dir(ready.start.folder.as_ref().unwrap());
        command.env_remove("TARE_SEED").env_remove("TARE_SHAKE").env_remove("TARE_WIRE");
        command.envs(ready.start.environment.iter().map(|(name, value)| (name, value)));
        command.envs(environment.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        let mut hand = Self { child, replies };
        let files = [&ready.files[0]];
        let found = hand.ask(&json!({"frame": "load", "id": 0, "files": files}), benchmark);
        let number = found["case"].as_u64().unwrap();
        hand.ask(&json!({"frame": "prepare", "id": 1, "case": number, "benchmark": benchmark, "parameters": ""}), "");
        hand
    }

    /// The reply that ends the request; of `load` the case of this name.
    fn ask(&mut self, request: &Value, case: &str) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
        let mut found = Value::Null;
        loop {
            let mut line = String::new();
            assert!(self.replies.read_line(&mut line).unwrap() > 0, "it ended after {request}");
            let reply: Value = serde_json::from_str(&line).unwrap();
            match reply["frame"].as_str().unwrap() {
                "hello" | "notice" => {}
                "case" if reply["benchmark"] == case => found = reply,
                "case" => {}
                "loaded" => return found,
                "fault" => panic!("{reply}"),
                _ => return reply,
            }
        }
    }

    fn samples(&mut self, subject: &str, iterations: &[u64], warm: u64) -> Value {
        let request = json!({"frame": "run", "id": 2, "subject": subject, "iterations": iterations, "warm": warm});
        self.ask(&request, "")
    }

    /// `wall`, `cpu` and `yields`.
    fn stretch(&mut self, subject: &str, iterations: &[u64], warm: u64) -> [u64; 3] {
        let samples = self.samples(subject, iterations, warm);
        ["wall", "cpu", "yields"]
            .map(|member| samples[member].as_u64().unwrap_or_else(|| panic!("{member}: {samples}")))
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn every_subject_but_allocations_has_its_stretch() {
    let mut worker = ByHand::prepared(&built("measures"), "BenchmarkCounts", &[]);
    for subject in ["case", "null", "pause", "clock", "kernel/text", "kernel/allocation"] {
        let samples = worker.samples(subject, &[10, 20, 30], 5);
        let timed: u64 = samples["elapsed"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap()).sum();
        assert!(samples["wall"].as_u64().unwrap() >= timed, "{subject}: {samples}");
        assert!(samples["cpu"].is_u64() && samples["yields"].is_u64(), "{subject}: {samples}");
    }
    let counted = worker.samples("allocations", &[10], 0);
    assert!(["wall", "cpu", "yields"].iter().all(|member| counted[member].is_null()), "{counted}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_stretch_begins_behind_the_warm_in() {
    let mut worker = ByHand::prepared(&built("measures"), "BenchmarkSleeps", &[]);
    // Whether its thread gives the CPU up is left to Go: it looks for other work first, and a sleep may be over by then.
    let [wall, cpu, _] = worker.stretch("case", &[50], 0);
    assert!(cpu < wall, "{cpu} of {wall} ns");
    let after_warm_in = (0..5).map(|_| worker.stretch("case", &[1], 300)[0]).min().unwrap();
    // 300 sleeps of 0.1 ms at least, by the same clock, beside one.
    let [with_all, ..] = worker.stretch("case", &[1; 300], 0);
    assert!(after_warm_in < with_all / 4, "{after_warm_in} of {with_all} ns");
}

#[test]
#[cfg(target_os = "linux")]
fn cpu_time_is_that_of_all_goroutines() {
    let ready = built("measures");
    let [once, twice] = ["BenchmarkWorks", "BenchmarkWorksTwice"].map(|benchmark| {
        let mut worker = ByHand::prepared(&ready, benchmark, &[("GOMAXPROCS", "2")]);
        (0..5).map(|_| worker.stretch("case", &[1], 0)[1]).min().unwrap()
    });
    assert!(once > 0 && twice > once + once / 3, "{once} and {twice} ns of CPU time");
}

/// A set-up that sleeps would pass for a subject that waits, and of one that works the core would take a part for other processes' time.
#[test]
#[cfg(target_os = "linux")]
fn what_lies_outside_the_time_is_not_in_the_stretch() {
    let ready = built("measures");
    let calls = [3; 5];
    for (benchmark, outside) in [
        ("BenchmarkSleepsBeforeReset", true),
        ("BenchmarkSleepsWhileStopped", true),
        ("BenchmarkWorksAfterStop", true),
        // What lies between its calls is within the stretch, as its timer's pairs are too many.
        ("BenchmarkSleepsInEachCall", false),
    ] {
        let mut worker = ByHand::prepared(&ready, benchmark, &[]);
        // Its timer runs for nanoseconds, beside 5 × 20 sleeps of 1 ms, or as long work. Other processes may come in between.
        let is_apart = (0..5).any(|_| {
            let [wall, cpu, yields] = worker.stretch("case", &calls, 1);
            wall < 50_000_000 && cpu < 50_000_000 && yields < 50
        });
        assert_eq!(is_apart, outside, "{benchmark}");
        for subject in ["case", "null", "pause"] {
            let samples = worker.samples(subject, &calls, 1);
            let elapsed: u64 = samples["elapsed"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap()).sum();
            assert!(samples["wall"].as_u64().unwrap() >= elapsed, "{benchmark}, {subject}: {samples}");
        }
    }
}

/// Where blocks lie in their pages, each by its name.
fn places(ready: &Ready, environment: &[(&str, &str)]) -> Vec<String> {
    let mut worker = ByHand::prepared(ready, "BenchmarkPlaces", environment);
    worker.samples("case", &[2], 0);
    let finished = worker.ask(&json!({"frame": "finish", "id": 3}), "");
    let metrics = finished["metrics"].as_array().unwrap();
    metrics.iter().map(|metric| metric.as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_launch_has_objects_in_places_of_its_own() {
    let ready = built("measures");
    let seeds: Vec<String> = (1..=12).map(|seed| seed.to_string()).collect();
    let drawn = |shake| -> Vec<BTreeSet<String>> {
        let launches: Vec<_> =
            seeds.iter().map(|seed| places(&ready, &[("TARE_SEED", seed), ("TARE_SHAKE", shake)])).collect();
        (0..launches[0].len()).map(|object| launches.iter().map(|launch| launch[object].clone()).collect()).collect()
    };
    let (shaken, left) = (drawn("on"), drawn("off"));
    assert_eq!(shaken.len(), 4, "{shaken:?}");
    let mut early = 0;
    for (shaken, left) in shaken.iter().zip(&left) {
        // How many blocks of a size there are is one of a few numbers for large ones. What a sample allocates takes the first free place of its size:
        // what shook the heap is free by then, and places are those between the program's own objects.
        if left.iter().all(|place| place.starts_with("early")) {
            assert!(shaken.len() >= 3 && shaken.len() > left.len(), "{shaken:?} shaken, {left:?} not");
            early += 1;
        }
    }
    assert_eq!(early, 2);
}
