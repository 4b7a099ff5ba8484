//! Files, folders and paths that real programs look up are recorded.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod subject;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use subject::{Folder, Seen, follow, follow_within};
use tare_follow::{Incomplete, Limits, Outside, Scope, spawn};

/// A complete record of a program that ended well.
fn whole(seen: Option<Seen>) -> Option<Seen> {
    let seen = seen?;
    assert!(seen.status.success(), "{seen:#?}");
    assert_eq!(seen.record.incomplete, BTreeSet::new());
    Some(seen)
}

#[test]
fn files_that_are_read_and_paths_that_name_nothing_are_recorded() {
    let folder = Folder::new();
    fs::write(folder.at("data.txt"), "1\n").unwrap();
    fs::write(folder.at("looked.txt"), "1\n").unwrap();
    let script = "cat data.txt ./none/../x 2>&1; cat absent 2>&1; test -e gone; test -e looked.txt";
    let Some(Seen { record, .. }) = whole(folder.sh(script)) else { return };
    let file = fs::metadata(folder.at("data.txt")).unwrap();
    let read = record.read[&folder.at("data.txt")];
    assert_eq!((read.inode, read.size, read.modified.0), (file.ino(), 2, file.mtime()));
    // The shell, and what the kernel loaded with it.
    assert!(record.read.contains_key(Path::new("/bin/sh")), "{record:#?}");
    assert!(record.read.keys().any(|path| path.to_string_lossy().contains("/ld-linux")), "{record:#?}");
    for name in ["none", "absent", "gone"] {
        assert!(record.missing.contains(&folder.at(name)), "{name}: {:#?}", record.missing);
    }
    assert!(!record.missing.contains(&folder.at("x")), "it wasn't looked up");
    assert!(record.looked_at.contains(&folder.at("looked.txt")));
    assert!(!record.read.contains_key(&folder.at("looked.txt")));
    assert!(record.written.is_empty() && record.changed.is_empty() && record.listed.is_empty(), "{record:#?}");
    // That the C library salts its allocator's pointers says nothing of the program.
    assert!(record.outside.is_empty(), "{:#?}", record.outside);
}

#[test]
fn a_folder_that_is_listed_is_not_one_that_is_looked_at() {
    let folder = Folder::new();
    for name in ["listed", "looked"] {
        fs::create_dir(folder.at(name)).unwrap();
    }
    symlink("listed", folder.at("link")).unwrap();
    let script = "import os; os.listdir('link'); os.stat('looked'); os.open('looked', os.O_RDONLY)";
    let Some(Seen { record, .. }) = whole(folder.python(script)) else { return };
    // Without the link, which stands by itself.
    assert!(record.listed.contains(&folder.at("listed")), "{:#?}", record.listed);
    assert_eq!(record.links.get(&folder.at("link")), Some(&PathBuf::from("listed")));
    assert!(!record.listed.contains(&folder.at("looked")));
    assert!(record.looked_at.contains(&folder.at("looked")));
}

#[test]
fn what_the_processes_made_themselves_is_no_input() {
    let folder = Folder::new();
    for name in ["emptied", "appended", "both", "removed", "renamed", "touched"] {
        fs::write(folder.at(name), "old\n").unwrap();
    }
    let script = "
import os
def write(name, how='w'):
    with open(name, how) as file: file.write('new')
def read(name):
    with open(name) as file: return file.read()
write('made'); read('made')
write('emptied'); read('emptied')
write('appended', 'a'); read('appended')
with open('both', 'r+') as file: file.read()
os.unlink('removed')
os.rename('renamed', 'elsewhere'); read('elsewhere')
write('temporary'); os.rename('temporary', 'final'); read('final')
os.mkdir('folder'); write('folder/inner'); read('folder/inner'); os.listdir('folder'); os.path.exists('folder/none')
os.utime('touched')
";
    let Some(Seen { record, .. }) = whole(folder.python(script)) else { return };
    let names = |paths: Vec<&PathBuf>| -> Vec<String> {
        let own = paths.into_iter().filter_map(|path| path.strip_prefix(&folder.path).ok());
        own.map(|path| path.display().to_string()).collect()
    };
    assert_eq!(names(record.read.keys().collect()), ["appended", "both", "elsewhere"]);
    assert_eq!(names(record.read_back.iter().collect()), ["emptied", "final", "folder/inner", "made"]);
    assert_eq!(
        names(record.changed.iter().collect()),
        ["appended", "both", "emptied", "removed", "renamed", "touched"]
    );
    let written = names(record.written.iter().collect());
    for name in ["made", "final", "temporary", "folder", "folder/inner", "elsewhere", "removed"] {
        assert!(written.contains(&name.to_owned()), "{name}: {written:?}");
    }
    assert_eq!(names(record.listed.iter().collect()), Vec::<String>::new());
    assert_eq!(names(record.missing.iter().filter(|path| path.ends_with("none")).collect()), Vec::<String>::new());
}

