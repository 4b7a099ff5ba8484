//! What an earlier Tare kept and wrote: its store says the same, and documents still have every member that a script may read.

use std::fs;

use serde_json::Value;

use crate::harness::{Dir, Document, TRUTH, simulated};

/// Version 3 of the store, and what the Tare that made it showed of its runs.
const STORE: &str = include_str!("earlier/version-3.sql");
const SHOWN: [(&str, &str); 5] = [
    ("plain", include_str!("earlier/plain.json")),
    ("calls", include_str!("earlier/calls.json")),
    ("sim", include_str!("earlier/sim.json")),
    ("revs", include_str!("earlier/revs.json")),
    ("", include_str!("earlier/log.json")),
];

/// A line each: format, place, types, and whether each object of its place has it.
const MEMBERS: &str = include_str!("earlier/members.txt");

/// What the document of now lacks, or says otherwise. A member that is new is no fault.
fn changed(before: &Value, now: &Value, path: &str, found: &mut Vec<String>) {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => {
            for (name, value) in before {
                let path = format!("{path}/{name}");
                match now.get(name) {
                    Some(now) => changed(value, now, &path, found),
                    None => found.push(format!("{path}: it isn't there")),
                }
            }
        }
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            for (number, (before, now)) in before.iter().zip(now).enumerate() {
                changed(before, now, &format!("{path}/{number}"), found);
            }
        }
        _ if before == now => {}
        _ => found.push(format!("{path}: was {before}, is {now}")),
    }
}

fn check(dir: &Dir) {
    for (tag, before) in SHOWN {
        let arguments = if tag.is_empty() { vec!["log", "--json"] } else { vec!["show", tag, "--json"] };
        let shown = dir.tare(&arguments).finish(0).document().0;
        let mut found = Vec::new();
        changed(&serde_json::from_str(before).unwrap(), &shown, "", &mut found);
        // A version says that a meaning changed: `same` has a bound since version 3.
        found.retain(|departure| departure != "/version: was 2, is 3");
        assert_eq!(found, Vec::<String>::new(), "{tag}");
    }
}

#[test]
fn the_store_of_an_earlier_version_says_the_same_before_and_after_it_is_brought_up_to_date() {
    let dir = Dir::new();
    fs::create_dir(dir.store().parent().unwrap()).unwrap();
    rusqlite::Connection::open(dir.store()).unwrap().execute_batch(STORE).unwrap();
    check(&dir);
    // Compared by what was kept, and shown to people too.
    dir.tare(&["show", "revs"]).finish(0).says_once(&["1 of 2 benchmarks got slower, ", "; 1 can't be compared."]);
    dir.tare(&["compare", "plain", "plain"]).finish(0).never_says(&["error"]);

    // The first that writes to it brings it to today's version.
    let version = |dir: &Dir| -> i64 {
        let store = rusqlite::Connection::open(dir.store()).unwrap();
        store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(version(&dir), 3);
    dir.file("truth.toml", TRUTH);
    let added = dir.run(&["truth.toml", "--runtime", &simulated(""), "--json"]).finish(0).document();
    assert!(version(&dir) > 3);
    dir.tare(&["log", "--json"]).finish(0);
    dir.tare(&["show", "latest"]).finish(0).says_once(&[added.0["id"].as_str().unwrap()]);
    let store = rusqlite::Connection::open(dir.store()).unwrap();
    store.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    store.execute("DELETE FROM runs WHERE id = ?1", [added.0["id"].as_str().unwrap()]).unwrap();
    drop(store);
    check(&dir);
}

/// What a document departs in from those of before. Places where names are the user's own (of facts, parameters, statuses) stand in no line.
fn departures(document: &Value) -> Vec<String> {
    let format = document["format"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    for line in MEMBERS.lines().filter(|line| !line.starts_with('#')) {
        let [of, place, types, how_often] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if of != format {
            continue;
        }
        let (holder, name) = place.rsplit_once('/').unwrap();
        // `holder` may end in `[]`, and so may `name`: then its elements are meant.
        let (name, elements) = name.strip_suffix("[]").map_or((name, false), |name| (name, true));
        for holder in at(document, holder) {
            let Some(value) = holder.get(name) else {
                if how_often == "always" && !elements {
                    found.push(format!("{place}: it isn't there"));
                }
                continue;
            };
            let values =
                if elements { value.as_array().map_or(&[][..], Vec::as_slice) } else { std::slice::from_ref(value) };
            for value in values {
                if !types.split('|').any(|one| one == kind(value)) {
                    found.push(format!("{place}: {value} is no {types}"));
                }
            }
        }
    }
    found
}

/// The objects at a place, as `/cases[]/time`.
fn at<'a>(document: &'a Value, place: &str) -> Vec<&'a Value> {
    let mut all = vec![document];
    for name in place.split('/').skip(1) {
        let (name, elements) = name.strip_suffix("[]").map_or((name, false), |name| (name, true));
        all = all.into_iter().filter_map(|value| value.get(name)).collect();
        if elements {
            all = all.into_iter().filter_map(Value::as_array).flatten().collect();
        }
    }
    all.into_iter().filter(|value| value.is_object()).collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Every document that a test takes is looked at.
pub(crate) fn check_members(document: &Document) {
    let found = departures(&document.0);
    assert!(found.is_empty(), "a member that documents had before: {found:#?}\n{:#}", document.0);
}

#[test]
fn a_member_that_is_missing_or_of_another_type_is_found() {
    let good: Value = serde_json::from_str(SHOWN[0].1).unwrap();
    assert_eq!(departures(&good), Vec::<String>::new());
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        change(&mut document);
        departures(&document)
    };
    assert_eq!(broken(&|d| d["seed"] = "7".into()), ["/seed: \"7\" is no number"]);
    assert_eq!(
        broken(&|d| drop(d["cases"][1]["runtime"].as_object_mut().unwrap().remove("driver"))),
        ["/cases[]/runtime/driver: it isn't there"]
    );
    assert_eq!(broken(&|d| d["cases"][1]["sketch"][0] = Value::Null), ["/cases[]/sketch[]: null is no number"]);
    // A case that failed has no time.
    assert_eq!(broken(&|d| drop(d["cases"][1].as_object_mut().unwrap().remove("time"))), [""; 0]);
    let formats: std::collections::BTreeSet<&str> =
        MEMBERS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(formats.len(), 7, "{formats:?}");
}
