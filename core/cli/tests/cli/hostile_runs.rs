//! What happens to a run from outside: its store goes, its process is killed, its worker never says a word.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use rustix::process::Signal;

use crate::harness::{Dir, TRUTH, simulated};

#[test]
fn a_store_that_is_removed_during_the_run_is_told_and_is_no_success() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let arguments = ["truth.toml", "--runtime", &simulated(""), "--launches", "2000", "--samples", "3"];
    let mut running = dir.tare(&[&["run"], arguments.as_slice()].concat()).start();
    dir.wait_until("nothing is stored", || !dir.launches().is_empty());
    fs::remove_dir_all(dir.path().join(".tare")).unwrap();
    // What is to be told is told at the next launch; it would go on for long.
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal(Signal::INT);
    dir.wait_until("it goes on", || running.has_ended());
    let finished = running.wait();
    assert!(finished.status.is_some_and(|status| status == 4 || status == 130), "{finished}");
    finished.says_once(&["was removed, moved or replaced while it was written to"]).never_says(&["--resume="]);
}

#[test]
fn a_limit_on_the_size_of_files_is_told() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let tare = env!("CARGO_BIN_EXE_tare");
    let line = format!(
        "ulimit -f 200; exec {tare} run truth.toml --runtime '{}' --launches 60 --samples 20 --seed 1",
        simulated("")
    );
    let mut command = Command::new("bash");
    command
        .args(["-c", &line])
        .current_dir(dir.path())
        .env("TARE_LOCK", dir.lock())
        .env("TMPDIR", dir.path().join("../tmp"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("may not write files of more than") && said.contains("ulimit -f"), "{said}");
}

#[test]
fn a_store_whose_making_was_cut_short_says_what_to_do() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH).file(".tare/tare.db", "");
    let runtime = simulated("");
    for arguments in [&["run", "--resume"][..], &["show"], &["log"]] {
        dir.tare(arguments).finish(2).says_once(&["is empty", "`tare run` without --resume fills it"]);
    }
    dir.run(&["truth.toml", "--runtime", &runtime]).finish(0);
    dir.tare(&["show"]).finish(0);
}

/// What a process that was killed leaves: folders, the lock of its run, and what its user's code started in a session of its own.
#[test]
fn what_a_killed_run_left_behind_the_next_one_takes_away() {
    let dir = Dir::new();
    dir.good().php(
        "StrayBench",
        "    public function benchStray(): void { static $once = false; if (!$once) { $once = true; exec('setsid sleep 1000 >/dev/null 2>&1 &'); } usleep(1000); }",
    );
    let running = dir.tare(&["run", "StrayBench.php", "--launches", "500"]).start();
    let stray = || {
        dir.processes().into_iter().find(|pid| {
            fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with("sleep\0"))
        })
    };
    dir.wait_until("no stray", || stray().is_some());
    running.kill();
    let left = stray().expect("it has a session of its own");
    assert!(!dir.temporary_files().is_empty());
    let locks = || {
        let names = fs::read_dir(dir.path().join(".tare")).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".lock")).count()
    };
    assert_eq!(locks(), 1);
    dir.run(&["GoodBench.php"]).finish(0);
    assert_eq!(locks(), 0);
    assert!(!fs::exists(format!("/proc/{left}")).unwrap() || stray().is_none(), "process {left} is still there");
    assert_eq!(dir.temporary_files().len(), 0);
}

#[test]
fn what_the_users_code_started_elsewhere_ends_with_its_worker() {
    let dir = Dir::new();
    dir.php(
        "StrayBench",
        "    public function benchStray(): void { exec('setsid sleep 1000 >/dev/null 2>&1 &'); usleep(1000); }",
    );
    // No process is left: that is what `finish` looks at.
    dir.run(&["StrayBench.php", "--no-store"]).finish(0);
}

#[test]
fn a_worker_that_says_nothing_is_a_failure_and_is_waited_for_as_long_as_was_said() {
    let dir = Dir::new();
    dir.file("a.sim", "");
    for command in ["false", "true", "sh -c 'kill -9 $$'"] {
        let runtime = format!("w=worker:{command}");
        dir.run(&["a.sim", "--runtime", &runtime, "--no-store"]).finish(4).says_once(&["runtime w: "]);
    }
    let silent = dir.run(&["a.sim", "--runtime", "w=worker:sleep 1000", "--no-store", "--timeout", "1s"]).finish(4);
    silent.says_once(&["first message (hello)", "within 1 s"]);
    let unlisted = dir.tare(&["list", "a.sim", "--runtime", "w=worker:sleep 1000", "--timeout", "1s"]).finish(4);
    unlisted.says_once(&["first message (hello)", "within 1 s"]);
    dir.run(&["a.sim", "--runtime", "w=worker:/no/such/program", "--no-store"]).finish(2);
}

