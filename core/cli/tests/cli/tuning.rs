//! `tare tune` on a machine that is a folder.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Dir, TestCommand};

const GOVERNOR: &str = "machine/sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
const TURBO: &str = "machine/sys/devices/system/cpu/intel_pstate/no_turbo";

/// A project with a laptop in its folder `machine`.
fn laptop() -> Dir {
    let dir = Dir::new();
    dir.file(GOVERNOR, "powersave\n").file(TURBO, "0\n");
    dir.file("machine/proc/sys/kernel/randomize_va_space", "2\n");
    dir
}

fn tune<'a>(dir: &'a Dir, arguments: &[&str]) -> TestCommand<'a> {
    let mut command = dir.tare(&["tune", "--root", "machine"]);
    command.command.args(arguments).env("TARE_STATE", dir.path().join("state"));
    command
}

fn settings(dir: &Dir) -> [String; 2] {
    [GOVERNOR, TURBO].map(|path| fs::read_to_string(dir.path().join(path)).unwrap().trim().to_owned())
}

fn state(dir: &Dir) -> PathBuf {
    dir.path().join("state/tune.json")
}

#[test]
fn a_dry_run_shows_each_file_and_changes_nothing() {
    let dir = laptop();
    let finished = tune(&dir, &["--dry-run"]).finish(0);
    finished.says_once(&[
        "governor powersave → performance /sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
        "turbo 0 → 1 /sys/devices/system/cpu/intel_pstate/no_turbo",
    ]);
    finished.never_says(&["aslr"]);
    assert_eq!(settings(&dir), ["powersave", "0"]);
    assert!(!state(&dir).exists());
}

#[test]
fn a_command_runs_on_the_settled_machine_and_its_status_is_passed_on() {
    let dir = laptop();
    for (script, status) in
        [(format!("cat {GOVERNOR} {TURBO}"), 0), ("exit 7".to_owned(), 7), ("kill -9 $$".to_owned(), 137)]
    {
        let finished = tune(&dir, &["--", "sh", "-c", &script]).finish(status);
        assert_eq!(finished.stdout, if status == 0 { "performance\n1\n" } else { "" }, "{finished}");
        finished.says_once(&["settled (2 files)", "put back (2 files)"]);
        assert_eq!(settings(&dir), ["powersave", "0"]);
        assert!(!state(&dir).exists());
    }
    tune(&dir, &["--", "no-such-program"])
        .finish(127)
        .says_once(&["no-such-program can't be run", "put back (2 files)"]);
    assert_eq!(settings(&dir), ["powersave", "0"]);
}

#[test]
fn nothing_behind_the_dashes_is_an_error_and_settles_nothing() {
    let dir = laptop();
    for arguments in [&["--"][..], &["--smt-off", "--"], &["--dry-run", "--"]] {
        tune(&dir, arguments).finish(2).says_once(&["there is no command behind `--`"]);
        assert_eq!(settings(&dir), ["powersave", "0"]);
        assert!(!state(&dir).exists());
    }
}

/// A command that says when it runs, under which number, and stays.
const STAYS: &str = "echo $$ > pid.new && mv pid.new pid && exec sleep 600";

fn pid(dir: &Dir) -> Pid {
    let path = dir.path().join("pid");
    dir.wait_until("the command runs", || path.exists());
    Pid::from_raw(fs::read_to_string(path).unwrap().trim().parse().unwrap()).unwrap()
}

#[test]
fn a_signal_ends_the_command_and_everything_is_put_back() {
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)] {
        let dir = laptop();
        let mut command = tune(&dir, &["--", "sh", "-c", STAYS]);
        // Away from the terminal of who runs the tests, which would send a typed Ctrl-C to the command by itself.
        command.command.process_group(0);
        let running = command.start();
        pid(&dir);
        assert_eq!(settings(&dir), ["performance", "1"]);
        assert!(state(&dir).is_file());
        running.signal(signal);
        let finished = running.wait();
        assert_eq!(finished.status, Some(128 + number), "{finished}");
        finished.says_once(&["everything is put back when the command has ended", "put back (2 files)"]);
        assert_eq!(settings(&dir), ["powersave", "0"]);
        assert!(!state(&dir).exists());
        dir.assert_no_process_is_left();
    }
}

#[test]
fn a_command_that_will_not_end_is_killed_at_the_third_signal() {
    let dir = laptop();
    let script = "trap '' INT; echo $$ > pid.new && mv pid.new pid; exec sleep 600";
    let mut command = tune(&dir, &["--", "sh", "-c", script]);
    command.command.process_group(0);
    let telling = dir.path().join("told");
    let running = command.start_telling(&telling);
    pid(&dir);
    let mut running = running;
    // Signals that come too close together are one to the kernel.
    dir.wait_until("it ends", || {
        running.signal(Signal::INT);
        std::thread::sleep(std::time::Duration::from_millis(30));
        running.has_ended()
    });
    assert_eq!(running.wait().status, Some(137));
    assert!(fs::read_to_string(telling).unwrap().contains("Tare kills it, but processes that it started may go on"));
    assert_eq!(settings(&dir), ["powersave", "0"]);
}

