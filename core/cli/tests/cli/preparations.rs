//! Commands that make a revision ready: they fail, hang, or are interrupted, and nothing of them is left.

use rustix::process::Signal;

use crate::harness::Dir;

/// Succeeds in the second commit only.
const FAILS_AT_FIRST: &str = "echo looking around; grep -q 40 WorkBench.php || { echo no such luck >&2; exit 7; }";

#[test]
fn a_revision_is_prepared_once_in_the_folder_of_its_project() {
    let dir = Dir::two_commits();
    let log = dir.path().join("../prepared");
    let command = format!("pwd >> '{}'; echo '<?php' > vendor.php", log.display());
    dir.file("tare.toml", &format!("[compare]\nprepare = {command:?}\n"));
    let shown = dir.compare("HEAD~1", "HEAD", &[]).finish(0);
    shown.says_once(&["HEAD~1: preparing", "HEAD: preparing"]);
    dir.compare("HEAD", "HEAD~1", &[]).finish(0).never_says(&["preparing", "checking out"]);
    let prepared = std::fs::read_to_string(&log).unwrap();
    assert_eq!(prepared.lines().count(), 2, "{prepared}");
    assert!(prepared.lines().all(|folder| folder.contains("/cache/tare/checkouts/")), "{prepared}");
    // The working tree is the user's own to prepare.
    dir.compare("HEAD", ".", &[]).finish(0);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), prepared);
    dir.assert_nothing_is_left();
}

#[test]
fn a_preparation_that_fails_is_shown_and_the_other_revision_is_not_measured_for_nothing() {
    let dir = Dir::two_commits();
    // Gates and controls ask for a comparison that there can't be: it is the failure that has to be told.
    for more in [&[][..], &["--fail-on", "slower"], &["--control"]] {
        let shown = dir.compare("HEAD~1", "HEAD", &[&["--prepare", FAILS_AT_FIRST], more].concat()).finish(4);
        shown.says_once(&[
            "preparing the revision `HEAD~1` failed",
            "exit status: 7",
            "│ looking around",
            "│ no such luck",
            "no case is on both sides, so Tare measured nothing",
        ]);
        shown.never_says(&["pilot"]);
        assert!(!dir.store().exists(), "half a comparison was stored");
        assert_eq!(dir.cached_commits(), [dir.git(&["rev-parse", "HEAD"])]);
        dir.assert_nothing_is_left();
    }
    let document = dir.compare("HEAD~1", "HEAD", &["--prepare", FAILS_AT_FIRST, "--json"]).finish(4).document();
    let failure = &document.0["failures"][0];
    assert_eq!(document.0["failures"].as_array().unwrap().len(), 1);
    assert_eq!(failure["stderr"], "looking around\nno such luck", "{failure:#}");
}

#[test]
fn when_no_revision_can_be_prepared_nothing_is_measured() {
    let dir = Dir::two_commits();
    let shown = dir.compare("HEAD~1", "HEAD", &["--prepare", "echo why not; exit 3"]).finish(4);
    shown.says_once(&["preparing the revision `HEAD~1` failed", "preparing the revision `HEAD` failed"]);
    shown.never_says(&["pilot"]);
    assert_eq!(shown.stdout, "");
    assert!(!dir.store().exists() && dir.cached_commits().is_empty());
    dir.assert_nothing_is_left();
}

#[test]
fn a_preparation_may_print_what_it_likes() {
    let dir = Dir::two_commits();
    let command = "head -c 3000000 /dev/zero | tr '\\0' 'x'; printf '\\033[31mred\\377'; exit 1";
    let shown = dir.compare("HEAD~1", "HEAD", &["--prepare", command]).finish(4);
    assert!(shown.stderr.len() < 100_000, "{}", shown.stderr.len());
    dir.assert_nothing_is_left();
}