#[test]
fn a_file_that_others_put_into_a_folder_of_ours_is_input() {
    let folder = Folder::new();
    fs::write(folder.at("theirs"), "old\n").unwrap();
    let script = "mkdir own && ln theirs own/linked && cat own/linked && mv theirs own/moved && cat own/moved";
    let Some(Seen { record, .. }) = whole(folder.sh(script)) else { return };
    assert!(record.read.contains_key(&folder.at("own/linked")), "{record:#?}");
    assert!(record.read.contains_key(&folder.at("own/moved")), "{record:#?}");
    assert!(record.changed.contains(&folder.at("theirs")));
}

#[test]
fn relative_paths_begin_where_the_process_says() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("a/b")).unwrap();
    fs::create_dir_all(folder.at("far/away")).unwrap();
    for name in ["a/b/one", "a/two", "far/three", "a/four"] {
        fs::write(folder.at(name), name).unwrap();
    }
    symlink("../far/away", folder.at("a/link")).unwrap();
    let script = "
import os
here = os.open('a', os.O_RDONLY)
os.read(os.open('b/one', os.O_RDONLY, dir_fd=here), 9)
os.stat('absent', dir_fd=here) if os.path.exists(f'/nowhere') else None
try: os.stat('absent', dir_fd=here)
except OSError: pass
os.chdir('a/b')
open('../two').read()
os.chdir('..')
open('link/../three').read()
os.fchdir(here)
open('././b//../four').read()
open('../far/../a/two').read()
";
    let Some(Seen { record, .. }) = whole(folder.python(script)) else { return };
    for name in ["a/b/one", "a/two", "far/three", "a/four"] {
        assert!(record.read.contains_key(&folder.at(name)), "{name}: {:#?}", record.read.keys());
    }
    assert!(record.missing.contains(&folder.at("a/absent")) && record.missing.contains(Path::new("/nowhere")));
    assert_eq!(record.links.get(&folder.at("a/link")), Some(&PathBuf::from("../far/away")));
    assert!(record.looked_at.contains(&folder.at("a/b")), "where it went");
    assert!(record.looked_at.contains(&folder.at("far")), "where it only went through");
}

#[test]
fn a_folder_that_has_been_removed_ends_relative_paths() {
    let folder = Folder::new();
    let script = "
import os
os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')
for path in ['x', '.']:
    try: os.stat(path)
    except OSError: pass
";
    let Some(seen) = folder.python(script) else { return };
    assert!(seen.status.success());
    assert!(seen.record.incomplete.is_subset(&BTreeSet::from([Incomplete::Folder])), "{:?}", seen.record.incomplete);
}