#[test]
fn after_a_kill_the_state_says_what_to_put_back() {
    let dir = laptop();
    let running = tune(&dir, &["--", "sh", "-c", STAYS]).start();
    let sleeper = pid(&dir);
    // While it lives nobody else may.
    let refused = tune(&dir, &["--restore"]).command.output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("still runs a command on the tuned machine"));
    assert_eq!(settings(&dir), ["performance", "1"]);
    running.kill();
    kill_process(sleeper, Signal::KILL).unwrap();
    dir.assert_no_process_is_left();
    assert_eq!(settings(&dir), ["performance", "1"]);

    let refused = tune(&dir, &["--", "true"]).finish(2);
    refused.says_once(&["tuned already, by an earlier `tare tune`", "tare tune --restore"]);
    assert_eq!(settings(&dir), ["performance", "1"]);
    tune(&dir, &["--restore"]).finish(0).says_once(&["performance → powersave", "1 → 0"]);
    assert_eq!(settings(&dir), ["powersave", "0"]);
    tune(&dir, &["--restore"]).finish(2).says_once(&["there is nothing to restore"]);
}

#[test]
fn without_a_command_it_stays_settled_until_restored() {
    let dir = laptop();
    tune(&dir, &[]).finish(0).says_once(&["powersave → performance", "settled until `tare tune --restore`"]);
    assert_eq!(settings(&dir), ["performance", "1"]);
    tune(&dir, &[]).finish(2).says_once(&["tuned already"]);
    // Another hand is not overruled.
    dir.file(GOVERNOR, "ondemand\n");
    tune(&dir, &["--restore"])
        .finish(0)
        .says_once(&["left at ondemand, which isn't from this tune; it was powersave before"]);
    assert_eq!(settings(&dir), ["ondemand", "0"]);
    assert!(!state(&dir).exists());
}

#[test]
fn what_the_command_changes_itself_is_left_and_told() {
    let dir = laptop();
    let finished = tune(&dir, &["--", "sh", "-c", &format!("echo ondemand > {GOVERNOR}")]).finish(0);
    finished.says_once(&["governor is left at ondemand, which another program has set since; it was powersave before"]);
    assert_eq!(settings(&dir), ["ondemand", "0"]);
}

#[test]
fn a_file_that_can_not_be_read_or_written_is_told_and_the_rest_is_settled() {
    let dir = laptop();
    fs::remove_file(dir.path().join(TURBO)).unwrap();
    dir.file(&format!("{TURBO}/x"), "");
    let finished = tune(&dir, &["--", "cat", GOVERNOR]).finish(0);
    assert_eq!(finished.stdout, "performance\n", "{finished}");
    finished.says_once(&["turbo is left alone: /sys/devices/system/cpu/intel_pstate/no_turbo: Is a directory"]);
    assert_eq!(fs::read_to_string(dir.path().join(GOVERNOR)).unwrap().trim(), "powersave");
}

#[test]
fn a_machine_with_nothing_to_settle_runs_the_command_all_the_same() {
    let dir = Dir::new();
    fs::create_dir(dir.path().join("machine")).unwrap();
    let finished = tune(&dir, &["--", "echo", "here"]).finish(0);
    assert_eq!(finished.stdout, "here\n");
    finished.says_once(&["this machine has nothing to settle"]);
    assert!(!dir.path().join("state").exists());
    tune(&dir, &["--restore", "--", "echo"]).finish(2);
    tune(&dir, &["--dry-run", "--restore"]).finish(2);
    tune(&dir, &["--cpus", "x"]).finish(2).says_once(&["--cpus: `x` is not a list of CPUs"]);
}

#[test]
fn messages_are_as_wide_as_the_terminal() {
    let dir = laptop();
    let mut command = tune(&dir, &["--", "true"]);
    command.command.env("COLUMNS", "44");
    let finished = command.finish(0);
    assert!(finished.stderr.lines().all(|line| line.len() <= 44), "{finished}");
    let mut again = tune(&dir, &["--"]);
    again.command.env("COLUMNS", "60");
    let refused = again.finish(2);
    refused.says_once(&[
        "there is no command behind `--`: name one, as in tare tune -- tare run; without `--` the machine stays",
    ]);
    assert!(refused.stderr.lines().count() > 2 && refused.stderr.lines().all(|line| line.len() <= 60), "{refused}");
}

#[test]
fn doctor_says_what_a_killed_tune_has_left() {
    let dir = laptop();
    let doctor = || {
        let mut command = dir.tare(&["doctor", "--root", "machine", "--runtime", "php"]);
        command.command.env("TARE_STATE", dir.path().join("state"));
        // Not `finish`: a tune may be running beside it.
        let finished = command.start().wait();
        assert_eq!(finished.status, Some(0), "{finished}");
        finished
    };
    doctor().never_says(&["tune --restore"]);
    let running = tune(&dir, &["--", "sh", "-c", STAYS]).start();
    let command = pid(&dir);
    doctor().says_once(&["tune settled by process"]).never_says(&["tune --restore"]);
    running.kill();
    let _ = kill_process(command, Signal::KILL);
    dir.assert_no_process_is_left();
    doctor().says_once(&[
        "tune: the machine is still settled (governor, turbo: 2 files)",
        "`sudo tare tune --restore` puts everything back",
    ]);
    tune(&dir, &["--restore"]).finish(0);
    doctor().never_says(&["tune --restore"]);
}