#[test]
fn a_preparation_that_takes_too_long_is_ended_with_its_children() {
    let dir = Dir::two_commits();
    dir.file(
        "tare.toml",
        "[compare]\nprepare = \"echo begun; sleep 1000 & setsid sleep 1000 & sleep 1000\"\nprepare-timeout = \"200ms\"\n",
    );
    let shown = dir.compare("HEAD", ".", &[]).finish(4);
    shown.says_once(&["preparing the revision `HEAD` took longer than 0.2 s", "│ begun"]);
    assert_eq!(dir.cached_commits(), [""; 0]);
    dir.assert_nothing_is_left();
}

#[test]
fn a_preparation_that_hangs_can_be_interrupted_or_killed() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let dir = Dir::two_commits();
        let begun = dir.path().join("../begun");
        // What it started in the background outlives a kill of tare: nobody is left to end it. An interruption ends it all.
        let background = if signal == Signal::KILL { "" } else { "sleep 1000 &" };
        let command = format!("{background} touch '{}'; exec sleep 1000", begun.display());
        let running = dir.compare("HEAD~1", "HEAD", &["--prepare", &command]).start();
        dir.wait_until("the preparation begins", || begun.exists());
        running.signal(signal);
        let finished = running.wait();
        dir.assert_no_process_is_left();
        if signal == Signal::KILL {
            // Nobody was there to tidy up: the next comparison makes the tree anew.
            dir.compare("HEAD~1", "HEAD", &[]).finish(0).says_once(&["HEAD~1: checking out"]);
        } else {
            assert_eq!(finished.status, Some(130), "{finished}");
            finished.says_once(&["interrupted before anything was measured"]);
            assert_eq!((dir.cached_commits(), finished.stdout.as_str()), (vec![], ""));
            assert!(!dir.store().exists());
        }
        dir.assert_nothing_is_left();
    }
}

#[test]
fn where_reports_cannot_be_written_nothing_is_prepared() {
    let dir = Dir::two_commits();
    let marker = dir.path().join("../prepared");
    let command = format!("touch '{}'", marker.display());
    for option in ["--junit", "--markdown"] {
        let shown = dir.compare("HEAD~1", "HEAD", &["--prepare", &command, option, "nowhere/report"]).finish(2);
        shown.says_once(&[&format!("{option} nowhere/report: No such file or directory")]).never_says(&["pilot"]);
    }
    assert!(!marker.exists(), "it was prepared first");
    dir.assert_nothing_is_left();
}

#[test]
fn a_revision_without_its_packages_is_told_with_what_installs_them() {
    let dir = Dir::repository();
    dir.file(".gitignore", "vendor/\n.tare/\n").file("composer.json", "{}");
    dir.file("vendor/autoload.php", "<?php function installed(): array { return [3, 1, 2]; }\n");
    dir.file("phpbench.json", r#"{"runner.bootstrap": "vendor/autoload.php", "runner.path": "."}"#);
    dir.php("WorkBench", "    public function benchWork(): void { installed(); }").commit("first");
    dir.commit("second");
    let remedy = ["--prepare \"composer install\"", "tare.toml [compare] prepare = \"composer install\""];
    dir.compare("HEAD~1", "HEAD", &[])
        .finish(4)
        .says_once(&["HEAD~1 and HEAD are checked out without vendor/"])
        .says_once(&remedy);
    dir.compare("HEAD", ".", &[]).finish(4).says_once(&["HEAD is checked out without vendor/"]).says_once(&remedy);
    let document = dir.compare("HEAD", ".", &["--json"]).finish(4).document();
    assert!(document.0["notices"][0]["remedy"].as_str().unwrap().contains(remedy[0]), "{:#}", document.0["notices"]);
    let copy = format!("cp -r '{}' .", dir.path().join("vendor").display());
    dir.compare("HEAD~1", "HEAD", &["--prepare", &copy]).finish(0).never_says(&["vendor/"]);
    // What loads, and fails when it is called.
    std::fs::remove_file(dir.path().join("phpbench.json")).unwrap();
    dir.commit("third");
    dir.compare("HEAD~1", "HEAD", &["WorkBench.php"])
        .finish(4)
        .says_once(&["HEAD~1 and HEAD are checked out without vendor/"]);
    dir.assert_nothing_is_left();
}
