//! `tare publish`: what it says, and how it ends.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Dir, TRUTH, simulated};

fn measured() -> Dir {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    dir.tare(&["run", "truth.toml", "--budget", "200ms", "--seed", "1", "--runtime", &simulated("")]).finish(0);
    dir
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_store_becomes_pages_and_a_second_call_changes_nothing() {
    let dir = measured();
    let first = dir.tare(&["publish", "pages"]).finish(0);
    assert!(
        first.stdout.contains("in pages: ") && first.stdout.contains(", 0 removed. Open pages/index.html"),
        "{first}"
    );
    let pages = dir.path().join("pages");
    let top = [
        "badges",
        "cases.html",
        "changes.html",
        "feed.atom",
        "histories",
        "index.html",
        "runs",
        "tare-pages.txt",
        "tare.css",
        "tare.js",
    ];
    assert_eq!(names(&pages), top);
    assert_eq!((names(&pages.join("runs")).len(), names(&pages.join("histories")).len()), (1, 2));
    // A whole report, with the way to the others.
    let run = fs::read_to_string(pages.join("runs").join(&names(&pages.join("runs"))[0])).unwrap();
    assert!(run.contains("href=\"../index.html\"") && run.contains("id=\"cases\""), "{run}");
    let second = dir.tare(&["publish", "pages"]).finish(0);
    assert!(second.stdout.contains(": 0 written, 0 removed."), "{second}");
    let none = dir.tare(&["publish", "pages", "--runs", "0"]).finish(0);
    assert!(none.stdout.contains(", 1 removed."), "{none}");
    assert!(!pages.join("runs").exists());
}

#[test]
fn what_cannot_be_written_is_told_and_what_others_have_stays() {
    let dir = measured();
    dir.file("file", "mine").file("taken/index.html", "mine").file("list/tare-pages.txt", "../tare.toml\n");
    dir.tare(&["publish", "file"]).finish(2).says_once(&["Name a folder that you may write to"]);
    dir.tare(&["publish", "taken"]).finish(2).says_once(&["taken/index.html exists", "publish into another folder"]);
    dir.tare(&["publish", "list"]).finish(2).says_once(&["line 1 is not a name that it writes"]);
    assert_eq!(
        (names(&dir.path().join("taken")), names(&dir.path().join("list"))),
        (vec!["index.html".to_owned()], vec!["tare-pages.txt".to_owned()])
    );
    assert!(dir.path().join("tare.toml").exists());
    Dir::new().tare(&["publish", "pages"]).finish(2).says_once(&["nothing has been measured here yet"]);
}

#[test]
fn a_full_disk_is_told_and_the_next_call_completes_the_pages() {
    let dir = measured();
    let pages = dir.path().join("pages");
    fs::create_dir(&pages).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&pages).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this process may not mount a file system");
        return;
    }
    let full = dir.tare(&["publish", "pages"]).finish(4);
    full.says_once(&["the disk is full", "call `tare publish` again"]);
    let half = names(&pages).contains(&".tare-pages.new".to_owned());
    let grown = Command::new("mount").args(["-o", "remount,size=64m"]).arg(&pages).status();
    let again = dir.tare(&["publish", "pages"]).finish_with(&[0, 2, 4]);
    let index = pages.join("index.html").exists();
    let _ = Command::new("umount").arg("--lazy").arg(&pages).status();
    assert!(!half && grown.unwrap().success() && again.status == Some(0) && index, "{again}");
}

#[test]
fn a_folder_may_have_a_name_that_is_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = measured();
    let name = OsStr::from_bytes(b"p\xff<b>");
    let mut command = dir.tare(&["publish"]);
    command.command.arg(name);
    command.finish(0);
    assert!(dir.path().join(name).join("index.html").exists());
}