#[test]
fn what_a_file_asked_for_is_not_reported_as_an_option() {
    let dir = Dir::new();
    dir.good();
    dir.run(&["GoodBench.php", "--no-store", "--clock", "sundial"]).finish(2).says_once(&["with (--clock)"]);
    for (settings, says) in [
        ("[run]\nclock = \"sundial\"\n", "tare.toml:2: `clock`"),
        ("[run]\n\ncpus = \"100000\"\n", "tare.toml:3: `cpus`"),
        ("[run]\nseed = 9007199254740993\n", "tare.toml:2: `seed`: `9007199254740993` is not a whole number"),
        ("[run]\ncalls = [3, 3]\n", "tare.toml:2: `calls` names 3 calls twice"),
        ("[compare]\nfail-on = [\"slower\", \"slower=2%\"]\n", "tare.toml:2: `fail-on`: slower is given 2 times"),
    ] {
        dir.file("tare.toml", settings);
        let mut command = dir.tare(&["run", "GoodBench.php", "--no-store"]);
        command.command.args(["--launches", "1"]);
        command.finish(2).says_once(&[says]).never_says(&["--clock", "--cpus", "--seed", "--calls", "--fail-on"]);
    }
}

#[test]
fn samples_that_are_not_what_was_stored_are_not_shown_as_if_they_were() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.run(&["truth.toml", "--runtime", &simulated("")]).finish(0);
    dir.tare(&["show"]).finish(0);
    let spoil = |sql: &str| {
        let connection = Connection::open(dir.store()).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0);
    };
    // The figures that are shown are stored by themselves; a look at the samples tells that nothing is behind them any more.
    spoil("UPDATE launches SET duration_ns = duration_ns + 1 WHERE number = 1");
    for arguments in [&["show"][..], &["show", "--json"], &["report", "--csv", "/dev/null"]] {
        dir.tare(arguments).finish(4);
    }
    let shown = dir.tare(&["show", "--json"]).finish(4).document();
    let failed: Vec<_> = shown.cases().iter().filter(|case| case["status"] == "failed").collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0]["failure"]["message"].as_str().unwrap().contains("checksum is wrong"), "{:#}", failed[0]);
    assert!(failed[0].get("time").is_none());
    spoil("UPDATE launches SET duration_ns = duration_ns - 1 WHERE number = 1");
    dir.tare(&["show"]).finish(0);
    spoil("UPDATE launches SET turns = substr(turns, 1, 20) || x'00' || substr(turns, 22) WHERE number = 1");
    dir.tare(&["show"]).finish(4);
}

#[test]
fn a_store_of_an_older_tare_is_left_alone_by_every_command() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let run = || dir.run(&["truth.toml", "--runtime", &simulated("")]);
    run().finish(0);
    Connection::open(dir.store()).unwrap().pragma_update(None, "user_version", 8).unwrap();
    let before = fs::read(dir.store()).unwrap();
    for command in [run(), dir.tare(&["show"]), dir.tare(&["log"]), dir.tare(&["compare", "latest", "latest"])] {
        let refused = command.finish(2);
        refused.says_once(&["has version 8", "name another place with --store; the store was not changed"]);
    }
    assert_eq!(fs::read(dir.store()).unwrap(), before);
    dir.run(&["truth.toml", "--runtime", &simulated(""), "--store", "elsewhere"]).finish(0);
}

#[test]
fn a_damaged_store_is_a_failure_for_every_command() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let run = || dir.run(&["truth.toml", "--runtime", &simulated("")]);
    run().finish(0);
    // The first page stays, by which it is known as a store.
    let mut bytes = fs::read(dir.store()).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(dir.store(), bytes).unwrap();
    for arguments in [&["show"][..], &["log"], &["run", "--resume"], &["report", "--csv", "/dev/null"]] {
        dir.tare(arguments).finish(4).says_once(&["is damaged"]);
    }
    run().finish(4).says_once(&["is damaged"]);
}

