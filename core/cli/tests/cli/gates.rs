//! `--fail-on`, `[[limit]]`, and the files that a build reads. The simulated worker's subjects are slower, or the same, by
//! construction.

use std::fs;

use crate::harness::{Dir, Finished, simulated};

fn truth(nanoseconds: f64) -> String {
    format!(
        "seed = 1\n[[case]]\nname = \"subject\"\ntime-ns = {nanoseconds:?}\nnoise = {{ model = \"gaussian\", spread = 0.001 }}\n"
    )
}

/// Two commits of a simulated subject that takes so long in each.
fn commits(base: f64, candidate: f64) -> Dir {
    let dir = Dir::repository();
    dir.file("truth.toml", &truth(base)).commit("base");
    dir.file("truth.toml", &truth(candidate)).commit("candidate");
    dir
}

fn compare(dir: &Dir, arguments: &[&str], status: i32) -> Finished {
    let runtime = simulated("");
    let fixed = ["compare", "HEAD~1", "HEAD", "truth.toml", "--measure", "all", "--runtime", &runtime, "--seed", "3"];
    let finished = dir.tare(&[&fixed[..], arguments].concat()).finish(status);
    dir.assert_nothing_is_left();
    finished
}

/// Enough launches for a verdict on these subjects.
const ENOUGH: [&str; 4] = ["--launches", "8", "--samples", "8"];

#[test]
fn what_is_slower_ends_with_status_1_where_that_was_asked_for() {
    let dir = commits(1000.0, 1200.0);
    let with = |more: &[&str], status| compare(&dir, &[&ENOUGH, more].concat(), status);
    let document = with(&["--json"], 0).document();
    let pair = &document.0["comparisons"][0];
    assert_eq!((&pair["verdict"], &pair["confirmed"]), (&"slower".into(), &true.into()), "{pair:#}");
    let document = with(&["--fail-on", "slower", "--json"], 1).document();
    let gate = &document.0["gates"][0];
    assert_eq!((&gate["rule"], &gate["outcome"]), (&"--fail-on slower".into(), &"tripped".into()), "{gate:#}");
    assert_eq!(gate["variant"], document.0["comparisons"][0]["candidate"]);
    let told = with(&["--fail-on", "slower=10%"], 1);
    told.says_once(&["--fail-on slower=10 %", "exit status 1: 1 gate tripped"]);
    assert!(told.stdout.starts_with("`subject` got slower by "), "the answer comes first: {told}");
    assert!(told.stderr.lines().last().is_some_and(|line| line.starts_with("tare: exit status 1: ")), "{told}");
    let held = with(&["--fail-on", "slower=50%", "--fail-on", "inconclusive"], 0);
    held.says_once(&["exit status 0: no gate tripped"]);
    // A comparison says how it ended without a gate, too, and so does what can't be carried out.
    let ungated = with(&[], 0);
    assert_eq!(ungated.stderr.lines().last(), Some("tare: exit status 0: no gate was asked for"), "{ungated}");
    let refused = with(&["--filter", "nothing-is-called-so"], 2);
    let last = "tare: exit status 2: wrong usage or configuration, or nothing to measure";
    assert_eq!(refused.stderr.lines().last(), Some(last), "{refused}");
    dir.file("tare.toml", "[compare]\nfail-on = [\"slower\"]\n");
    with(&[], 1);
    // The command line goes before the file.
    with(&["--fail-on", "slower=50%"], 0);
    dir.file("tare.toml", "[[limit]]\ncase = \"subject\"\nmax-slowdown = \"10%\"\n");
    with(&[], 1).says_once(&["max-slowdown 10 %"]);
    dir.file("tare.toml", "[[limit]]\ncase = \"subject\"\nmax-slowdown = \"30%\"\n");
    with(&[], 0);
    dir.file("tare.toml", "[[limit]]\ncase = \"another\"\nmax-slowdown = \"1%\"\n");
    with(&[], 0);
}

#[test]
fn what_is_the_same_or_faster_trips_no_gate() {
    for (base, candidate) in [(1000.0, 1000.0), (1200.0, 1000.0)] {
        let dir = commits(base, candidate);
        let document = compare(&dir, &[&ENOUGH[..], &["--fail-on", "slower", "--json"]].concat(), 0).document();
        let verdict = if base > candidate { "faster" } else { "same" };
        assert_eq!(document.0["comparisons"][0]["verdict"], verdict, "{:#}", document.0["comparisons"]);
    }
}

