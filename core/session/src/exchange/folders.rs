//! Folders of Criterion's: a folder for each benchmark, and in it one for each baseline (`new`, `base`, those that `--save-baseline` names), `change` and
//! `report`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tare_exchange::{Reading, Source};

use crate::error::Error;

/// Folders within each other, and files in all, that are looked at.
const DEEPEST: usize = 32;
const MOST_FILES: usize = 100_000;

/// The files that are named, and those of folders that are.
pub(super) fn opened(named: &[PathBuf]) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut files, mut refused) = (Vec::new(), Vec::new());
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        search(path, 0, &mut found);
        found.sort();
        if found.is_empty() {
            refused.push(Error::usage(format!(
                "{}: the folder has no estimates.json of Criterion's; name target/criterion, or the files of another tool",
                path.display()
            )));
        }
        files.extend(found);
    }
    (files, refused)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // A link could lead to where it is.
        let Ok(kind) = entry.file_type() else { continue };
        let (path, name) = (entry.path(), entry.file_name());
        if kind.is_dir() && depth < DEEPEST && name != "report" {
            search(&path, depth + 1, found);
        } else if kind.is_file() && name == "estimates.json" && found.len() < MOST_FILES && !is_change(&path) {
            found.push(path);
        }
    }
}

/// Whether the file is Criterion's of what changed between two runs.
pub(super) fn is_change(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|name| name == "change") && path.file_name().is_some_and(|name| name == "estimates.json")
}

/// Names the baselines of a run: `new`, `base`. Criterion copies `new` to `base` when it ends; a copy is left out, and told.
pub(super) fn label<T>(files: &mut Vec<T>, mut parts: impl FnMut(&mut T) -> (&Source, &mut Reading)) {
    let baseline = |source: &Source| {
        let folder = Path::new(&source.name).parent().and_then(Path::file_name);
        folder.filter(|_| source.beside.contains_key("benchmark.json")).map(|name| name.to_string_lossy().into_owned())
    };
    let mut of_new = BTreeSet::new();
    for file in files.iter_mut() {
        let (source, reading) = parts(file);
        let Some(label) = baseline(source) else { continue };
        reading.cases.iter_mut().for_each(|case| case.label.clone_from(&label));
        if label == "new" {
            of_new.extend(reading.cases.first().map(|case| (case.benchmark.clone(), source.bytes.clone())));
        }
    }
    let before = files.len();
    files.retain_mut(|file| {
        let (source, reading) = parts(file);
        let own = reading.cases.first().map(|case| (case.benchmark.clone(), source.bytes.clone()));
        baseline(source).as_deref() != Some("base") || own.is_none_or(|own| !of_new.contains(&own))
    });
    let copies = before - files.len();
    if let Some(first) = files.first_mut().filter(|_| copies > 0) {
        parts(first).1.notices.push(format!("{copies} of `base` are copies of `new`, and are left out"));
    }
}

/// The folder that all of several files are in; the file where it is one.
pub(super) fn shared<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = names.next() else { return String::new() };
    let mut shared = Path::new(first);
    for name in names {
        while !Path::new(name).starts_with(shared) {
            shared = shared.parent().unwrap_or(Path::new(""));
        }
    }
    match shared.to_string_lossy().into_owned() {
        // Named from here, without a folder of their own.
        empty if empty.is_empty() => first.to_owned(),
        shared => shared,
    }
}
