//! Operations of a Go package: functions `Operation…` of its test files. The build gets a file more, which hands them to the worker; the user's
//! module needs nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// What is put before a function to give it a weight.
const WEIGHT: &str = "//tare:weight";
/// What isn't one becomes this, of which the compiler says, at the function's place, that it isn't defined.
const NO_WEIGHT: &str = "tare_weight_is_no_whole_number_from_0_to_1000000";
const HEAVIEST: u64 = 1_000_000;

/// What one package says in its test files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Package {
    /// Function, weight, file and line.
    operations: Vec<(String, String, String, usize)>,
    set_up: bool,
    clean_up: bool,
}

/// The overlay with a file for each package that has operations, written to `folder`; the same overlay where there is none.
pub(super) fn added(overlay: &Path, source: &Path, folder: &Path) -> io::Result<PathBuf> {
    let packages: BTreeMap<String, Package> =
        found(source)?.into_iter().filter(|(_, package)| !package.operations.is_empty()).collect();
    if packages.is_empty() {
        return Ok(overlay.to_owned());
    }
    let mut document: Value = serde_json::from_slice(&fs::read(overlay)?).map_err(io::Error::other)?;
    for (name, package) in &packages {
        let file = format!("tare_operations_{name}_test.go");
        let written = folder.join(&file);
        fs::write(&written, registration(name, package, source))?;
        document["Replace"][source.join(&file).to_string_lossy().as_ref()] = json!(written.to_string_lossy());
    }
    let path = folder.join("overlay.json");
    fs::write(&path, document.to_string())?;
    Ok(path)
}

/// Of sources, bytes.
const LARGEST: u64 = 64 << 20;

fn found(source: &Path) -> io::Result<BTreeMap<String, Package>> {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut files: Vec<PathBuf> = fs::read_dir(source)?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with("_test.go") || name.starts_with(['_', '.']) {
            continue;
        }
        let Ok(text) = tare_files::text(&file, LARGEST) else { continue };
        read(&name, &text, &mut packages);
    }
    Ok(packages)
}

/// Go's own formatter puts a declaration at the beginning of its line.
fn read(file: &str, text: &str, packages: &mut BTreeMap<String, Package>) {
    let Some(package) = text.lines().find_map(|line| line.strip_prefix("package ")) else { return };
    let package = package.split_whitespace().next().unwrap_or_default();
    let package = packages.entry(package.to_owned()).or_default();
    let mut weight = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(rest) = line.strip_prefix(WEIGHT) {
            let weighed = rest.trim().parse::<u64>().ok().filter(|weight| *weight <= HEAVIEST);
            weight = Some(weighed.map_or_else(|| NO_WEIGHT.to_owned(), |weight| weight.to_string()));
        } else if let Some(function) = line.strip_prefix("func ").and_then(|rest| rest.split_once('(')).map(|it| it.0) {
            let is_operation = function
                .strip_prefix("Operation")
                .is_some_and(|name| name.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '_'));
            match function {
                "SetUpOperations" => package.set_up = true,
                "CleanUpOperations" => package.clean_up = true,
                _ if is_operation => {
                    let weight = weight.take().unwrap_or_else(|| "1".to_owned());
                    package.operations.push((function.to_owned(), weight, file.to_owned(), number + 1));
                }
                _ => {}
            }
            weight = None;
        } else if !line.starts_with("//") {
            weight = None;
        }
    }
}

/// The file; where a function isn't what it should be, the compiler says so at the function's own place.
fn registration(name: &str, package: &Package, source: &Path) -> String {
    let suite = name.trim_end_matches("_test");
    let mut text = format!("package {name}\n\nimport taretesting \"testing\"\n\nfunc init() {{\n");
    for (function, weight, file, line) in &package.operations {
        let path = source.join(file);
        let called = operation_name(function);
        let _ = write!(
            text,
            "//line {}:{line}\n\ttaretesting.TareOperation({suite:?}, {called:?}, {weight}, {function}, {:?}, {line})\n",
            path.display(),
            path.display().to_string()
        );
    }
    let or_nil = |is: bool, function: &'static str| if is { function } else { "nil" };
    let (before, after) = (or_nil(package.set_up, "SetUpOperations"), or_nil(package.clean_up, "CleanUpOperations"));
    let _ = write!(text, "\ttaretesting.TareAround({suite:?}, {before}, {after})\n}}\n");
    text
}

/// `get` of `OperationGet`.
fn operation_name(function: &str) -> String {
    let name = function.trim_start_matches("Operation").trim_start_matches('_');
    let mut characters = name.chars();
    characters.next().map_or_else(|| function.to_owned(), |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{operation_name, read, registration};

    const SOURCE: &str = "// Package kv\npackage kv\n\nimport \"net\"\n\nvar c net.Conn\n\n\
        func SetUpOperations(worker, workers int) error { return nil }\n\n\
        // OperationGet reads.\n//\n//tare:weight 9\nfunc OperationGet(worker, turn int) error { return nil }\n\n\
        func OperationPut(worker, turn int) error { return nil }\n\n\
        func Operational() {}\n\nfunc (s *Store) OperationX() {}\n";

    #[test]
    fn functions_are_found_with_their_weights() {
        let mut packages = BTreeMap::new();
        read("kv_test.go", SOURCE, &mut packages);
        let package = &packages["kv"];
        let expected = [("OperationGet", 9, 13), ("OperationPut", 1, 15)]
            .map(|(name, weight, line)| (name.to_owned(), weight.to_string(), "kv_test.go".to_owned(), line));
        assert_eq!(package.operations, expected);
        assert!(package.set_up && !package.clean_up);
        let file = registration("kv", package, Path::new("/m"));
        assert!(
            file.contains("//line /m/kv_test.go:13\n\ttaretesting.TareOperation(\"kv\", \"get\", 9, OperationGet, "),
            "{file}"
        );
        assert!(file.contains("TareAround(\"kv\", SetUpOperations, nil)"), "{file}");
    }

    #[test]
    fn a_weight_that_is_none_does_not_compile_and_is_no_weight_of_another() {
        for weight in ["zwei", "-1", "1.5", "1000001", "2; panic(1)", ""] {
            let mut packages = BTreeMap::new();
            read("kv_test.go", &SOURCE.replace("weight 9", &format!("weight {weight}")), &mut packages);
            let file = registration("kv", &packages["kv"], Path::new("/m"));
            assert!(file.contains(&format!("\"get\", {}, OperationGet, ", super::NO_WEIGHT)), "{weight}: {file}");
            assert!(file.contains("\"put\", 1, OperationPut, "), "{weight}: {file}");
        }
    }

    #[test]
    fn names_begin_small() {
        assert_eq!([operation_name("OperationGet"), operation_name("Operation_x")], ["get", "x"]);
        assert_eq!(operation_name("OperationGETAll"), "gETAll");
    }
}
