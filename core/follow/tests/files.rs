//! What real programs look up is recorded.
#![allow(clippy::unwrap_used)]

mod subject;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use subject::{Folder, words};
use tare_follow::{Limits, Outside};

#[test]
fn files_that_are_read_and_paths_that_name_nothing_are_recorded() {
    let folder = Folder::new();
    fs::write(folder.at("data.txt"), "1\n").unwrap();
    let Some(seen) = folder.sh("cat data.txt ./none/../x 2>&1; cat absent; test -e gone || test -d . ") else { return };
    assert!(seen.record.read.contains_key(&folder.at("data.txt")), "{:#?}", seen.record);
    let file = fs::metadata(folder.at("data.txt")).unwrap();
    let read = seen.record.read[&folder.at("data.txt")];
    assert_eq!((read.inode, read.size), (std::os::unix::fs::MetadataExt::ino(&file), 2));
    assert!(
        seen.record.read.contains_key(Path::new("/bin/sh")) || seen.record.read.contains_key(Path::new("/usr/bin/sh"))
    );
    for name in ["none", "absent", "gone"] {
        assert!(seen.record.missing.contains(&folder.at(name)), "{name}: {:#?}", seen.record.missing);
    }
    assert!(seen.record.looked_at.contains(&folder.path), "{:#?}", seen.record.looked_at);
    assert!(seen.record.incomplete.is_empty(), "{:#?}", seen.record.incomplete);
    assert_eq!(words(&seen.record.outside), Vec::<String>::new());
    let _ = (Limits::default(), Outside::Clock, PathBuf::new(), symlink::<&str, &str>);
}
