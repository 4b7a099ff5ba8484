//! Every file that docs/architecture.md names exists.

use std::fs;
use std::path::Path;

use super::core;

/// Files and folders below a folder, from it on, with `/` between; build output and what others wrote left out.
fn paths(root: &Path, below: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(below)).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with('.') || ["target", "node_modules", "vendor"].contains(&name.as_str()) {
            continue;
        }
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.path().is_dir() {
            paths(root, &path, found);
            found.push(path + "/");
        } else {
            found.push(path);
        }
    }
}

/// What stands in backticks and is a path: it has a `/`, or the ending of a source.
fn named(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| !name.contains([' ', '<', '*', '$', '(']) && !name.contains("NAME") && !name.starts_with('/'))
        .filter(|name| name.contains('/') || name.ends_with(".rs") || name.ends_with(".php"))
        .collect()
}

fn missing<'t>(text: &'t str, paths: &[String]) -> Vec<&'t str> {
    let is_there = |name: &str| {
        let ends = |path: &String| path == name || path.strip_suffix(name).is_some_and(|before| before.ends_with('/'));
        // A folder may be named without the last `/`.
        paths.iter().any(|path| ends(path) || path.strip_suffix('/').is_some_and(|path| ends(&path.to_owned())))
    };
    named(text).into_iter().filter(|name| !is_there(name)).collect()
}

#[test]
fn files_that_the_architecture_names_are_there() {
    let root = core().parent().unwrap().to_owned();
    let text = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let mut all = Vec::new();
    paths(&root, "", &mut all);
    assert!(named(&text).len() > 50, "{:?}", named(&text));
    assert_eq!(missing(&text, &all), [""; 0]);
    assert_eq!(
        missing("`core/session/src/run.rs`, `load/`, `core/session/src/gone.rs`, `verdicts.rs`", &all),
        ["core/session/src/gone.rs", "verdicts.rs"]
    );
}
