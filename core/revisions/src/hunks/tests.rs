use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::{Difference, Hunk};
use crate::fixture::Fixture;

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

fn difference(fixture: &Fixture, parent: &str, commit: &str) -> Difference {
    fixture.repository().difference(parent, commit).unwrap()
}

/// What a path holds in the parent with some parts.
fn with(fixture: &Fixture, difference: &Difference, places: &[usize], path: &str) -> String {
    let made = fixture.repository().with_hunks(difference, places).unwrap();
    fixture.run(&["show", &format!("{}:{path}", made.commit.unwrap())])
}

fn files(fixture: &Fixture, difference: &Difference, places: &[usize]) -> String {
    let made = fixture.repository().with_hunks(difference, places).unwrap();
    fixture.run(&["ls-tree", "-r", "--name-only", "-z", &made.commit.unwrap()]).replace('\0', " ")
}

fn told(hunk: &Hunk) -> (&str, usize, usize, &str) {
    (&hunk.file, hunk.line, hunk.lines, &hunk.text)
}

#[test]
fn hunks_of_several_files_are_put_over_the_parent_one_by_one_and_together() {
    let fixture = Fixture::new();
    fixture.write("a", TEN);
    fixture.write("b", TEN);
    let parent = fixture.commit("parent");
    // Lines that stand near each other are one hunk, as git shows them.
    fixture.write("a", &TEN.replace("2\n3\n", "two\n3\nthree\n").replace("15\n", ""));
    fixture.write("b", &TEN.replace("10\n", "ten\n"));
    let commit = fixture.commit("commit");
    let found = difference(&fixture, &parent, &commit);
    let hunks: Vec<_> = found.hunks.iter().map(told).collect();
    assert_eq!(hunks.len(), 3, "{hunks:?}");
    assert_eq!((hunks[0].0, hunks[0].1, hunks[0].2), ("a", 2, 3));
    assert_eq!(hunks[1], ("a", 16, 0, "-15"));
    assert_eq!(hunks[2], ("b", 10, 1, "-10\n+ten"));
    let trimmed = |text: &str| text.trim().to_owned();
    assert_eq!(with(&fixture, &found, &[1], "a"), trimmed(&TEN.replace("15\n", "")));
    assert_eq!(with(&fixture, &found, &[1], "b"), trimmed(TEN));
    assert_eq!(with(&fixture, &found, &[0, 2], "a"), trimmed(&TEN.replace("2\n3\n", "two\n3\nthree\n")));
    assert_eq!(with(&fixture, &found, &[0, 2], "b"), trimmed(&TEN.replace("10\n", "ten\n")));
    let repository = fixture.repository();
    let made = |places: &[usize]| repository.with_hunks(&found, places).unwrap().commit.unwrap();
    assert_eq!((made(&[]), made(&[2, 1, 0])), (parent.clone(), commit));
    assert_eq!(made(&[1]), made(&[1]), "the same parts make the same commit");
    assert_eq!(fixture.run(&["rev-parse", &format!("{}^", made(&[1]))]), parent);
}

#[test]
fn nothing_of_the_users_is_touched() {
    let fixture = Fixture::new();
    fixture.write("a", TEN);
    let parent = fixture.commit("parent");
    fixture.write("a", &TEN.replace("2\n", "two\n").replace("18\n", "eighteen\n"));
    let commit = fixture.commit("commit");
    fixture.write("a", "edited");
    fixture.write("staged", "1");
    fixture.run(&["add", "staged"]);
    let state = || {
        let index = fs::read(fixture.top().join(".git/index")).unwrap();
        (
            index,
            fixture.run(&["for-each-ref"]),
            fixture.run(&["status", "--porcelain"]),
            fixture.run(&["stash", "list"]),
        )
    };
    let before = state();
    let found = difference(&fixture, &parent, &commit);
    let made = fixture.repository().with_hunks(&found, &[1]).unwrap();
    assert_eq!(state(), before);
    assert_eq!(fixture.run(&["branch", "--all", "--contains", &made.commit.unwrap()]), "");
}

