//! One package linked several times: other programs that do the same, kept, looked at, and made again where they have to be.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tare_worker::{Executables, Files, FollowError, Launcher, ProcessLauncher, ProcessPlacement, Ready, links, ready};

use crate::{PATIENCE, go, load};

/// A module whose benchmark is called as it says; its text is set by the linker.
fn module(folder: &Path) -> PathBuf {
    let source = fs::canonicalize(folder).unwrap();
    fs::write(source.join("go.mod"), "module example.test/linked\n\ngo 1.21\n").unwrap();
    let text = "package linked\n\nimport \"testing\"\n\nvar text = \"none\"\n\nfunc BenchmarkOne(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tspin(len(text))\n\t}\n}\n\n\
                //go:noinline\nfunc spin(n int) int {\n\tfor i := 0; i < 1000; i++ {\n\t\tn = n*31 + i\n\t}\n\treturn n\n}\n";
    fs::write(source.join("linked_test.go"), text).unwrap();
    source
}

fn made(source: &Path, words: &[&str]) -> Ready {
    ready(&go(words), source, &mut |_| {}).unwrap()
}

fn linked(source: &Path, words: &[&str], count: u32) -> Result<Vec<String>, String> {
    links(&go(words), source, count, &|| false).unwrap()
}

/// A launcher that starts these links of a program.
fn starting(ready: &Ready, paths: Vec<String>) -> ProcessLauncher {
    let mut executables = Executables::default();
    executables.add(&ready.start.command[0], Files::Links { paths, told: false });
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], PATIENCE);
    launcher.draw_from(executables);
    launcher
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
    let mut launcher = starting(&ready, paths.clone());
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
fn a_worker_is_seen_in_the_function_that_takes_its_time_and_each_link_says_where_that_is() {
    let folder = tempfile::tempdir().unwrap();
    let source = module(folder.path());
    let ready = made(&source, &["go"]);
    let paths = linked(&source, &["go"], 6).unwrap();
    let mut launcher = starting(&ready, paths);
    let place = ProcessPlacement { layout: Some(1), ..ProcessPlacement::default() };
    let mut conversation = launcher.start(&ready.start, 1, place).unwrap().open().unwrap();
    let found = load(&ready, &mut conversation);
    let name = found.cases[0].benchmark.clone();
    conversation.prepare(0, &name, "", None, PATIENCE).unwrap();
    let watching = launcher.watch(&conversation).unwrap();
    conversation.run("case", 0, &[100_000; 3], PATIENCE).unwrap();
    let seen = watching.end();
    if seen.is_empty() {
        let refused = launcher.start_followed(&ready.start, 1, None);
        assert!(matches!(refused, Err(FollowError::Refused(_))), "nothing was seen");
        return;
    }
    let spins = seen.get("example.test/linked.spin").copied().unwrap_or(0);
    assert!(2 * spins > seen.values().sum(), "{seen:?}");
    // It goes on as if nothing had been.
    conversation.run("case", 0, &[10], PATIENCE).unwrap();
    conversation.close();
    let names = ["example.test/linked.spin", "example.test/linked.none"];
    let places = launcher.places(&ready.start, &names);
    assert_eq!(places.len(), 6);
    let of_spin: BTreeSet<u8> = places.iter().map(|link| link[0].unwrap()).collect();
    assert!(of_spin.iter().all(|place| place % 16 == 0 && *place < 64), "{of_spin:?}");
    assert!(places.iter().all(|link| link[1].is_none()));
}

/// As one that doesn't like to be watched does: several of its threads are held then, and all of them end.
#[test]
fn a_worker_that_ends_while_it_is_watched_is_heard_of() {
    let folder = tempfile::tempdir().unwrap();
    let source = module(folder.path());
    let text = "package linked\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc spin() {\n\tfor {\n\t}\n}\n\nfunc BenchmarkOne(b *testing.B) {\n\
                \tgo spin()\n\tgo spin()\n\tfor i := 0; i < b.N; i++ {\n\t\tstatus, _ := os.ReadFile(\"/proc/self/status\")\n\t\tif !strings.Contains(string(status), \"TracerPid:\\t0\\n\") {\n\t\t\tos.Exit(3)\n\t\t}\n\t}\n}\n";
    fs::write(source.join("linked_test.go"), text).unwrap();
    let ready = made(&source, &["go"]);
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], PATIENCE);
    let mut conversation = launcher.launch(&ready.start, 1).unwrap();
    let name = load(&ready, &mut conversation).cases[0].benchmark.clone();
    conversation.prepare(0, &name, "", None, PATIENCE).unwrap();
    conversation.run("case", 0, &[100], PATIENCE).unwrap();
    let watching = launcher.watch(&conversation).unwrap();
    let run = conversation.run("case", 0, &[1_000_000], PATIENCE);
    // While it is still watched.
    conversation.close();
    watching.end();
    match launcher.start_followed(&ready.start, 1, None) {
        Err(FollowError::Refused(_)) => {}
        _ => assert!(run.is_err(), "it ended"),
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
