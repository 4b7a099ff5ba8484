//! The store as files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tare_definition::Project;
use tare_serve::{Published, publish};
use tare_statistics::comparison::Verdict;
use tare_store::{Access, RunState, SqliteStore, Store};

use crate::histories::{changed, summary, variant};
use crate::hostile::{ATTACKS, elements, stored};
use crate::origin;

fn published(folder: &Path, pages: &Path, runs: usize) -> Published {
    std::fs::write(folder.join("tare.toml"), "").unwrap();
    publish(&Project::find(folder).unwrap(), pages, runs).unwrap()
}

/// All files below a folder by their names from it, with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for path in std::fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                all.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// What a page names: values of `href` and `src`.
fn named(page: &str) -> Vec<&str> {
    let values = ["href=\"", "src=\""].map(|name| page.split(name).skip(1).map(|rest| rest.split('"').next().unwrap()));
    values.into_iter().flatten().collect()
}

/// Fails where a file names something that isn't one of the files, or a server.
fn stand_alone(files: &BTreeMap<String, Vec<u8>>) {
    let mut links = 0;
    for (name, bytes) in files {
        let text = std::str::from_utf8(bytes).unwrap();
        for link in named(text).into_iter().filter(|link| !link.starts_with('#')) {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = match link.strip_prefix("../") {
                Some(rest) if !folder.is_empty() => rest.to_owned(),
                Some(_) => panic!("{name} leads out of the folder: {link}"),
                None if folder.is_empty() => link.to_owned(),
                None => format!("{folder}/{link}"),
            };
            assert!(files.contains_key(&target), "{name} names {link}, which isn't there");
            links += 1;
        }
        for server in ["/api/", "<form action", "fetch("] {
            assert!(!text.contains(server), "{name} has {server}");
        }
        if name.ends_with(".html") {
            assert!(text.contains("default-src 'none'"), "{name}");
        }
    }
    assert!(links > 20, "{links}");
}

#[test]
fn files_name_each_other_and_nothing_else_and_say_what_the_server_says() {
    let (folder, pages) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    changed(folder.path(), Some(Verdict::Slower));
    let done = published(folder.path(), pages.path(), 3);
    let found = files(pages.path());
    stand_alone(&found);
    assert_eq!((done.files, done.bytes), (found.len(), found.values().map(|bytes| bytes.len() as u64).sum()));
    let of = |start: &str| found.keys().filter(|name| name.starts_with(start)).count();
    // The newest run has the sides of a comparison, whose case is the same one.
    assert_eq!((of("runs/"), of("histories/"), of("badges/")), (3, 1, 1), "{:?}", found.keys());
    let page = |name: &str| String::from_utf8(found[name].clone()).unwrap();
    let history = page(found.keys().find(|name| name.starts_with("histories/")).unwrap());
    for text in ["<strong>confirmed</strong>", "tare compare 1111", "in 26 runs", "class=\"zero\""] {
        assert!(history.contains(text), "{text}: {history}");
    }
    assert!(page("changes.html").contains("<strong>confirmed</strong>") && page("feed.atom").contains("<entry>"));
    assert!(page("cases.html").contains("class=\"sparkline\"") && page("cases.html").contains("histories/php-sort_"));
    assert!(page("index.html").contains("got slower") && page("index.html").matches("<tr>").count() == 26);
    // A run without a page is named, and no link.
    assert!(
        page("index.html").contains("20260101-000000-abcd") && !page("index.html").contains("runs/20260101-000000")
    );
}

#[test]
fn an_unchanged_store_gives_the_same_bytes_and_fewer_pages_take_the_others_away() {
    let (folder, pages, others) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    changed(folder.path(), None);
    let first = published(folder.path(), pages.path(), 3);
    let (before, again) = (files(pages.path()), published(folder.path(), pages.path(), 3));
    assert_eq!((first.written > 10, again.written, again.removed), (true, 0, 0));
    published(folder.path(), others.path(), 3);
    assert!(files(pages.path()) == before && files(others.path()) == before);
    let fewer = published(folder.path(), pages.path(), 0);
    assert_eq!(fewer.removed, 3);
    let after = files(pages.path());
    stand_alone(&after);
    assert!(!after.keys().any(|name| name.starts_with("runs/")));
}

