//! Workers of compared runtimes are launched anew in each round, and those of a load that was interrupted when it is resumed: what they count goes on, in
//! every language.

use std::collections::BTreeMap;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Dir, go_cache};

const WORKERS: u32 = 2;
const OPERATIONS: u32 = 20;

const PHP: &str = r#"<?php
final class Key
{
    /** @Operation */
    public function put(\Tare\LoadWorker $worker): void
    {
        file_put_contents(getenv('KEYS'), getmypid() . " {$worker->number} {$worker->turn}\n", FILE_APPEND);
    }
}
"#;

const PYTHON: &str = r#"
import os
import tare

@tare.operation
def put(worker):
    with open(os.environ["KEYS"], "a") as keys:
        keys.write("%d %d %d\n" % (os.getpid(), worker.number, worker.turn))
"#;

const GO: &str = r#"package key

import (
	"fmt"
	"os"
)

func OperationPut(worker, turn int) error {
	keys, err := os.OpenFile(os.Getenv("KEYS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer keys.Close()
	_, err = fmt.Fprintf(keys, "%d %d %d\n", os.Getpid(), worker, turn)
	return err
}
"#;

/// Ten rounds of two operations in each of two workers, of the same runtime under two names: each operation of each worker has its number once under
/// each name, and each process does those of one round.
fn no_key_comes_again(dir: &Dir, file: &str, command: &str) {
    let (a, b) = (format!("a={command}"), format!("b={command}"));
    let keys = dir.path().join("keys");
    let (workers, operations) = (WORKERS.to_string(), OPERATIONS.to_string());
    let mut tare =
        dir.tare(&["load", file, "--runtime", &a, "--runtime", &b, "-w", &workers, "-n", &operations, "--json"]);
    tare.command.env("KEYS", &keys);
    let document = tare.finish(0).document().0;
    for target in document["targets"].as_array().unwrap() {
        assert_eq!(target["operations"][0]["count"], WORKERS * OPERATIONS);
    }
    let (mut seen, mut processes) = (BTreeMap::new(), BTreeMap::new());
    for line in std::fs::read_to_string(&keys).unwrap().lines() {
        let (pid, key) = line.split_once(' ').unwrap();
        *seen.entry(key.to_owned()).or_insert(0) += 1;
        *processes.entry(pid.to_owned()).or_insert(0) += 1;
    }
    let expected = (0..WORKERS).flat_map(|worker| (0..OPERATIONS).map(move |turn| (format!("{worker} {turn}"), 2)));
    assert_eq!(seen, expected.collect());
    // A number of a process may come again; ten rounds of four processes are forty all the same, but seldom.
    assert!(processes.len() > 30 && processes.values().all(|operations| operations % 2 == 0), "{processes:?}");
}

#[test]
fn php_goes_on_counting_in_a_new_process() {
    let dir = Dir::new();
    dir.file("KeyBench.php", PHP);
    no_key_comes_again(&dir, "KeyBench.php", "php");
}

#[test]
fn python_goes_on_counting_in_a_new_process() {
    let dir = Dir::new();
    dir.file("bench_key.py", PYTHON);
    no_key_comes_again(&dir, "bench_key.py", "python3");
}

#[test]
fn go_goes_on_counting_in_a_new_process() {
    if go_cache().is_none() {
        eprintln!("skipped: there is no go");
        return;
    }
    let dir = Dir::new();
    dir.file("go.mod", "module example.org/key\n\ngo 1.21\n");
    dir.file("key_test.go", GO);
    no_key_comes_again(&dir, "key_test.go", "go");
}

fn keys(file: &Path) -> Vec<String> {
    let lines = std::fs::read_to_string(file).unwrap_or_default();
    lines.lines().filter_map(|line| Some(line.split_once(' ')?.1.to_owned())).collect()
}

/// Begins a load and stops it when it has used a thousand keys.
fn interrupted(dir: &Dir, runtimes: &[&str]) {
    let file = dir.path().join("keys");
    let begun = keys(&file).len();
    let mut tare = dir.tare(&[&["load", "KeyBench.php", "-w", "2", "-n", "4000"], runtimes].concat());
    tare.command.env("KEYS", &file);
    let running = tare.start();
    dir.wait_until("some operations", || keys(&file).len() > begun + 1000);
    running.signal(Signal::INT);
    let finished = running.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    finished.says_once(&["`tare load resume"]);
}

fn resumed(dir: &Dir) -> Value {
    let mut tare = dir.tare(&["load", "resume", "--json"]);
    tare.command.env("KEYS", dir.path().join("keys"));
    tare.finish(0).document().0
}

#[test]
fn interrupted_operations_are_gone_on_with_and_no_key_comes_again() {
    let dir = Dir::new();
    dir.file("KeyBench.php", PHP);
    interrupted(&dir, &["--runtime", "a=php", "--runtime", "b=php"]);
    let cut = dir.tare(&["show", "--json"]).finish(0).document().0;
    let whole = resumed(&dir);
    assert_eq!((&whole["run"], &whole["seed"], &whole["interrupted"]), (&cut["run"], &cut["seed"], &false.into()));
    let count =
        |document: &Value, target: usize| document["targets"][target]["operations"][0]["count"].as_u64().unwrap();
    for target in 0..2 {
        assert!(count(&cut, target) < 8000);
        // What was cut short is done once more.
        assert!(count(&whole, target) >= 8000, "{whole:#}");
    }
    assert_eq!(whole["comparisons"][0]["pairs"], 10);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    keys(&dir.path().join("keys")).into_iter().for_each(|key| *seen.entry(key).or_default() += 1);
    assert!(seen.values().all(|times| *times <= 2), "each runtime has each key once");
    dir.tare(&["load", "resume"]).finish(2).says_once(&["no load was interrupted"]);

    std::fs::create_dir(dir.path().join("logs")).unwrap();
    interrupted(&dir, &["--hdr", "logs/latencies"]);
    // What keeps it from going on leaves a load that can be resumed.
    std::fs::remove_dir_all(dir.path().join("logs")).unwrap();
    dir.tare(&["load", "resume"]).finish(2).says_once(&["logs/latencies"]);
    std::fs::create_dir(dir.path().join("logs")).unwrap();
    dir.file(
        "KeyBench.php",
        &PHP.replace("Tare\\LoadWorker $worker): void\n    {", "Tare\\LoadWorker $worker): void\n    {\n"),
    );
    dir.tare(&["load", "resume"]).finish(2).says_once(&["KeyBench.php has changed since it began"]);
    dir.file("KeyBench.php", PHP);
    // Two workers share what is left.
    assert!((8000..8010).contains(&count(&resumed(&dir), 0)));
}