#[test]
fn ends_of_lines_and_of_files_stay_what_they_are() {
    let fixture = Fixture::new();
    let dos = TEN.replace('\n', "\r\n");
    fixture.write("dos", &dos);
    fixture.write("end", TEN.trim_end());
    let parent = fixture.commit("parent");
    fixture.write("dos", &dos.replace("2\r\n3", "two\r\n3").replace("18\r\n", "18\n"));
    fixture.write("end", &(TEN.replace("2\n3", "two\n3") + "21"));
    let commit = fixture.commit("commit");
    let found = difference(&fixture, &parent, &commit);
    assert_eq!(found.hunks.len(), 4, "{:#?}", found.hunks);
    let raw = |places: &[usize], path: &str| {
        let made = fixture.repository().with_hunks(&found, places).unwrap().commit.unwrap();
        let object = format!("{made}:{path}");
        fixture.git.ask(&fixture.top(), &[&"cat-file", &"blob", &object]).unwrap().stdout
    };
    assert_eq!(raw(&[1], "dos"), dos.replace("18\r\n", "18\n").as_bytes());
    assert_eq!(found.hunks[1].text, "-18\\r\n+18");
    assert_eq!(raw(&[2], "end"), TEN.replace("2\n3", "two\n3").trim_end().as_bytes());
    assert_eq!(raw(&[3], "end"), (TEN.to_owned() + "21").as_bytes());
}

