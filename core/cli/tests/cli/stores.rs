//! Stores that can't be written to, or read.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Dir, Finished, TRUTH, simulated};

fn measure(dir: &Dir, arguments: &[&str], status: i32) -> Finished {
    dir.file("truth.toml", TRUTH);
    dir.run(&[&["truth.toml", "--runtime", &simulated("")], arguments].concat()).finish(status)
}

/// A file system on the store's folder; `None` where this process may not mount one.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn on(folder: &'a Path, options: &str) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("skipped: this process may not mount a file system");
        None
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let dir = Dir::new();
    measure(&dir, &[], 0);
    rusqlite::Connection::open(dir.store()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(dir.store()).unwrap();
    let message = "has version 99, and this Tare (version 0.1.0) knows stores up to version 11: a newer Tare has written to it. Use that Tare, or a newer one";
    let shown = measure(&dir, &[], 2);
    shown.says_once(&[message, "tare run --no-store"]).never_says(&["pilot"]);
    assert_eq!(shown.stdout, "");
    assert_eq!(measure(&dir, &["--json"], 2).stdout, "");
    dir.tare(&["log"]).finish(2).says_once(&[message]);
    dir.tare(&["show"]).finish(2).says_once(&[message]);
    dir.tare(&["run", "--resume"]).finish(2).says_once(&[message]);
    assert_eq!(fs::read(dir.store()).unwrap(), before);
    measure(&dir, &["--no-store"], 0);
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_anything_is_measured() {
    let dir = Dir::new();
    dir.file(".tare", "a file");
    let shown = measure(&dir, &[], 2);
    shown.says_once(&["cannot make the folder", "Make it yourself", "tare run --no-store"]).never_says(&["pilot"]);
    measure(&dir, &["--no-store"], 0);
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let dir = Dir::new();
    dir.file(".tare/tare.db", &"not a database\n".repeat(100));
    measure(&dir, &[], 2).says_once(&["is not a store of Tare", "Move the file away"]).never_says(&["pilot"]);
    assert!(fs::read_to_string(dir.store()).unwrap().starts_with("not a database"));
}

#[test]
fn a_read_only_store_is_told_before_anything_is_measured_and_can_be_read() {
    let dir = Dir::new();
    measure(&dir, &["--tag", "before"], 0);
    let stored = dir.path().join("stored");
    fs::rename(dir.path().join(".tare"), &stored).unwrap();
    let folder = dir.path().join(".tare");
    // A read-only mount stops root, too; rights don't.
    let Some(_mounted) = Mounted::on(&folder, "size=4m") else { return };
    // The events of runs are in a folder of their own.
    for path in fs::read_dir(&stored).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(&folder).status().unwrap().success());
    let shown = measure(&dir, &[], 2);
    shown.says_once(&["cannot write to the store", "its file system is mounted read-only", "tare run --no-store"]);
    shown.never_says(&["pilot"]);
    dir.tare(&["log"]).finish(0).says_once(&["before"]);
    dir.stored().assert_measured("gaussian");
}

#[test]
fn when_the_disk_fills_up_measuring_goes_on_and_what_was_stored_stays() {
    let dir = Dir::new();
    let folder = dir.path().join(".tare");
    let Some(_mounted) = Mounted::on(&folder, "size=384k") else { return };
    let arguments = ["--launches", "40", "--samples", "4000", "--seed", "1"];
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("");
    let all =
        [&["run", "truth.toml", "--json", "--budget", "20s", "--runtime", runtime.as_str()][..], &arguments].concat();
    let finished = dir.tare(&all).finish(4);
    finished.says_once(&[
        "the disk is full. Free some space and go on with `tare run --resume`; everything that was stored before is safe.",
        "measuring goes on without the store",
    ]);
    let document = finished.document();
    assert_eq!(document.0["stored"], false);
    for case in document.cases() {
        assert_eq!(case["launches"], 40, "{case:#}");
    }
    let stored = dir.launches();
    assert!(!stored.is_empty() && stored.len() < 80, "{}", stored.len());

    // Somebody frees space, and it goes on where the store ended.
    assert!(Command::new("mount").args(["-o", "remount,size=64m"]).arg(&folder).status().unwrap().success());
    let resumed = dir.tare(&["run", "--resume", "--json"]).finish(0).document();
    assert_eq!(resumed.0["id"], document.0["id"]);
    let whole = dir.launches();
    assert_eq!(whole.len(), 80);
    assert!(stored.iter().all(|launch| whole.contains(launch)), "a stored launch was changed");
}

