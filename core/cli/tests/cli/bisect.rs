//! `tare bisect`: the commit to blame, on simulated subjects that are slower from one commit on by construction.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Dir, Finished, PATIENCE, simulated};

/// A repository whose subject takes so long after each commit. A comment of each differs, so that all have to be measured.
fn history(times: &[f64]) -> Dir {
    let dir = Dir::repository();
    for (number, nanoseconds) in times.iter().enumerate() {
        dir.file("truth.toml", &truth(number, *nanoseconds)).commit(&format!("commit {number}"));
    }
    dir
}

fn truth(number: usize, nanoseconds: f64) -> String {
    format!(
        "# {number}\nseed = 1\n[[case]]\nname = \"subject\"\ntime-ns = {nanoseconds:?}\nnoise = {{ model = \"gaussian\", spread = 0.01 }}\n"
    )
}

fn words<'a>(good: &'a str, runtime: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["bisect", good, "HEAD", "truth.toml", "--case", "subject", "--runtime", runtime, "--seed", "3"];
    [&fixed[..], &["--budget", "300ms"], more].concat()
}

fn bisect(dir: &Dir, good: &str, more: &[&str], status: i32) -> Finished {
    let finished = dir.tare(&words(good, &simulated(""), more)).finish(status);
    dir.assert_nothing_is_left();
    finished
}

fn subjects(all: &Value) -> Vec<&str> {
    all.as_array().unwrap().iter().map(|one| one["subject"].as_str().unwrap()).collect()
}

#[test]
fn the_commit_from_which_on_a_case_is_slower_is_found_and_confirmed() {
    let mut times = [1000.0; 6];
    times[3..].fill(1200.0);
    let dir = history(&times);
    let guilty = dir.git(&["rev-parse", "HEAD~2"]);
    let file = dir.path().join("found.json");
    let shown = bisect(&dir, "HEAD~5", &["--json", file.to_str().unwrap()], 0);
    shown.says_once(&[
        &format!("{} made `subject` slower than its parent: +", &guilty[..7]),
        "measured afresh",
        "subject commit 3",
        "step 1: ",
    ]);
    let document: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!((&document["format"], &document["commit"]), (&"tare.bisect".into(), &guilty.as_str().into()));
    assert_eq!(document["parent"], dir.git(&["rev-parse", "HEAD~3"]));
    let ratio = |name: &str| document["change"][name].as_f64().unwrap();
    assert!(ratio("low") <= 1.2 && 1.2 <= ratio("high") && ratio("ratio") > 1.1, "{:#}", document["change"]);
    let steps = document["steps"].as_array().unwrap();
    assert!((1..=8).contains(&steps.len()) && document["confidence"].as_f64().unwrap() >= 0.95, "{document:#}");
    assert_eq!((&document["skipped"], &document["unchanged"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn where_nothing_changed_no_commit_is_blamed() {
    let dir = history(&[1000.0; 4]);
    let shown = bisect(&dir, "HEAD~3", &["--margin", "2%"], 3);
    shown.says_once(&["so no commit is blamed", "--budget", "--margin"]).never_says(&["step 1"]);
    // By proof: a commit that changes nothing that is read.
    dir.file("README.md", "read me").commit("documentation");
    let document = bisect(&dir, "HEAD~1", &["--json"], 3).document().0;
    assert_eq!((&document["end"], &document["commit"]), (&"no-change".into(), &Value::Null), "{document:#}");
}

#[test]
fn commits_that_can_not_be_measured_are_skipped_and_told() {
    let dir = Dir::repository();
    dir.file("truth.toml", &truth(0, 1000.0)).commit("good");
    dir.file("truth.toml", "this is no truth").commit("broken");
    dir.file("truth.toml", &truth(2, 1000.0).replace("subject", "another name")).commit("renamed");
    dir.file("truth.toml", &truth(3, 1200.0)).commit("bad");
    let document = bisect(&dir, "HEAD~3", &["--json"], 3).document().0;
    assert_eq!((&document["end"], &document["commit"]), (&"one-of".into(), &Value::Null), "{document:#}");
    assert_eq!(subjects(&document["likeliest"]), ["broken", "renamed", "bad"]);
    let skipped = document["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 2, "{skipped:#?}");
    assert!(skipped.iter().all(|one| !one["why"].as_str().unwrap().is_empty()), "{skipped:#?}");
    assert!(skipped.iter().any(|one| one["why"].as_str().unwrap().contains("doesn't have the case")), "{skipped:#?}");
}

#[test]
fn what_can_not_be_searched_is_refused_with_what_to_do() {
    let dir = history(&[1000.0; 3]);
    dir.git(&["checkout", "--quiet", "-b", "side", "HEAD~2"]);
    dir.commit("on another branch");
    let runtime = simulated("");
    let refused = |good: &str, bad: &str, more: &[&str], said: &str| {
        let all = [&["bisect", good, bad, "truth.toml", "--runtime", &runtime], more].concat();
        dir.tare(&all).finish(2).says_once(&[said]);
    };
    let case = ["--case", "subject"];
    refused("main", "HEAD", &case, "main is no ancestor of HEAD");
    refused("main", "main~1", &case, "name the older one first: main~1 main");
    refused("main", "main", &case, "are the same commit");
    refused("main~1", ".", &case, "commit what you have, and name HEAD");
    refused("main~1", "main", &["--case", "["], "not a regular expression");
    refused("main~1", "main", &["--case", "missing"], "no case matches --case missing");
    refused("main~1", "main", &["--case", "subject", "--resume"], "leave --resume out to begin one");
    refused("main~1", "main", &["--case", "subject", "--confidence", "100%"], "to below 100%");
    refused("main~1", "main", &["--case", "subject", "--launches", "9"], "isn't for `tare bisect`");
    refused("main~1", "main", &[], "the following required arguments");
    refused("nowhere", "main", &case, "there is no revision `nowhere`");
    // A shallow clone has no way from one to the other.
    let clone = dir.path().join(".tare-clone");
    let from = format!("file://{}", dir.path().display());
    dir.git(&["clone", "--quiet", "--depth", "1", "--branch", "main", &from, clone.to_str().unwrap()]);
    let mut shallow = dir.tare(&["bisect", "HEAD~1", "HEAD", "truth.toml", "--case", "subject", "--runtime", &runtime]);
    shallow.command.current_dir(&clone);
    shallow.finish(2).says_once(&["git fetch --unshallow"]);
}

#[test]
fn an_interrupted_search_goes_on_where_it_was() {
    let mut times = [1000.0; 5];
    times[2..].fill(1300.0);
    let dir = history(&times);
    let runtime = simulated("");
    let messages = dir.path().with_file_name("messages");
    let mut running = dir.tare(&words("HEAD~4", &runtime, &[])).start_telling(&messages);
    let until = Instant::now() + PATIENCE;
    while !std::fs::read_to_string(&messages).unwrap().contains("step 1: ") {
        assert!(Instant::now() < until && !running.has_ended(), "{}", std::fs::read_to_string(&messages).unwrap());
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    running.signal(Signal::INT);
    let ended = running.wait();
    dir.assert_nothing_is_left();
    // It may just have ended.
    assert!([Some(130), Some(0)].contains(&ended.status), "{ended}");
    if ended.status == Some(130) {
        assert!(std::fs::read_to_string(&messages).unwrap().contains("with --resume goes on"));
        let document = bisect(&dir, "HEAD~4", &["--resume", "--json"], 0);
        document.never_says(&["step 1: "]);
        assert_eq!(document.document().0["subject"], "commit 2");
    }
}
