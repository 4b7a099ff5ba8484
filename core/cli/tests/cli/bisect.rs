//! `tare bisect`: the commit to blame, on simulated subjects that are slower from one commit on by construction.

use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{Dir, Finished, PATIENCE, has_valgrind, simulated};

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
    let page = dir.path().join("found.html");
    let files = ["--json", file.to_str().unwrap(), "--html", page.to_str().unwrap()];
    let shown = bisect(&dir, "HEAD~5", &files, 0);
    shown.says_once(&[
        &format!("{} made `subject` slower than its parent: +", &guilty[..7]),
        "measured afresh",
        "subject commit 3",
        "step 1: ",
    ]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains(&guilty) && page.contains("id=\"intervals\""),
        "{page}"
    );
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
    let nowhere = ["--case", "subject", "--html", "/nowhere/page.html"];
    refused("main~1", "main", &nowhere, "--html /nowhere/page.html");
    refused("main~1", "main", &["--case", "subject", "--launches", "9"], "isn't for `tare bisect`");
    refused("main~1", "main", &["--case", "subject", "--metric", "joules"], "write time, instructions or memory");
    let timed = ["--case", "subject", "--metric", "memory", "--margin", "2%"];
    refused("main~1", "main", &timed, "--margin has no effect with --metric memory");
    refused("main~1", "main", &[], "the following required arguments");
    refused("main~1", "main", &["--case", "subject", "--command", "it"], "cannot be used with");
    refused("main~1", "main", &["--command", "it"], "no [[command]] of tare.toml has exactly this name");
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

/// A benchmark of PHP that does so many turns, or keeps so many bytes, in each commit.
fn php_history(body: &[String]) -> Dir {
    let dir = Dir::repository();
    for (number, body) in body.iter().enumerate() {
        let source = format!(
            "<?php\nfinal class WorkBench {{\n    // {number}\n    public function benchIt(): void {{ {body} }}\n}}\n"
        );
        dir.file("WorkBench.php", &source).commit(&format!("commit {number}"));
    }
    dir
}

fn loop_of(turns: u32) -> String {
    format!("for ($i = 0; $i < {turns}; ++$i) {{ $s = $i % 7; }}")
}

fn by_metric(dir: &Dir, metric: &str, more: &[&str], status: i32) -> Finished {
    let fixed = ["bisect", "HEAD~3", "HEAD", "WorkBench.php", "--case", "It", "--metric", metric];
    let finished = dir.tare(&[&fixed[..], more].concat()).finish(status);
    dir.assert_nothing_is_left();
    finished
}

#[test]
fn the_commit_from_which_on_a_call_executes_more_is_found_by_counting() {
    if !has_valgrind() {
        return;
    }
    let dir = php_history(&[1000, 1000, 1004, 1004].map(loop_of));
    let file = dir.path().join("found.json");
    let shown = by_metric(&dir, "instructions", &["--json", file.to_str().unwrap()], 0);
    shown.says_once(&[
        "execute more instructions than its parent does: +0.",
        "counted afresh",
        "subject      commit 2",
    ]);
    shown.never_says(&["slower", "interval"]);
    let document: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!((&document["metric"], &document["end"]), (&"instructions".into(), &"found".into()), "{document:#}");
    assert_eq!(document["cases"][0]["verdict"], "more");
    let ratio = |name: &str| document["change"][name].as_f64().unwrap();
    assert!(1.002 < ratio("low") && ratio("low") < ratio("ratio") && ratio("high") < 1.006, "{:#}", document["change"]);
    assert_eq!(document["change"].get("confidence"), None, "a bound is no interval");
}

#[test]
fn calls_that_execute_as_much_or_whose_counts_vary_blame_no_commit() {
    if !has_valgrind() {
        return;
    }
    let dir = php_history(&[1, 2, 3, 4].map(|start| format!("$s = {start}; {}", loop_of(500))));
    by_metric(&dir, "instructions", &[], 3).says_once(&["executes as many instructions in HEAD~3 as in HEAD"]);
    let dir = php_history(
        &[1, 2, 3, 4]
            .map(|start| format!("$s = {start}; for ($i = random_int(1, 1000); $i > 0; --$i) {{ $s = $i % 7; }}")),
    );
    by_metric(&dir, "instructions", &[], 3).says_once(&["executes varies", "leave --metric out"]);
}

#[test]
fn without_valgrind_a_search_by_memory_names_the_package() {
    let dir = history(&[1000.0, 1200.0]);
    let folder = dir.path().join(".tare-nothing");
    std::fs::create_dir_all(&folder).unwrap();
    let mut running = dir.tare(&["bisect", "HEAD~1", "HEAD", "--case", "subject", "--metric", "instructions"]);
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file());
    std::os::unix::fs::symlink(git.unwrap(), folder.join("git")).unwrap();
    running.command.env("PATH", &folder);
    running.finish(2).says_once(&["there is no program `valgrind`", "apt-get install valgrind"]);
}

