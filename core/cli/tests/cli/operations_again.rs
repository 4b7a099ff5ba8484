//! Workers of compared runtimes are launched anew in each round: what they count goes on, in every language.

use std::collections::BTreeMap;

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
