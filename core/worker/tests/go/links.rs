//! One package linked several times: other programs that do the same, kept, looked at, and made again where they have to be.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tare_worker::{Executables, Files, Launcher, ProcessLauncher, ProcessPlacement, Ready, links, ready};

use crate::{PATIENCE, go, load};

/// A module whose benchmark is called as it says; its text is set by the linker.
fn module(folder: &Path) -> PathBuf {
    let source = fs::canonicalize(folder).unwrap();
    fs::write(source.join("go.mod"), "module example.test/linked\n\ngo 1.21\n").unwrap();
    let text = "package linked\n\nimport \"testing\"\n\nvar text = \"none\"\n\nfunc BenchmarkOne(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\t_ = len(text)\n\t}\n}\n";
    fs::write(source.join("linked_test.go"), text).unwrap();
    source
}

fn made(source: &Path, words: &[&str]) -> Ready {
    ready(&go(words), source, &mut |_| {}).unwrap()
}

fn linked(source: &Path, words: &[&str], count: u32) -> Result<Vec<String>, String> {
    links(&go(words), source, count, &|| false).unwrap()
}

#[test]
fn a_package_is_linked_in_other_orders_and_what_is_there_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = module(folder.path());
    let words = ["go", "-ldflags=-X example.test/linked.text=by-the-user"];
    let ready = made(&source, &words);
    assert_eq!(links(&go(&words), &source, 3, &|| true).unwrap(), Ok(Vec::new()), "there are enough");
    let asked = AtomicU32::new(0);
    let few = links(&go(&words), &source, 3, &|| asked.fetch_add(1, Ordering::Relaxed) > 0).unwrap().unwrap();
    assert_eq!(few.len(), 1, "and after one");
    let first = linked(&source, &words, 3).unwrap();
    assert_eq!((first.len(), &first[..1]), (3, few.as_slice()));
    let read = |path: &String| fs::read(path).unwrap();
    let contents: BTreeSet<Vec<u8>> = first.iter().chain([&ready.start.command[0]]).map(read).collect();
    assert_eq!(contents.len(), 4, "each is another program");
    let has_text = |content: &Vec<u8>| content.windows(11).any(|window| window == b"by-the-user");
    assert!(contents.iter().all(has_text), "the user's own flags of the linker hold");
    let made = fs::metadata(&first[0]).unwrap().ino();
    assert_eq!(linked(&source, &words, 2), Ok(first[..2].to_vec()));
    assert_eq!(fs::metadata(&first[0]).unwrap().ino(), made, "what is there is kept");
    // What somebody has put in its place isn't executed.
    let second = read(&first[1]);
    fs::write(&first[1], "#!/bin/sh\n").unwrap();
    assert_eq!(linked(&source, &words, 4).unwrap()[..3], first);
    assert_eq!(read(&first[1]), second, "the same number gives the same order");
    fs::write(source.join("linked_test.go"), "package linked\n").unwrap();
    assert!(linked(&source, &words, 2).unwrap_err().contains("have changed"));
}

#[test]
fn launches_start_the_links_by_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let source = module(folder.path());
    let ready = made(&source, &["go"]);
    let paths = linked(&source, &["go"], 2).unwrap();
    let mut executables = Executables::default();
    executables.add(&ready.start.command[0], Files::Links { paths: paths.clone(), told: false });
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], PATIENCE);
    launcher.draw_from(executables);
    for (layout, path) in
        [(None, &ready.start.command[0]), (Some(0), &paths[0]), (Some(1), &paths[1]), (Some(2), &paths[0])]
    {
        let place = ProcessPlacement { layout, ..ProcessPlacement::default() };
        let mut conversation = launcher.start(&ready.start, 1, place).unwrap().open().unwrap();
        let started = fs::read_link(format!("/proc/{}/exe", conversation.pid().unwrap())).unwrap();
        assert_eq!(started, Path::new(path), "{layout:?}");
        assert_eq!(load(&ready, &mut conversation).cases.len(), 1);
        conversation.close();
    }
}

#[test]
fn what_cannot_be_linked_in_another_order_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let source = module(folder.path());
    let words = ["env", "GOFLAGS='-ldflags=-s -randlayout=3'", "go"];
    made(&source, &words);
    assert!(linked(&source, &words, 2).unwrap_err().contains("set already"));
    assert!(linked(&source, &["go", "-tags=never-built"], 2).is_err());
}
