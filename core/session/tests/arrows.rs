//! Which crates know which: the arrows of docs/architecture.md, held against the manifests.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[path = "arrows/named.rs"]
mod named;
#[path = "arrows/places.rs"]
mod places;

/// What a crate may depend on among those of this workspace. One that isn't named here may depend on anything that no rule forbids.
const ALLOWED: &[(&str, &[&str])] = &[
    ("samples", &[]),
    ("files", &[]),
    ("machine", &["samples"]),
    ("languages", &[]),
    ("frames", &[]),
    ("code", &["files"]),
    ("follow", &[]),
    ("reach", &[]),
    ("units", &[]),
    ("statistics", &["samples"]),
    ("results", &["samples", "statistics"]),
    ("exchange", &["histogram-log", "languages", "results", "samples", "statistics"]),
    ("report", &["languages", "results", "samples", "statistics"]),
    ("report-files", &["files", "report", "results"]),
    ("fleet", &["definition", "session", "store"]),
    ("serve", &["definition", "files", "machine", "report", "results", "samples", "session", "statistics", "store"]),
    ("mcp", &["definition", "report", "request", "results", "session"]),
    ("request", &["definition", "plan", "samples"]),
    ("store", &["files", "results", "samples", "statistics", "tls"]),
    ("tls", &["files"]),
    ("histogram-log", &[]),
    ("plan", &["samples"]),
];
/// Nobody may depend on these but the program itself, and what stands beside it.
const ABOVE_ALL: [&str; 2] = ["session", "report"];
const PROGRAM: &str = "cli";
/// Crates beside the program, which call it nothing and are called by it alone.
const BESIDE: [&str; 4] = ["fleet", "mcp", "report-files", "serve"];

fn core() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The crates of this workspace that each crate's sources depend on, those of its tests left out.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(core()).unwrap().flatten() {
        let Ok(manifest) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let manifest: toml::Table = manifest.parse().unwrap();
        let named = manifest.get("dependencies").and_then(|table| table.as_table()).cloned().unwrap_or_default();
        let ours = named.keys().filter_map(|name| name.strip_prefix("tare-")).map(str::to_owned).collect();
        all.insert(entry.file_name().into_string().unwrap(), ours);
    }
    all
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn crates_know_only_what_lies_below_them() {
    let all = dependencies();
    assert!(all.len() > 15 && all["session"].contains("engine"), "{all:?}");
    for (name, allowed) in ALLOWED {
        let known = all.get(*name).unwrap_or_else(|| panic!("there is no crate {name}: take it out of this list"));
        let beyond: Vec<_> = known.iter().filter(|known| !allowed.contains(&known.as_str())).collect();
        assert!(beyond.is_empty(), "{name} depends on {beyond:?}, and may on {allowed:?} alone");
    }
    for (name, known) in &all {
        assert!(!known.contains(PROGRAM), "{name} depends on the program");
        let above: Vec<_> = known.iter().filter(|known| ABOVE_ALL.contains(&known.as_str())).collect();
        let beside = BESIDE.contains(&name.as_str());
        assert!(name == PROGRAM || beside || above.is_empty(), "{name} depends on {above:?}, which only {PROGRAM} may");
        let called: Vec<_> = known.iter().filter(|known| BESIDE.contains(&known.as_str())).collect();
        assert!(name == PROGRAM || called.is_empty(), "{name} depends on {called:?}, which only {PROGRAM} may");
    }
}

/// Looking for examples costs a run of rustdoc for each crate, so crates without any say `doctest = false`: one that is written there later must not go
/// untested.
#[test]
fn crates_whose_documentation_is_not_run_have_no_examples_in_it() {
    let mut silent = 0;
    for entry in fs::read_dir(core()).unwrap().flatten() {
        let Ok(manifest) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let manifest: toml::Table = manifest.parse().unwrap();
        let runs = manifest.get("lib").and_then(|library| library.get("doctest")).and_then(toml::Value::as_bool);
        if runs != Some(false) {
            continue;
        }
        silent += 1;
        for path in sources(&entry.path().join("src")) {
            let text = fs::read_to_string(&path).unwrap();
            let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
            let fences = comments.filter_map(|line| line.trim_start_matches(['/', '!', ' ']).strip_prefix("```"));
            // Each second one ends a block.
            for kind in fences.step_by(2) {
                let shown = path.display();
                assert_eq!(kind, "text", "{shown} has an example: take `doctest = false` out of the crate's manifest");
            }
        }
    }
    assert!(silent > 0);
}
