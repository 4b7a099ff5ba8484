//! Processes at one store: a kill takes nothing that was stored, and two may write at the same time.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{launch, origin, variant};
use tare_store::{Access, RunState, SqliteStore, Store};

const KILLS: u32 = 40;
const REQUEST: &str = "{\"paths\":[\"benchmarks\"]}";
/// What the child is told: the database, the number of its run, and how many launches it makes.
const DATABASE: &str = "TARE_STORE_TEST_DATABASE";
const RUN: &str = "TARE_STORE_TEST_RUN";
const LAUNCHES: &str = "TARE_STORE_TEST_LAUNCHES";

/// The child: measures, and says so of each launch once it is stored. It goes on where an earlier one was killed.
#[test]
#[ignore = "the process that the other tests start, and kill"]
fn measure() {
    let told = |name| std::env::var(name).expect("started by another test, which says what to do");
    let origin = origin(told(RUN).parse().unwrap(), &["child"]);
    let end: u32 = told(LAUNCHES).parse().unwrap();
    let mut out = std::io::stdout();
    let mut say = |line: String| out.write_all(line.as_bytes()).and_then(|()| out.flush()).expect("someone listens");

    let mut store = SqliteStore::open(told(DATABASE), Access::ReadWrite).unwrap();
    let variant = variant("HashBench::benchHash", "php8.2");
    let mut first = 0;
    match store.unfinished().unwrap() {
        Some(row) if row.origin.id == origin.id => {
            store.resume_run(&origin.id).unwrap();
            let stored = store.run(&origin.id).unwrap();
            first = stored.variants.first().map_or(0, |variant| variant.launch_count) as u32;
        }
        _ => store.begin_run(&origin, REQUEST).unwrap(),
    }
    store.put_variant(&origin.id, 0, &variant).unwrap();
    say(format!("\nfrom {first}\n"));
    for ordinal in first..end {
        store.put_launch(&origin.id, &variant.id, &launch(ordinal)).unwrap();
        say(format!("stored {ordinal}\n"));
    }
    store.finish_run(&origin.id, RunState::Complete).unwrap();
}

fn child(path: &Path, run: u32, launches: u32) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "measure", "--ignored", "--nocapture"])
        .env(DATABASE, path)
        .env(RUN, run.to_string())
        .env(LAUNCHES, launches.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test runs")
}

#[test]
fn processes_write_their_runs_at_the_same_time() {
    const EACH: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    // Both make the store, too.
    let path = folder.path().join(".tare/tare.db");
    let children = [1, 2].map(|run| child(&path, run, EACH));
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let store = SqliteStore::open(&path, Access::ReadOnly).unwrap();
    for run in [1, 2].map(|run| origin(run, &[]).id) {
        let stored = store.run(&run).unwrap();
        assert_eq!((stored.row.state, stored.row.launches), (RunState::Complete, u64::from(EACH)));
        let launches = store.launches(&run, &stored.variants[0].variant.id).unwrap();
        assert_eq!(launches, (0..EACH).map(launch).collect::<Vec<_>>());
    }
}

/// Lets nobody else in until it is told to end.
#[test]
#[ignore = "the other process of a test below"]
fn hold() {
    let other = rusqlite::Connection::open(std::env::var(DATABASE).expect("started by another test")).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    std::io::stdout().write_all(b"\nheld\n").and_then(|()| std::io::stdout().flush()).unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn a_lock_names_the_process_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    drop(SqliteStore::open(&path, Access::ReadWrite).unwrap());
    let mut other = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "hold", "--ignored", "--nocapture"])
        .env(DATABASE, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test runs");
    let mut lines = BufReader::new(other.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "held"));
    let error = SqliteStore::open_within(&path, Access::ReadOnly, Duration::from_millis(20)).unwrap_err().to_string();
    assert!(
        error.contains(&format!("(process {}), for more than 20 ms. Wait for it to end, then", other.id())),
        "{error}"
    );
    drop(other.stdin.take());
    assert!(other.wait().unwrap().success());
}

#[test]
fn every_stored_launch_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".tare/tare.db");
    let mut delays = 0x5eed_u64;
    let mut stored = 0;
    let mut launches_in_a_kill = Vec::new();
    for kill in 0..KILLS {
        // Marsaglia's xorshift64: the delays differ, and are the same in each run of the test.
        delays ^= delays << 13;
        delays ^= delays >> 7;
        delays ^= delays << 17;
        // Every fourth is killed at once: while it opens the store, or makes it.
        let wait_for_first = kill % 4 != 0;
        let said = measure_and_kill(&path, wait_for_first, Duration::from_micros(delays % 60_000));
        stored = said.last().map_or(stored, |&last| stored.max(last + 1));
        launches_in_a_kill.push(said.len());
        stored = check(&path, stored);
    }
    assert!(
        launches_in_a_kill.iter().filter(|&&count| count > 0).count() as u32 >= KILLS / 2,
        "{launches_in_a_kill:?}"
    );

    let mut store = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    let unfinished = store.unfinished().unwrap().expect("the run was killed");
    assert_eq!(unfinished.state, RunState::Running);
    store.resume_run(&unfinished.origin.id).expect("the system released the lock of the killed");
    store.finish_run(&unfinished.origin.id, RunState::Complete).unwrap();
}

/// The ordinals that the child said were stored, in order, before it was killed.
fn measure_and_kill(path: &Path, wait_for_first: bool, delay: Duration) -> Vec<u32> {
    let mut child = child(path, 1, u32::MAX);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut said = Vec::new();
    let mut read = |line: String| said.extend(line.strip_prefix("stored ").and_then(|text| text.parse::<u32>().ok()));
    if wait_for_first {
        for line in lines.by_ref().map_while(Result::ok) {
            let first = line.starts_with("stored ");
            read(line);
            if first {
                break;
            }
        }
    }
    std::thread::sleep(delay);
    child.kill().expect("it runs until it is killed");
    let status = child.wait().expect("it was started");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "it ended of itself: {status}");
    // What it had written before the kill is in the pipe still. A line cut short is not a statement.
    lines.map_while(Result::ok).for_each(&mut read);
    said
}

/// That the store is sound and holds the first `stored` launches at least; how many it holds.
fn check(path: &Path, stored: u32) -> u32 {
    if stored == 0 && !path.exists() {
        return 0;
    }
    // Opened for writing, as the next `tare run` would: a store whose making was cut off is made now.
    let store = SqliteStore::open(path, Access::ReadWrite).expect("a store after a kill");
    let raw = rusqlite::Connection::open(path).expect("a database after a kill");
    let verdict: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a readable database");
    assert_eq!(verdict, "ok");
    let Some(run) = store.unfinished().expect("readable runs") else {
        assert_eq!(stored, 0, "the run is gone");
        return 0;
    };
    let stored_run = store.run(&run.origin.id).expect("a readable run");
    assert_eq!((stored_run.row.origin, stored_run.request.as_str()), (origin(1, &["child"]), REQUEST));
    let Some(measured) = stored_run.variants.first() else {
        assert_eq!(stored, 0, "the variant is gone");
        return 0;
    };
    let launches = store.launches(&run.origin.id, &measured.variant.id).expect("readable samples");
    assert!(launches.len() as u32 >= stored, "{} launches are left of {stored}", launches.len());
    for (ordinal, read) in launches.iter().enumerate() {
        assert_eq!(*read, launch(ordinal as u32));
    }
    launches.len() as u32
}