#[test]
fn what_has_no_lines_to_choose_from_is_a_part_as_a_whole() {
    let fixture = Fixture::new();
    fixture.write("binary", "a\0b");
    fixture.write("mode", "1\n");
    fixture.write("old name", TEN);
    fixture.write("kind", "target");
    fixture.write("gone", "something else, and more of it\n");
    fixture.write("folder", "was a file");
    let parent = fixture.commit("parent");
    let path = |name: &str| fixture.top().join(name);
    fixture.write("binary", "a\0c");
    fs::rename(path("old name"), path("new name")).unwrap();
    fixture.write("new name", &TEN.replace("2\n3", "two\n3"));
    fs::remove_file(path("kind")).unwrap();
    std::os::unix::fs::symlink("mode", path("kind")).unwrap();
    fs::remove_file(path("gone")).unwrap();
    fs::remove_file(path("folder")).unwrap();
    fixture.write("folder/new", "1\n2\n");
    fs::set_permissions(path("mode"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let commit = fixture.commit("commit");
    let found = difference(&fixture, &parent, &commit);
    let told: Vec<(&str, &str)> = found.hunks.iter().map(|hunk| (hunk.file.as_str(), hunk.text.as_str())).collect();
    let of =
        |name: &str| told.iter().position(|(file, _)| *file == name).unwrap_or_else(|| panic!("{name}: {told:#?}"));
    assert_eq!(told.len(), 7, "{told:#?}");
    assert_eq!(told[of("binary")].1, "(other content, as a whole)");
    assert_eq!(told[of("mode")].1, "(mode 100755 instead of 100644)");
    assert!(told[of("new name")].1.starts_with("(renamed from old name; "), "{told:#?}");
    assert!(told[of("kind")].1.starts_with("(mode 120000 instead of 100644"), "{told:#?}");
    assert_eq!(told[of("gone")].1, "(removed)");
    assert_eq!(told[of("folder/new")].1, "(new file)\n+1\n+2");
    let all = "bench/tare.toml binary folder gone kind mode old name value ";
    assert_eq!(files(&fixture, &found, &[of("new name")]), all.replace("mode old name", "mode new name"));
    assert_eq!(files(&fixture, &found, &[of("gone")]), all.replace("gone ", ""));
    // A file in the place of which a folder comes makes room for it.
    assert_eq!(files(&fixture, &found, &[of("folder/new")]), all.replace("folder", "folder/new"));
    let made = fixture.repository().with_hunks(&found, &[of("kind"), of("mode")]).unwrap().commit.unwrap();
    let modes = fixture.run(&["ls-tree", &made, "kind", "mode", "binary"]);
    assert!(modes.contains("120000 blob") && modes.contains("100755 blob") && modes.contains("100644 blob"), "{modes}");
}

#[test]
fn names_are_bytes_and_are_shown_escaped() {
    let fixture = Fixture::new();
    let names: [&[u8]; 4] = [b"a b \"quoted\" 'x'", b"line\nbreak\x1b[31m", b"\xff\xfe", b"-n,:(glob)*"];
    let write = |text: &str| {
        names.iter().for_each(|name| fs::write(fixture.top().join(OsStr::from_bytes(name)), text).unwrap());
    };
    write(TEN);
    let parent = fixture.commit("parent");
    write(&TEN.replace("2\n3", "two\x1b[2J\n3").replace("18\n", "eighteen\n"));
    let commit = fixture.commit("commit");
    let found = difference(&fixture, &parent, &commit);
    assert_eq!(found.hunks.len(), 8, "{:#?}", found.hunks);
    let hidden = |hunk: &Hunk| hunk.file.contains(['\u{1b}', '\n']) || hunk.text.contains('\u{1b}');
    assert!(!found.hunks.iter().any(hidden), "{:#?}", found.hunks);
    let made = fixture.repository().with_hunks(&found, &[0, 3, 5, 6]).unwrap().commit.unwrap();
    // Of each file one of the two hunks has come.
    let changed = fixture.run(&["diff", "--numstat", &parent, &made]);
    assert_eq!(changed.lines().filter(|line| line.starts_with("1\t1\t")).count(), 4, "{changed}");
}

#[test]
fn a_submodule_is_a_part() {
    let fixture = Fixture::new();
    let first = fixture.run(&["rev-parse", "HEAD"]);
    fixture.run(&["update-index", "--add", "--cacheinfo", &format!("160000,{first},module")]);
    fixture.run(&["commit", "--quiet", "-m", "with a submodule"]);
    let parent = fixture.run(&["rev-parse", "HEAD"]);
    fixture.run(&["update-index", "--cacheinfo", &format!("160000,{parent},module")]);
    fixture.write("value", "2");
    fixture.run(&["add", "value"]);
    fixture.run(&["commit", "--quiet", "-m", "moved"]);
    let commit = fixture.run(&["rev-parse", "HEAD"]);
    let found = difference(&fixture, &parent, &commit);
    assert_eq!(found.hunks.len(), 2, "{:#?}", found.hunks);
    assert_eq!(found.hunks[0].text, format!("(submodule at {parent} instead of {first})"));
    let made = fixture.repository().with_hunks(&found, &[0]).unwrap().commit.unwrap();
    assert!(fixture.run(&["ls-tree", &made, "module"]).contains(&parent));
    assert_eq!(fixture.run(&["show", &format!("{made}:value")]), "1");
}

#[test]
fn what_is_shown_of_a_hunk_is_bounded() {
    let fixture = Fixture::new();
    fixture.write("a", "x\n");
    let parent = fixture.commit("parent");
    fixture.write("a", &("\t".to_owned() + &"é".repeat(5_000) + "\n").repeat(100));
    let commit = fixture.commit("commit");
    let found = difference(&fixture, &parent, &commit);
    let text = &found.hunks[0].text;
    assert!(text.ends_with("… and 61 more lines") && text.lines().count() == 41, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 202) && text.contains("+\té"), "{text}");
    // A file of more than a mebibyte isn't split.
    fixture.write("a", &"another line\n".repeat(100_000));
    let larger = fixture.commit("larger");
    assert_eq!(difference(&fixture, &commit, &larger).hunks[0].text, "(other content, as a whole)");
}
