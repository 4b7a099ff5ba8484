//! `tare store`: copies, checks, prunes.

use crate::harness::{Dir, TRUTH, simulated};

fn measured(dir: &Dir, tags: &[&str]) {
    dir.file("truth.toml", TRUTH);
    for tag in tags {
        dir.run(&["truth.toml", "--runtime", &simulated(""), "--tag", tag]).finish(0);
    }
}

#[test]
fn runs_are_copied_once_and_as_they_are() {
    let dir = Dir::new();
    measured(&dir, &["a", "b"]);
    let copy = ["store", "copy", ".tare", "other"];
    dir.tare(&copy).finish(0).says_once(&["2 runs: 4 launches copied, 0 there already"]);
    dir.tare(&copy).finish(0).says_once(&["2 runs: 0 launches copied, 4 there already"]);
    let shown = |store: &str| dir.tare(&["show", "b", "--json", "--store", store]).finish(0).stdout;
    assert_eq!(shown(".tare"), shown("other"));
    dir.tare(&["store", "copy", ".tare", "third", "--run", "a"]).finish(0).says_once(&["1 run: 2 launches copied"]);
    dir.tare(&["store", "copy", ".tare", "./.tare"]).finish(2).says_once(&["are the same store"]);
    dir.tare(&["store", "copy", "none", "x"]).finish(2).says_once(&["there is no store at"]);
    dir.tare(&["store", "copy", ".tare", "x", "--run", "zzz"]).finish(2).says_once(&["no run is called"]);
    assert!(!dir.path().join("x").exists());
    let secret = dir.tare(&["store", "copy", "postgres://me:geheim@127.0.0.1/d", "x"]).finish(2);
    secret.says_once(&["contains a password", "PGPASSWORD"]).never_says(&["geheim"]);
}

#[test]
fn what_no_rule_keeps_is_deleted() {
    let dir = Dir::new();
    measured(&dir, &["a", "b", "c", "d"]);
    dir.tare(&["store", "prune", "--keep", "1", "--keep", "tag:a", "--dry-run"]).finish(0).says_once(&[
        "2 runs would be deleted, 2 kept",
        "(b) would be deleted",
        "(c) would be deleted",
    ]);
    dir.tare(&["store", "prune", "--keep", "90d"]).finish(0).says_once(&["0 runs deleted, 4 kept"]);
    dir.tare(&["store", "prune", "--keep", "tagged"]).finish(0).says_once(&["0 runs deleted, 4 kept"]);
    dir.tare(&["store", "prune", "--keep", "1", "--keep", "tag:a"]).finish(0).says_once(&["2 runs deleted, 2 kept"]);
    let runs = dir.tare(&["log", "--json"]).finish(0).document();
    let tags: Vec<&str> =
        runs.0["runs"].as_array().unwrap().iter().map(|run| run["tags"][0].as_str().unwrap()).collect();
    assert_eq!(tags, ["d", "a"]);
    dir.tare(&["store", "prune"]).finish(2).says_once(&["--keep <N|AGE|tagged|tag:NAME>\n\nUsage"]);
    dir.tare(&["store", "prune", "--keep", "5m"]).finish(2).says_once(&["an age as 90d, 12w or 48h"]);
}

#[test]
fn a_launch_that_is_not_what_was_stored_is_found() {
    let dir = Dir::new();
    measured(&dir, &["a"]);
    dir.tare(&["store", "check"]).finish(0).says_once(&["1 run, 2 launches: all as they were stored"]);
    let connection = rusqlite::Connection::open(dir.store()).unwrap();
    connection.execute("UPDATE launches SET duration_ns = duration_ns + 1 WHERE number = 1", []).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute("UPDATE launches SET variant = 77 WHERE number = 2", []).unwrap();
    drop(connection);
    dir.tare(&["store", "check"]).finish(4).says_once(&[
        "2 faults",
        "a row of launches belongs to nothing",
        "restore the store from a backup",
    ]);
}

#[test]
fn there_is_something_to_push_for_a_server_only() {
    let dir = Dir::new();
    measured(&dir, &["a"]);
    dir.tare(&["store", "push"]).finish(2).says_once(&["the store is a folder", "--store postgres://"]);
}