#[test]
fn who_will_not_wait_for_another_measurement_goes_away() {
    let dir = Dir::two_commits();
    dir.good();
    let held = fs::File::create(dir.lock()).unwrap();
    held.try_lock().unwrap();
    for arguments in [
        &["run", "GoodBench.php", "--no-wait"][..],
        &["compare", "HEAD~1", "HEAD", "--no-wait"],
        &["load", "http", "http://127.0.0.1:9/", "--no-wait"],
    ] {
        let mut running = dir.tare(arguments).start();
        dir.wait_until("it waits all the same", || running.has_ended());
        let finished = running.wait();
        assert_eq!(finished.status, Some(4), "{finished}");
        finished.says_once(&["--no-wait: ", "Tare measured nothing"]);
    }
    drop(held);
    dir.run(&["GoodBench.php", "--no-wait"]).finish(0);
}

/// Each number of threads that may be started: what can't be done is told, and nothing panics. Only the administrator is above the limit, and can become
/// a user who isn't.
#[test]
fn a_limit_on_processes_is_told() {
    use std::os::unix::fs::chown;
    let user = ["--reuid=61237", "--regid=61237", "--clear-groups"];
    let run = |words: &[&str], folder: &std::path::Path| {
        let mut command = Command::new("setpriv");
        command.args(user).args(words).current_dir(folder);
        command.env("XDG_CACHE_HOME", folder.join("cache")).env("TARE_LOCK", folder.join("lock")).env("TMPDIR", folder);
        command.output()
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::write(place.join("bench_good.py"), "def bench_good(): pass\n").unwrap();
    if chown(place, Some(61_237), None).is_err() {
        return;
    }
    let program = env!("CARGO_BIN_EXE_tare");
    if !run(&[program, "--version"], place).is_ok_and(|done| done.status.success()) {
        return;
    }
    for processes in 1..8 {
        let limit = format!("--nproc={processes}");
        let done = run(&["prlimit", &limit, program, "list", "bench_good.py"], place).unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!said.contains("panicked"), "{processes}: {said}");
        assert!(done.status.success() || said.contains("Resource temporarily unavailable"), "{processes}: {said}");
    }
}

/// `latest` goes by the clock.
#[test]
fn a_clock_that_was_set_back_is_told() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let run = || dir.run(&["truth.toml", "--runtime", &simulated("")]).finish(0);
    run().never_says(&["later than now"]);
    let connection = Connection::open(dir.store()).unwrap();
    assert_eq!(connection.execute("UPDATE runs SET started = '2999-01-01T00:00:00.000Z'", []).unwrap(), 1);
    drop(connection);
    run().says_once(&["began at 2999-01-01T00:00:00.000Z, which is later than now", "`latest`, and commands"]);
}

/// With each number of files that may be open: it is told which limit that is, and no other program is asked for.
#[test]
fn a_limit_on_open_files_is_told() {
    let dir = Dir::new();
    dir.good();
    let line = |files: u32| format!("ulimit -n {files}; exec \"$0\" run GoodBench.php --no-store --launches 1");
    let mut told = 0;
    for files in (4..28).step_by(2) {
        let mut command = dir.tare(&[]);
        let tare = command.command.get_program().to_owned();
        let mut shell = Command::new("bash");
        shell.args(["-c", &line(files)]).arg(tare).current_dir(dir.path());
        shell.envs(command.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.command = shell;
        let finished = command.start().wait();
        assert!(finished.status.is_some_and(|status| status < 5), "{files}: {finished}");
        finished.never_says(&["panicked", "name another with --runtime"]);
        told += u32::from(finished.to_string().contains("ulimit -n"));
    }
    assert!(told > 0);
}

#[test]
fn an_endless_name_is_one_line_of_progress() {
    let dir = Dir::new();
    let php = "    /** @ParamProviders({\"sets\"}) */\n    public function benchLong(): void {}\n    public function sets() { yield \"\\u{202e}\\u{2028}\" . str_repeat('x', 1 << 20) => []; }";
    dir.php("LongBench", php);
    let finished = dir.run(&["LongBench.php", "--no-store"]).finish(0);
    assert!(finished.stderr.lines().all(|line| line.chars().count() < 2_000), "{}", finished.stderr.len());
    for text in [&finished.stdout, &finished.stderr] {
        assert!(!text.contains(['\u{202e}', '\u{2028}', '\u{9b}']));
    }
    let json = dir.run(&["LongBench.php", "--no-store", "--json", "--events", "events"]).finish(0);
    let events = fs::read_to_string(dir.path().join("events")).unwrap();
    for text in [&json.stdout, &events] {
        assert!(text.contains("\\u202e") && !text.contains(['\u{202e}', '\u{2028}', '\u{9b}']));
    }
}

#[test]
fn a_url_without_a_host_is_none() {
    let dir = Dir::new();
    for url in ["http:///x", "http:x", "http:/x", "https:////x"] {
        dir.tare(&["load", "http", url]).finish(2).says_once(&["no host stands between"]);
    }
}