/// Launches that differ by 0.4 %: the margin of 0.5 % is far from decided, 2 % are, and so is the bound of `same`.
#[test]
fn a_gate_is_decided_at_the_percentage_that_it_states() {
    let dir = Dir::repository();
    dir.file("truth.toml", &format!("{}launch-spread = 0.004\n", truth(1000.0))).commit("base");
    dir.file("readme", "nothing but words").commit("candidate");
    let of = |more: &[&str], status| compare(&dir, &[more, &["--samples", "8", "--json"]].concat(), status).document();
    let document = of(&["--fail-on", "slower=2%", "--fail-on", "inconclusive"], 0);
    let pair = &document.0["comparisons"][0];
    assert_eq!(pair["verdict"], "same", "{pair:#}");
    let (within, pairs) = (pair["within"].as_f64().unwrap(), pair["pairs"].as_u64().unwrap());
    assert!(within > 0.005 && within <= 0.03, "{pair:#}");
    assert!(pair["ratio"]["high"].as_f64().unwrap() <= 1.02, "{pair:#}");
    // Without the gate it goes on, to be known more sharply.
    let sharper = &of(&["--fail-on", "inconclusive", "--budget", "30s"], 0).0["comparisons"][0];
    assert!(sharper["pairs"].as_u64().unwrap() > pairs, "{sharper:#}");
    assert!(sharper["within"].as_f64().unwrap() < within, "{sharper:#}");
    let strict = of(&["--same", "0.5%", "--launches", "6", "--fail-on", "inconclusive"], 3);
    assert_eq!(strict.0["comparisons"][0]["verdict"], "inconclusive");
    let refused = compare(&dir, &["--same", "0.1%"], 2);
    refused.says_once(&["--same is 0.1%, less than the margin of 0.5%"]);
}

/// A revision that adds the first benchmark has nothing that it could be slower than.
#[test]
fn where_nothing_is_on_both_sides_nothing_is_slower() {
    let dir = Dir::repository();
    dir.file("readme", "nothing yet").commit("base");
    dir.good().commit("candidate");
    let gates = ["--fail-on", "slower", "--fail-on", "inconclusive", "--control"];
    for (base, candidate) in [("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")] {
        let shown = dir.compare(base, candidate, &gates).finish(0);
        shown.says_once(&["only in HEAD: GoodBench::benchGood", "`fail-on` has no effect: this run has no comparison"]);
    }
    dir.assert_nothing_is_left();
}

#[test]
fn one_launch_decides_nothing_and_fails_only_where_that_was_asked_for() {
    let dir = commits(1000.0, 1200.0);
    let once = ["--launches", "1", "--samples", "8"];
    let with = |more: &[&str], status| compare(&dir, &[&once, more].concat(), status);
    with(&[], 0).says_once(&[
        "`subject` can't be compared.",
        "one launch pair gave a ratio of",
        "since one pair has no spread",
    ]);
    let document = with(&["--fail-on", "slower", "--json"], 0).document();
    assert_eq!(document.0["gates"][0]["outcome"], "undecided", "{:#}", document.0["gates"]);
    let open = "exit status 3: 1 gate undecided (subject, margin 0.5 %)";
    with(&["--fail-on", "inconclusive"], 3).says_once(&[open]);
    with(&["--fail-on", "slower", "--fail-on", "inconclusive"], 3).says_once(&[open]);
}

#[test]
fn limits_of_time_are_broken_kept_or_open() {
    let dir = commits(1000.0, 1000.0);
    let run = |limit: &str, more: &[&str], status| {
        dir.file("tare.toml", &format!("[[limit]]\ncase = \"subject\"\n{limit}\n"));
        let runtime = simulated("");
        let fixed = ["run", "truth.toml", "--runtime", &runtime, "--seed", "3", "--launches", "8", "--samples", "8"];
        dir.tare(&[&fixed[..], more].concat()).finish(status)
    };
    run("max-time = \"500ns\"", &[], 1).says_once(&["max-time 500.000 ns"]);
    run("max-time = \"2us\"", &["--fail-on", "inconclusive", "--calls", "10,auto"], 2);
    run("max-time = \"2us\"", &[], 0).never_says(&["max-time"]);
    // An end of the interval that was found lies on either side of a limit within it.
    let document = dir.stored();
    let time = &document.case("subject")["time"];
    let (low, high) = (time["low"].as_f64().unwrap(), time["high"].as_f64().unwrap());
    assert!(low < high);
    let within = format!("max-time = \"{:?}ns\"", f64::midpoint(low, high));
    let document = run(&within, &["--json"], 0).document();
    assert_eq!(document.0["gates"][0]["outcome"], "undecided", "{:#}", document.0["gates"]);
}