#[test]
fn scripts_and_their_interpreters_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    for (name, text) in
        [("outer", format!("#!{} x\n", folder.at("inner").display())), ("inner", "#!/bin/sh\n:\n".to_owned())]
    {
        fs::write(folder.at(name), text).unwrap();
        fs::set_permissions(folder.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let Some(Seen { record, .. }) = whole(folder.sh("./outer")) else { return };
    for path in [folder.at("outer"), folder.at("inner"), PathBuf::from("/bin/sh")] {
        assert!(record.read.contains_key(&path), "{}: {:#?}", path.display(), record.read.keys());
    }
    let Some(seen) = folder.sh("./no-such-program 2>/dev/null; :") else { return };
    assert!(seen.record.missing.contains(&folder.at("no-such-program")));
}

#[test]
fn a_file_that_another_process_replaces_meanwhile_is_told() {
    let folder = Folder::new();
    for name in ["same", "replaced"] {
        fs::write(folder.at(name), "x").unwrap();
    }
    symlink("same", folder.at("link")).unwrap();
    let mut command =
        folder.command("/bin/sh", &["-c", "cat same replaced link; echo; read -r _; cat same replaced link"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let (mut child, follower) = match spawn(command, Scope::default()) {
        Ok(started) => started,
        Err(refusal) => return eprintln!("skipped: {refusal}"),
    };
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    fs::write(folder.at("new"), "y").unwrap();
    fs::rename(folder.at("new"), folder.at("replaced")).unwrap();
    fs::remove_file(folder.at("link")).unwrap();
    symlink("replaced", folder.at("link")).unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    std::io::read_to_string(&mut output).unwrap();
    let record = follower.finish();
    child.wait().unwrap();
    let changed: Vec<&Path> = record
        .outside
        .keys()
        .filter_map(|what| match what {
            Outside::Changed(path) => Some(path.as_path()),
            _ => None,
        })
        .collect();
    assert_eq!(changed, [folder.at("link"), folder.at("replaced")]);
}

#[test]
fn a_hundred_thousand_files_are_read_and_more_paths_than_are_kept_are_told() {
    let folder = Folder::new();
    fs::create_dir(folder.at("many")).unwrap();
    for number in 0..1000 {
        fs::write(folder.at(format!("many/{number}")), "").unwrap();
    }
    let source = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments) {
    int times = atoi(arguments[1]), names = atoi(arguments[2]);
    char name[64];
    for (int number = 0; number < times; number++) {
        snprintf(name, sizeof name, "many/%d", number % names);
        int file = open(name, O_RDONLY);
        if (file >= 0) close(file);
    }
    return 0;
}
"#;
    let program = folder.compiled("open", source, &[]);
    let Some(Seen { record, .. }) = whole(follow(folder.command(&program, &["100000", "1000"]))) else { return };
    let many = record.read.keys().filter(|path| path.starts_with(folder.at("many"))).count();
    assert_eq!(many, 1000);

    for (limits, why) in [
        (Limits { paths: 1200, ..Limits::default() }, Incomplete::Paths(1200)),
        (Limits { bytes: 20_000, ..Limits::default() }, Incomplete::Bytes(20_000)),
    ] {
        let scope = Scope { limits, ..Scope::default() };
        let seen = follow_within(folder.command(&program, &["2000", "2000"]), scope).unwrap();
        assert!(seen.status.success());
        assert_eq!(seen.record.incomplete, BTreeSet::from([why]));
        let all = seen.record.read.len() + seen.record.missing.len() + seen.record.looked_at.len();
        assert!(all > 100 && all <= 1200, "{all}");
    }
}

#[test]
fn folders_of_the_callers_own_are_left_out() {
    let folder = Folder::new();
    fs::create_dir(folder.at("own")).unwrap();
    fs::write(folder.at("own/data"), "").unwrap();
    fs::write(folder.at("owner"), "").unwrap();
    let scope = Scope { left_out: vec![folder.at("own")], ..Scope::default() };
    let command = folder.command("/bin/sh", &["-c", "ls own; cat own/data owner; test -e own/none; echo > own/new"]);
    let Some(Seen { record, .. }) = whole(follow_within(command, scope)) else { return };
    assert!(record.read.contains_key(&folder.at("owner")));
    let paths = record.read.keys().chain(&record.listed).chain(&record.missing).chain(&record.written);
    assert_eq!(paths.filter(|path| path.starts_with(folder.at("own"))).count(), 0);
}
