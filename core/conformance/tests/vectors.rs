//! What lies in `wire/vectors` is what the binary has, and all of it is read.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;

fn on_disk() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wire/vectors");
    let mut files = BTreeSet::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files
}

#[test]
fn the_binary_has_every_vector_and_can_read_it() {
    let embedded = tare_conformance::embedded().unwrap();
    let paths: BTreeSet<String> = embedded.iter().map(|vector| vector.path.clone()).collect();
    assert_eq!(paths, on_disk());
    assert_eq!(paths.len(), embedded.len());
}

#[test]
fn only_replies_are_not_replayed() {
    for vector in tare_conformance::embedded().unwrap() {
        let text = on_disk_text(&vector.path);
        assert_eq!(vector.replayed, !text.contains("\"direction\": \"reply\""), "{}", vector.path);
    }
}

fn on_disk_text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wire/vectors").join(path)).unwrap()
}