#[test]
fn limits_of_memory_are_of_what_the_subject_adds_and_of_the_growth_of_the_process() {
    let dir = Dir::repository();
    let class = |bytes: u32| {
        dir.php("GrowBench", &format!("    public function benchGrow(): void {{ str_repeat('x', {bytes}); }}"))
    };
    class(10).commit("small");
    class(60_000_000).commit("large");
    let with = |limit: &str, status| {
        dir.file("tare.toml", &format!("[[limit]]\ncase = \"Grow\"\n{limit}\n"));
        // A call takes milliseconds: few are enough.
        let finished = dir.compare_calibrated("HEAD~1", "HEAD", &["--json"]).finish(status);
        finished.document()
    };
    let document = with("max-memory-growth = \"50%\"", 1);
    let gate = &document.0["gates"][0];
    assert_eq!(gate["rule"], "max-memory-growth 50 %");
    assert!(gate["message"].as_str().unwrap().starts_with("the process's peak memory grew by"), "{gate:#}");
    let document = with("max-memory = \"50MB\"", 1);
    let gates = document.0["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 1, "{gates:#?}");
    assert_eq!(gates[0]["variant"], "php/GrowBench::benchGrow@HEAD");
    assert!(gates[0]["message"].as_str().unwrap().starts_with("the subject holds "), "{gates:#?}");
    assert!(with("max-memory = \"2GB\"", 0).0.get("gates").is_none());
    let held = |document: &crate::harness::Document, id: &str| {
        let cases = document.0["cases"].as_array().unwrap();
        cases.iter().find(|case| case["id"] == id).unwrap()["memory"]["weighed"].clone()
    };
    let document = with("max-memory = \"2GB\"", 0);
    let small = held(&document, "php/GrowBench::benchGrow@HEAD~1");
    let large = held(&document, "php/GrowBench::benchGrow@HEAD");
    assert_eq!(small["below_resolution"], true, "{small:#}");
    let subject = large["subject"]["estimate"].as_f64().unwrap();
    assert!((59e6..61e6).contains(&subject), "a string of 60,000,000 bytes is what it adds: {large:#}");
    let own = large["runtime"]["estimate"].as_f64().unwrap();
    assert!((59e6..61e6).contains(&own), "{large:#}");
    assert_eq!(small["calls"], large["calls"], "both sides are called equally often");
}

#[test]
fn reports_for_builds_are_written_where_they_are_wanted() {
    let dir = commits(1000.0, 1200.0);
    let files = ["--junit", "junit.xml", "--markdown", "summary.md"];
    let shown = compare(&dir, &[&ENOUGH[..], &files, &["--fail-on", "slower"]].concat(), 1);
    assert!(shown.stdout.contains("slower"), "the table is printed all the same: {shown}");
    let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
    assert!(junit.starts_with("<?xml") && junit.contains("<failure") && junit.contains("subject"), "{junit}");
    let markdown = fs::read_to_string(dir.path().join("summary.md")).unwrap();
    assert!(markdown.contains("subject") && markdown.contains("slower") && markdown.contains('|'), "{markdown}");
    // Without a broken gate there is no failure in it, and the old report is gone.
    compare(&dir, &[&ENOUGH[..], &files].concat(), 0);
    let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
    assert!(junit.ends_with("</testsuites>\n") && !junit.contains("<failure"), "{junit}");
}

#[test]
fn stored_runs_say_why_they_end_as_they_do_too() {
    let dir = Dir::new();
    dir.good();
    dir.run(&[".", "--tag", "one"]).finish(0);
    // A run beside itself: no difference, and an interval that no such bound holds, however busy the machine is.
    let gated = ["compare", "one", "one", "--same", "0.001%", "--margin", "0.0001%", "--fail-on", "inconclusive"];
    dir.tare(&gated).finish(3).says_once(&["exit status 3: 1 gate undecided ("]);
}