#[test]
fn the_commit_from_which_on_a_process_holds_more_is_found_by_weighing() {
    let keeps =
        |megabytes: u32| format!("static $kept = []; if (!$kept) {{ $kept = range(1, {}); }}", megabytes * 65_536);
    let dir = php_history(&[1, 1, 16, 16].map(keeps));
    let document = by_metric(&dir, "memory", &["--json"], 0).document().0;
    assert_eq!((&document["metric"], &document["subject"]), (&"memory".into(), &"commit 2".into()), "{document:#}");
    assert!(document["change"]["low"].as_f64().unwrap() > 1.1, "{document:#}");
    let dir = php_history(&[1, 2, 3, 4].map(|start| format!("$s = {start};")));
    by_metric(&dir, "memory", &[], 3).says_once(&["No difference of the memory", "so no commit is blamed"]);
}

/// A truth whose time stands far below its first line.
fn spread(first: &str, nanoseconds: f64) -> String {
    let between: String = (0..10).map(|line| format!("# {line}\n")).collect();
    format!("# {first}\n{between}") + &truth(0, nanoseconds)
}

#[test]
fn of_the_commit_that_is_found_the_hunk_to_blame_is_named() {
    let dir = Dir::repository();
    dir.file("truth.toml", &spread("good", 1000.0)).commit("good");
    dir.file("truth.toml", &spread("renamed", 1000.0)).commit("another comment");
    dir.file("truth.toml", &spread("bad", 1200.0)).file("README.md", "read me").commit("bad");
    dir.file("truth.toml", "edited, and not committed");
    dir.file("staged", "1");
    dir.git(&["add", "staged"]);
    let state = || [dir.git(&["status", "--porcelain"]), dir.git(&["for-each-ref"]), dir.git(&["ls-files", "--stage"])];
    let before = state();
    let file = dir.path().join(".tare").join("found.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let shown = bisect(&dir, "HEAD~2", &["--hunks", "--json", file.to_str().unwrap()], 0);
    shown.says_once(&[
        "One of its 3 hunks brings the change: +",
        "put over the parent and measured afresh",
        "    -time-ns = 1000.0",
    ]);
    assert_eq!(state(), before);
    let document: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let [hunk] = document["hunks"].as_array().unwrap().as_slice() else { panic!("{document:#}") };
    assert_eq!((&hunk["file"], &hunk["line"], &hunk["lines"]), (&"truth.toml".into(), &16.into(), &1.into()));
    assert!(hunk["text"].as_str().unwrap().starts_with("-time-ns = 1000.0\n+"), "{hunk:#}");
    assert_eq!((&document["hunks_of"], &document["hunks_end"]), (&3.into(), &"found".into()));
    let ratio = |name: &str| document["hunks_change"][name].as_f64().unwrap();
    assert!(ratio("low") <= 1.2 && 1.2 <= ratio("high") && ratio("ratio") > 1.1, "{document:#}");
}

#[test]
fn a_commit_of_one_hunk_is_not_searched_within() {
    let dir = history(&[1000.0, 1200.0]);
    let shown = bisect(&dir, "HEAD~1", &["--hunks"], 0);
    shown.says_once(&["has one hunk only"]).never_says(&["put over the parent"]);
}

#[test]
fn a_command_is_searched_for_by_its_exact_name() {
    let dir = Dir::repository();
    let commands = "[[command]]\nname = \"it (a+b)\"\ncommand = \"sh it.sh\"\n\
                    [[command]]\nname = \"it (a+b) more\"\ncommand = \"sh more.sh\"\n";
    dir.file("tare.toml", commands).file("more.sh", "exit 0\n").file("it.sh", "exit 0\n").commit("good");
    dir.file("more.sh", "exit 0 # another\n").commit("another command");
    let words = ["bisect", "HEAD~1", "HEAD", "--json", "--command"];
    let document = dir.tare(&[&words[..], &["it (a+b)", "--budget", "300ms"]].concat()).finish(3).document().0;
    let cases = document["cases"].as_array().unwrap();
    assert_eq!((cases.len(), &cases[0]["title"]), (1, &"it (a+b)".into()), "{document:#}");
    let no_name = dir.tare(&[&words[..], &["it .a+b."]].concat()).finish(2);
    no_name.says_once(&["has exactly this name", "tare list tare.toml"]);
    let by_memory = dir.tare(&[&words[..], &["it (a+b) more", "--metric", "memory"]].concat()).finish(4);
    by_memory.says_once(&["a command is a process of its own", "take --metric instructions, or leave it out"]);
}