#[test]
fn names_are_text_and_files_have_plain_names() {
    let answers = |text: &str| {
        let (folder, pages) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let _held = stored(folder.path(), text);
        published(folder.path(), &pages.path().join("pages"), 2);
        assert_eq!(std::fs::read_dir(pages.path()).unwrap().count(), 1, "{text:?} wrote beside its folder");
        let found = files(&pages.path().join("pages"));
        stand_alone(&found);
        found
    };
    let all = |found: &BTreeMap<String, Vec<u8>>| -> BTreeSet<String> {
        found.values().flat_map(|bytes| elements(std::str::from_utf8(bytes).unwrap())).collect()
    };
    let usual = all(&answers("plain"));
    let long = "n".repeat(4_000);
    for attack in ATTACKS.into_iter().chain(["/", "..", "`a`", "a/../../b", &long]) {
        let found = answers(attack);
        assert!(all(&found).is_subset(&usual), "{attack:?} added {:?}", all(&found).difference(&usual));
        // Two ways of measuring, each with its page and badge.
        assert_eq!(found.keys().filter(|name| name.starts_with("histories/")).count(), 2, "{attack:?}");
        for name in found.keys() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
            assert!(name.chars().all(plain) && name.len() < 100 && !name.contains(".."), "{attack:?}: {name}");
        }
        for (name, bytes) in &found {
            let tags = std::str::from_utf8(bytes).unwrap().split('<').skip(1);
            for tag in tags.filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
                let outside: String = tag.split('"').step_by(2).collect();
                let has = |name: &str| outside.contains(&format!(" {name}"));
                assert!(!has("onmouseover") && !has("onerror") && !has("onload"), "{attack:?} in {name}: {tag}");
            }
        }
    }
}

#[test]
fn each_way_of_measuring_has_a_history_that_leads_to_the_others() {
    let (folder, pages) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap();
    for (number, cpu) in ["Slow", "Quick", "Quick"].into_iter().enumerate() {
        let mut origin = origin(format!("20260101-00000{number}-abcd"), format!("2026-01-0{}T00:00:00Z", number + 1));
        origin.machine.insert("cpu".to_owned(), cpu.to_owned());
        store.begin_run(&origin, "{}").unwrap();
        store.put_variant(&origin.id, 0, &variant("sort", "php")).unwrap();
        store.put_outcome(&origin.id, "php/sort@php", &tare_samples::Outcome::Ok, Some(&summary(200.0))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    published(folder.path(), pages.path(), 1);
    let found = files(pages.path());
    stand_alone(&found);
    let histories: Vec<&String> = found.keys().filter(|name| name.starts_with("histories/")).collect();
    assert_eq!(histories.len(), 2);
    for name in &histories {
        let other = histories.iter().find(|other| other != &name).unwrap();
        let page = std::str::from_utf8(&found[*name]).unwrap();
        assert!(page.contains(&format!("href=\"../{other}\"")), "{name}: {page}");
    }
    // The list leads to that of the newest run.
    let quick =
        histories.iter().find(|name| std::str::from_utf8(&found[**name]).unwrap().contains("of 2 runs")).unwrap();
    assert!(std::str::from_utf8(&found["cases.html"]).unwrap().contains(&format!("href=\"{quick}\"")));
}

#[test]
fn a_store_without_runs_has_pages_that_say_so_and_one_that_is_missing_writes_nothing() {
    let (folder, pages) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("tare.toml"), "").unwrap();
    let missing = publish(&Project::find(folder.path()).unwrap(), &pages.path().join("pages"), 1).unwrap_err();
    assert!(missing.to_string().contains("nothing has been measured"), "{missing}");
    assert!(!pages.path().join("pages").exists());
    drop(SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).unwrap());
    published(folder.path(), pages.path(), 1);
    let found = files(pages.path());
    assert!(std::str::from_utf8(&found["index.html"]).unwrap().contains("No run is stored"));
    assert!(std::str::from_utf8(&found["cases.html"]).unwrap().contains("0 cases"));
}
