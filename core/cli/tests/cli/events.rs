//! `--events FILE`, and the file of a run's own: what happens, line by line.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Dir, TRUTH, simulated};

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["event"] == kind).collect()
}

#[test]
fn the_events_of_a_run_are_in_the_order_in_which_it_goes() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.run(&["truth.toml", "--runtime", &simulated(""), "--events", "events.ndjson"]).finish(0);
    let events = lines(&dir.path().join("events.ndjson"));
    let stored = dir.stored();
    let kinds: Vec<&str> = events.iter().take(3).map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["listing", "planned", "placing"], "{events:?}");
    let (planned, measured) = (&events[1], events.last().unwrap());
    assert_eq!(measured["event"], "measured", "{events:?}");
    assert_eq!(planned["run"], stored.0["id"]);
    assert_eq!((&measured["run"], &measured["interrupted"]), (&planned["run"], &false.into()));
    let groups = planned["groups"].as_array().unwrap();
    assert!(!groups.is_empty() && planned["variants"] == groups.len());
    for group in groups {
        // Of one variant, whose id is that of its case.
        let position = |kind: &str| {
            let names = |line: &Value| {
                line["event"] == kind
                    && (line["variant"] == *group
                        || line["variants"].as_array().is_some_and(|variants| variants.contains(group)))
            };
            events.iter().position(names).unwrap_or_else(|| panic!("no {kind} of {group}: {events:?}"))
        };
        assert!(position("calibrated") < position("launched") && position("launched") < position("ended"));
    }
    let shares: Vec<f64> = of_kind(&events, "progress").iter().map(|line| line["share"].as_f64().unwrap()).collect();
    assert!(!shares.is_empty() && shares.is_sorted() && *shares.last().unwrap() <= 1.0, "{shares:?}");
    let own = dir.path().join(format!(".tare/events/{}.ndjson", planned["run"].as_str().unwrap()));
    assert_eq!(lines(&own), events);
}

#[test]
fn a_run_that_is_not_stored_leaves_only_the_file_that_was_asked_for() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.run(&["truth.toml", "--runtime", &simulated(""), "--no-store", "--events", "events.ndjson"]).finish(0);
    assert_eq!(of_kind(&lines(&dir.path().join("events.ndjson")), "measured").len(), 1);
    assert!(!dir.path().join(".tare").exists());
    // Nor does one that has nothing to measure.
    dir.run(&["truth.toml", "--runtime", &simulated(""), "--filter", "nowhere"]).finish(2);
    assert!(!dir.path().join(".tare").exists());
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_or_once() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    let runtime = simulated("");
    let arguments = ["truth.toml", "--runtime", &runtime, "--events"];
    dir.run(&[&arguments[..], &["missing/events"]].concat())
        .finish(2)
        .says_once(&["--events missing/events", "name a file in a folder that can be written"])
        .never_says(&["pilot"]);
    assert!(!dir.path().join(".tare").exists(), "nothing was measured");
    let shown = dir.run(&[&arguments[..], &["/dev/full"]].concat()).finish(0);
    shown.says_once(&["--events: ", "no more events are written to it"]);
    assert_eq!(dir.stored().cases()[0]["status"], "ok");
}

#[test]
fn what_stored_runs_cannot_tell_is_refused() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    for _ in 0..2 {
        dir.run(&["truth.toml", "--runtime", &simulated("")]).finish(0);
    }
    dir.tare(&["compare", "latest~1", "latest", "--events", "events.ndjson"])
        .finish(2)
        .says_once(&["--events has no effect where stored runs are compared"]);
    assert!(!dir.path().join("events.ndjson").exists());
}
