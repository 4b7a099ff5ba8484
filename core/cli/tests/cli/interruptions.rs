//! Ctrl-C: what was measured is reported and kept, and `--resume` goes on.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::{Dir, Finished, PATIENCE, TRUTH, simulated};

/// Interrupts a long run once some launches are stored.
fn interrupt(dir: &Dir, signal: Signal, arguments: &[&str]) -> Finished {
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("");
    let all = [&["run", "truth.toml", "--launches", "30", "--samples", "3", "--runtime", &runtime], arguments].concat();
    let mut running = dir.tare(&all).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().len() < 3 {
        assert!(Instant::now() < until && !running.has_ended(), "not stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.signal(signal);
    let finished = running.wait();
    dir.assert_no_process_is_left();
    assert!(dir.temporary_files().is_empty());
    finished
}

#[test]
fn an_interrupted_run_is_reported_kept_and_gone_on_with() {
    for signal in [Signal::INT, Signal::TERM] {
        let dir = Dir::new();
        let shown = interrupt(&dir, signal, &[]);
        assert_eq!(shown.status, Some(130), "{shown}");
        let stored = dir.launches();
        assert!((3..60).contains(&stored.len()), "{shown}");
        let log = dir.tare(&["log", "--json"]).finish(0).document();
        assert_eq!(log.0["runs"][0]["state"], "interrupted");
        let id = log.0["runs"][0]["id"].as_str().unwrap().to_owned();
        shown.says_once(&[&format!("tare: interrupted; `tare run --resume={id}` goes on with it")]);
        assert!(shown.stdout.contains("gaussian") && shown.stdout.contains("nothing"), "{shown}");
        let document = dir.stored();
        let launches: u64 = document.cases().iter().filter_map(|case| case["launches"].as_u64()).sum();
        assert_eq!(launches, stored.len() as u64);

        let resumed = dir.tare(&["run", &format!("--resume={id}"), "--json"]).finish(0).document();
        assert!(resumed.cases().iter().all(|case| case["status"] == "ok" && case["launches"] == 30), "{:#}", resumed.0);
        let whole = dir.launches();
        assert_eq!(whole.len(), 60);
        assert!(stored.iter().all(|launch| whole.contains(launch)));
    }
}

/// As of one that isn't interrupted: gates are for benchmarks.
#[test]
fn gates_of_benchmarks_judge_no_commands_that_are_gone_on_with() {
    let dir = Dir::new();
    dir.file("tare.toml", "[compare]\nfail-on = [\"slower=5%\", \"inconclusive\"]\n");
    let running = dir.tare(&["exec", "true", "sleep 0.02", "--runs", "30"]).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().len() < 3 {
        assert!(Instant::now() < until, "not stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.signal(Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    let resumed = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
    assert!(resumed.0["gates"].as_array().is_none_or(Vec::is_empty), "{:#}", resumed.0["gates"]);
}

/// As Go's benchmarks that go through a map are.
#[test]
fn benchmarks_that_are_found_in_another_order_are_gone_on_with() {
    let dir = Dir::new();
    dir.php(
        "SortBench",
        r"    public function sets() {
        $sets = ['one' => [], 'two' => [], 'three' => []];
        return is_file(__DIR__ . '/turned') ? array_reverse($sets, true) : $sets;
    }

    /** @Revs(1) @ParamProviders({'sets'}) */
    public function benchSort(): void { usleep(1000); }",
    );
    let running = dir.tare(&["run", "SortBench.php", "--launches", "30", "--samples", "3"]).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().len() < 3 {
        assert!(Instant::now() < until, "not stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.signal(Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    dir.file("turned", "");
    let resumed = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
    assert!(resumed.cases().iter().all(|case| case["status"] == "ok" && case["launches"] == 30), "{:#}", resumed.0);
    assert_eq!(dir.launches().len(), 90);
}

#[test]
fn an_interrupted_run_is_one_json_document_too() {
    let dir = Dir::new();
    let finished = interrupt(&dir, Signal::INT, &["--json"]);
    assert_eq!(finished.status, Some(130), "{finished}");
    let document = finished.document();
    assert!(document.cases().iter().any(|case| case["status"] == "interrupted"), "{:#}", document.0);
}

#[test]
fn without_the_store_nothing_is_promised() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.php(
        "SlowBench",
        "    /** @Revs(1) */\n    public function benchSlow(): void { touch(__DIR__ . '/begun'); usleep(20000); }",
    );
    let running = dir.tare(&["run", "SlowBench.php", "--no-store", "--launches", "500"]).start();
    let until = Instant::now() + PATIENCE;
    while !dir.path().join("begun").exists() {
        assert!(Instant::now() < until, "the subject never ran");
        std::thread::sleep(Duration::from_millis(5));
    }
    running.signal(Signal::INT);
    let finished = running.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    finished.says_once(&["interrupted; the run is not in the store"]).never_says(&["--resume"]);
    assert!(!dir.store().exists());
}

#[test]
fn a_run_that_is_being_measured_is_not_taken_up_by_another() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let running =
        dir.tare(&["run", "truth.toml", "--launches", "5000", "--samples", "3", "--runtime", &simulated("")]).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().is_empty() {
        assert!(Instant::now() < until, "nothing is stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    let other = dir.tare(&["run", "--resume=latest"]).start().wait();
    assert_eq!(other.status, Some(2), "{other}");
    other.says_once(&["is being measured by another process"]);
    // While it is measured it runs; ended without a word it doesn't, whatever it last stored.
    let state = || dir.tare(&["log", "--json"]).start().wait().document().0["runs"][0]["state"].clone();
    assert_eq!(state(), "running");
    running.kill();
    assert_eq!(state(), "interrupted");
    dir.tare(&["log"]).start().wait().says_once(&["interrupted"]).never_says(&["running"]);
}

#[test]
fn a_second_interruption_does_not_wait_for_the_subject() {
    let dir = Dir::new();
    dir.php("EndlessBench", "    public function benchEndless(): void { touch(__DIR__ . '/begun'); while (true) { } }");
    let mut running = dir.tare(&["run", "EndlessBench.php", "--timeout", "1h"]).start();
    let until = Instant::now() + PATIENCE;
    while !dir.path().join("begun").exists() {
        assert!(Instant::now() < until, "the subject never ran");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Until it ends: two that come at once may be seen as one.
    while !running.has_ended() {
        running.signal(Signal::INT);
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.wait().status, Some(130));
    dir.assert_no_process_is_left();
}

#[test]
fn a_server_that_is_to_end_speaks_of_no_rounds() {
    let dir = Dir::new();
    let mut command = dir.tare(&["serve", "--listen", "127.0.0.1:0"]).command;
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    let ended = server.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{said}");
    // One that has nobody to answer may have ended before a word was said.
    assert!(said.is_empty() || said.contains("stopping after the answers under way"), "{said}");
    assert!(!said.contains("round"), "{said}");
}

/// What was measured before stays a result, also where the run that goes on with it ends before it comes to that case.
#[test]
fn a_resumed_run_that_ends_at_once_shows_what_the_first_part_showed() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let [base, candidate] = ["a", "b"].map(|name| format!("{name}={}", simulated("").split_once('=').unwrap().1));
    let arguments = [
        "run",
        "truth.toml",
        "--launches",
        "400",
        "--samples",
        "3",
        "--runtime",
        &base,
        "--runtime",
        &candidate,
        "--lanes",
        "1",
    ];
    let mut running = dir.tare(&arguments).start();
    let until = Instant::now() + PATIENCE;
    while dir.launches().len() < 28 {
        assert!(Instant::now() < until && !running.has_ended(), "not stored");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.signal(Signal::INT);
    running.wait();
    let pairs = || {
        let document = dir.stored().0;
        let comparisons = document["comparisons"].as_array().cloned().unwrap_or_default();
        comparisons.iter().map(|pair| pair["pairs"].as_u64().unwrap_or(0)).collect::<Vec<_>>()
    };
    let before = pairs();
    assert!(before.iter().any(|pairs| *pairs >= 6), "{before:?}");
    let running = dir.tare(&["run", "--resume"]).start();
    running.signal(Signal::INT);
    running.wait();
    let after = pairs();
    assert!(before.iter().zip(&after).all(|(before, after)| before <= after), "{before:?} {after:?}");
}