#[test]
fn a_disk_that_is_full_from_the_start_is_told_once() {
    let dir = Dir::new();
    let folder = dir.path().join(".tare");
    let Some(_mounted) = Mounted::on(&folder, "size=64k") else { return };
    let filler = vec![0; 65_536];
    let _ = fs::write(folder.join("filler"), filler);
    measure(&dir, &[], 4).says_once(&["the disk is full. Free some space"]);
}

#[test]
fn a_temporary_folder_without_room_is_told_and_nothing_is_left_in_it() {
    let dir = Dir::new();
    dir.good();
    let folder = dir.path().join("small");
    let Some(_mounted) = Mounted::on(&folder, "size=4k") else { return };
    fs::write(folder.join("filler"), [0; 4096]).unwrap();
    let mut command = dir.run(&["GoodBench.php", "--no-store"]);
    command.command.env("TMPDIR", &folder);
    command.finish(4).says_once(&["The measuring code cannot be written to", "Free some space there"]);
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["filler"]);
}

#[test]
fn a_report_that_finds_no_room_keeps_no_other_from_being_written() {
    let dir = Dir::new();
    let files = ["--csv", "/dev/full", "--html", "/dev/full", "--junit", "tare.xml", "--markdown", "tare.md"];
    let told = measure(&dir, &files, 4);
    assert_eq!(told.stderr.matches("/dev/full: can't write the report").count(), 2, "{told}");
    for name in ["tare.xml", "tare.md"] {
        assert!(fs::read_to_string(dir.path().join(name)).unwrap().contains("gaussian"), "{name}");
    }
}

#[test]
fn unknown_runs_and_an_empty_store_are_matters_of_usage() {
    let dir = Dir::new();
    dir.tare(&["log"]).finish(2).says_once(&["there is no store at", "`tare run` makes one."]);
    dir.tare(&["show"]).finish(2).says_once(&["there is no store at"]);
    measure(&dir, &[], 0);
    dir.tare(&["show", "nothing-of-that-name"]).finish(2).says_once(&["no run is called \"nothing-of-that-name\"."]);
    dir.tare(&["run", "--resume"])
        .finish(2)
        .says_once(&["no run was interrupted; `tare log` shows the runs there are"]);
    dir.tare(&["run", "--resume=latest"]).finish(2).says_once(&["is complete: there is nothing to resume"]);
}

#[test]
fn three_runs_of_a_case_say_what_the_next_one_will_read() {
    let dir = Dir::new();
    // On a busy machine a run may not tell a short case from nothing: it has no part then.
    let mut unresolved: Vec<String> = Vec::new();
    for run in 1..=3u64 {
        let document = measure(&dir, &["--json"], 0).document();
        let id = |case: &serde_json::Value| case["id"].as_str().unwrap_or_default().to_owned();
        unresolved.extend(document.cases().iter().filter(|case| case["below_resolution"] != false).map(id));
        for case in document.cases().iter().filter(|case| !unresolved.contains(&id(case))) {
            let term = &case["between_runs"];
            // Two earlier runs are the least that say by how much runs differ; until then it is supposed.
            assert_eq!(term["runs"], if run < 3 { 0 } else { 2 }, "{term}");
            let part = term["standard"].as_f64().unwrap() * case["time"]["estimate"].as_f64().unwrap();
            assert_eq!(case["uncertainty"]["between_runs"], part);
            let next = &case["next_run"];
            if run < 3 {
                assert!(next.is_null(), "{run}: {next}");
                continue;
            }
            assert_eq!(next["runs"], run);
            let (low, high) = (next["low"].as_f64().unwrap(), next["high"].as_f64().unwrap());
            let time = case["time"]["estimate"].as_f64().unwrap();
            assert!(low > 0.0 && low <= time && time <= high, "{case:#}");
        }
    }
    // A run reads as it did, whatever has been measured since.
    let shown = dir.tare(&["show", "latest", "--json"]).finish(0).document();
    let latest = shown.cases().first().unwrap();
    assert!(
        latest["between_runs"]["runs"] == 2 && latest["uncertainty"]["between_runs"].as_f64() > Some(0.0),
        "{latest:#}"
    );
    // Where nothing is stored, what is there counts all the same, and the run itself with it.
    let unstored = measure(&dir, &["--json", "--no-store"], 0).document();
    assert!(unstored.cases().iter().any(|case| case["next_run"]["runs"] == 4));
    let against = measure(&dir, &["--json", "--against", "latest", "--about", "typical"], 0).document();
    let compared = against.0["comparisons"].as_array().unwrap();
    assert!(!compared.is_empty() && compared.iter().all(|pair| pair["verdict_about"] == "typical"), "{compared:#?}");
}
