use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Checkout, Step};
use crate::error::RevisionError;
use crate::fixture::Fixture;
use crate::hold::{Hold, Sharing};
use crate::prepare::Prepare;
use crate::repository::{Repository, Revision};

const AMPLE: Duration = Duration::from_secs(600);

pub(super) fn prepare(command: &str) -> Prepare {
    Prepare { command: command.to_owned(), timeout: AMPLE }
}

/// Checks `name` out; what was told goes to `steps`.
fn checkout_telling(
    fixture: &Fixture,
    name: &str,
    command: Option<&str>,
    steps: &mut Vec<String>,
) -> Result<Checkout, RevisionError> {
    let command = command.map(prepare);
    let mut observe = |step: Step<'_>| steps.push(format!("{step:?}"));
    fixture.worktrees().checkout(&fixture.revision(name), command.as_ref(), &mut observe, &|| false)
}

pub(super) fn checkout(fixture: &Fixture, name: &str, command: Option<&str>) -> Result<Checkout, RevisionError> {
    checkout_telling(fixture, name, command, &mut Vec::new())
}

pub(super) fn tree(fixture: &Fixture, revision: &Revision) -> PathBuf {
    tree_of(fixture, &fixture.repository(), revision)
}

fn tree_of(fixture: &Fixture, repository: &Repository, revision: &Revision) -> PathBuf {
    fixture.checkouts(repository).join(revision.commit.as_ref().unwrap())
}

/// No tree, no marker, nothing in git's list, and a lock that can be had.
pub(super) fn assert_nothing_is_left(fixture: &Fixture, revision: &Revision) {
    assert_nothing_is_left_at(fixture, &tree(fixture, revision));
}

fn assert_nothing_is_left_at(fixture: &Fixture, tree: &Path) {
    assert!(fs::symlink_metadata(tree).is_err());
    assert!(!tree.with_extension("ready").exists());
    assert_eq!(fixture.run(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    assert_eq!(fixture.run(&["worktree", "prune", "--dry-run", "--verbose"]), "");
    assert!(Hold::try_take(&tree.with_extension("lock"), Sharing::Exclusive).unwrap().is_some());
}

#[test]
fn the_working_tree_is_measured_in_place() {
    let fixture = Fixture::new();
    fixture.write("value", "changed");
    let worktrees = fixture.worktrees_of(&fixture.repository_at("bench"));
    let never = prepare("touch prepared");
    let checkout =
        worktrees.checkout(&fixture.revision("."), Some(&never), &mut |step| panic!("{step:?}"), &|| false).unwrap();
    assert_eq!((checkout.root.as_path(), checkout.cached), (&*fixture.top().join("bench"), false));
    assert!(!fixture.top().join("bench/prepared").exists());
    assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_revision_is_checked_out_beside_changes_that_it_does_not_touch() {
    let fixture = Fixture::new();
    fixture.write("value", "2");
    fixture.commit("second");
    fixture.write("value", "uncommitted");
    let (old, new) = (checkout(&fixture, "HEAD~1", None).unwrap(), checkout(&fixture, "main", None).unwrap());
    assert_eq!(fs::read_to_string(old.root.join("value")).unwrap(), "1");
    assert_eq!(fs::read_to_string(new.root.join("value")).unwrap(), "2");
    assert_eq!(old.root, tree(&fixture, &fixture.revision("HEAD~1")));
    assert_eq!(fs::read_to_string(fixture.top().join("value")).unwrap(), "uncommitted");
    assert_eq!(fixture.run(&["branch", "--show-current"]), "main");
    assert_eq!(fixture.run(&["branch"]).lines().count(), 1);
    assert_eq!(fixture.run(&["status", "--porcelain"]), "M value");
}

#[test]
fn a_gitignore_of_the_user_s_own_stays() {
    let fixture = Fixture::new();
    fixture.write(".tare/.gitignore", "tare.db\n");
    fixture.worktrees();
    assert_eq!(fs::read_to_string(fixture.state().join(".gitignore")).unwrap(), "tare.db\n");
}

#[test]
fn a_project_in_a_subfolder_is_found_and_prepared_there() {
    let fixture = Fixture::new();
    let repository = fixture.repository_at("bench");
    let worktrees = fixture.worktrees_of(&repository);
    let revision = repository.resolve("HEAD").unwrap();
    let mut steps = Vec::new();
    let mut observe = |step: Step<'_>| steps.push(format!("{step:?}"));
    let command = prepare("pwd; pwd >where; printf '\\033[2J\\rlast' >&2");
    let checkout = worktrees.checkout(&revision, Some(&command), &mut observe, &|| false).unwrap();
    assert_eq!(checkout.root, tree_of(&fixture, &repository, &revision).join("bench"));
    let root = checkout.root.to_str().unwrap();
    assert_eq!(fs::read_to_string(checkout.root.join("where")).unwrap().trim(), root);
    let printed = [format!("Output({root:?})"), "Output(\"\\\\u{1b}[2J\")".into(), "Output(\"last\")".into()];
    assert_eq!(steps[..2], ["CheckingOut", "Preparing"]);
    assert_eq!(steps[2..], printed);
}

#[test]
fn a_folder_that_the_revision_lacks_is_told_as_such() {
    let fixture = Fixture::new();
    fixture.write("later/tare.toml", "");
    fixture.commit("second");
    let repository = fixture.repository_at("later");
    let worktrees = fixture.worktrees_of(&repository);
    let old = repository.resolve("HEAD~1").unwrap();
    let error = worktrees.checkout(&old, None, &mut |_| {}, &|| false).unwrap_err();
    assert!(matches!(&error, RevisionError::FolderMissing { folder, .. } if folder == Path::new("later")), "{error}");
    assert!(error.to_string().contains("doesn't exist in the revision `HEAD~1`"));
    assert_nothing_is_left_at(&fixture, &tree_of(&fixture, &repository, &old));
    let new = repository.resolve("HEAD").unwrap();
    assert!(worktrees.checkout(&new, None, &mut |_| {}, &|| false).is_ok());
}

#[test]
fn a_prepared_tree_is_taken_again_until_the_command_or_its_files_change() {
    let fixture = Fixture::new();
    let log = fixture.folder.path().join("log");
    let command = format!("echo run >>{}; echo prepared >value", log.display());
    let runs = || fs::read_to_string(&log).unwrap().lines().count();
    let cached = |command: &str| checkout(&fixture, "HEAD", Some(command)).unwrap().cached;
    assert_eq!((cached(&command), runs()), (false, 1));
    assert_eq!((cached(&command), runs()), (true, 1));
    // By any name.
    assert!(checkout(&fixture, "main", Some(&command)).unwrap().cached);

    let other = format!("{command}; true");
    assert_eq!((cached(&other), runs()), (false, 2));
    assert_eq!((cached(&other), runs()), (true, 2));
    assert!(!checkout(&fixture, "HEAD", None).unwrap().cached);
    assert!(checkout(&fixture, "HEAD", None).unwrap().cached);

    let tree = tree(&fixture, &fixture.revision("HEAD"));
    fs::write(tree.join("bench/tare.toml"), "changed").unwrap();
    let checkout = checkout(&fixture, "HEAD", None).unwrap();
    assert!(!checkout.cached);
    assert_eq!(fs::read_to_string(tree.join("bench/tare.toml")).unwrap(), "");
}

#[test]
fn a_tree_that_someone_broke_is_made_again() {
    let fixture = Fixture::new();
    let revision = fixture.revision("HEAD");
    let tree = tree(&fixture, &revision);
    let break_it: [&dyn Fn(); 4] = [
        &|| fs::remove_dir_all(&tree).unwrap(),
        &|| fs::remove_file(tree.join(".git")).unwrap(),
        &|| fs::remove_dir_all(fixture.top().join(".git/worktrees")).unwrap(),
        &|| {
            fs::remove_dir_all(&tree).unwrap();
            std::os::unix::fs::symlink(fixture.top(), &tree).unwrap();
        },
    ];
    for (index, break_it) in break_it.iter().enumerate() {
        drop(checkout(&fixture, "HEAD", None).unwrap());
        break_it();
        let again = checkout(&fixture, "HEAD", None).unwrap();
        assert!(!again.cached, "{index}");
        assert_eq!(fs::read_to_string(tree.join("value")).unwrap(), "1");
        assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 2);
    }
    assert_eq!(fs::read_to_string(fixture.top().join("value")).unwrap(), "1");
}

#[test]
fn git_forgets_trees_whose_folders_are_gone_and_only_those() {
    let fixture = Fixture::new();
    let elsewhere = fixture.folder.path().join("elsewhere");
    fixture.run(&["worktree", "add", "--quiet", "--detach", elsewhere.to_str().unwrap()]);
    fs::remove_dir_all(&elsewhere).unwrap();
    drop(checkout(&fixture, "HEAD", None).unwrap());
    fs::remove_dir_all(fixture.cache()).unwrap();
    fixture.worktrees();
    let list = fixture.run(&["worktree", "list", "--porcelain"]);
    assert_eq!(list.matches("worktree ").count(), 2, "{list}");
    // On a disk that isn't mounted, for all we know.
    assert!(list.contains("/elsewhere\n"), "{list}");
}

#[test]
fn hooks_and_monitors_of_the_repository_are_not_run() {
    let fixture = Fixture::new();
    let witness = fixture.folder.path().join("witness");
    let script = format!("#!/bin/sh\ntouch {}\n", witness.display());
    for folder in [".git/hooks", "hooks"] {
        fixture.write(&format!("{folder}/post-checkout"), &script);
        let hook = fixture.top().join(folder).join("post-checkout");
        fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    fixture.run(&["config", "core.fsmonitor", &fixture.top().join("hooks/post-checkout").display().to_string()]);
    drop(checkout(&fixture, "HEAD", None).unwrap());
    fixture.run(&["config", "core.hooksPath", &fixture.top().join("hooks").display().to_string()]);
    fixture.commit("second");
    let _ = fs::remove_file(&witness);
    drop(checkout(&fixture, "HEAD", None).unwrap());
    assert!(checkout(&fixture, "HEAD", None).unwrap().cached);
    assert!(!witness.exists());
}

#[test]
fn submodules_come_along_or_their_failure_is_told() {
    let (library, fixture) = (Fixture::new(), Fixture::new());
    let url = library.top().display().to_string();
    // A clone from a folder is something git has to be told to trust (its CVE-2022-39253).
    fixture.run(&["config", "--global", "protocol.file.allow", "always"]);
    fixture.run(&["submodule", "--quiet", "add", &url, "library"]);
    fixture.commit("with a submodule");
    let mut steps = Vec::new();
    let with = checkout_telling(&fixture, "HEAD", None, &mut steps).unwrap();
    assert_eq!(fs::read_to_string(with.root.join("library/value")).unwrap(), "1");
    assert_eq!(steps, ["CheckingOut", "UpdatingSubmodules"]);
    drop(with);
    assert!(checkout(&fixture, "HEAD", None).unwrap().cached);
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 1);
    assert_nothing_is_left(&fixture, &fixture.revision("HEAD"));

    // What is in the clone needs no way to where it came from, whichever revision wants it.
    fixture.run(&["config", "--global", "protocol.file.allow", "never"]);
    fs::remove_dir_all(library.top()).unwrap();
    let again = checkout(&fixture, "HEAD", None).unwrap();
    assert_eq!(fs::read_to_string(again.root.join("library/value")).unwrap(), "1");
    drop(again);
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 1);

    fs::remove_dir_all(fixture.top().join(".git/modules")).unwrap();
    let error = checkout(&fixture, "HEAD", None).unwrap_err();
    assert!(
        matches!(&error, RevisionError::Submodule { path, .. } if path == "library")
            && error.to_string().contains("git submodule update --init --recursive"),
        "{error}"
    );
    assert_nothing_is_left(&fixture, &fixture.revision("HEAD"));
}

#[test]
fn submodules_of_submodules_are_taken_from_the_clone() {
    let (inner, middle, fixture) = (Fixture::new(), Fixture::new(), Fixture::new());
    inner.write("value", "inner");
    inner.commit("inner");
    middle.run(&["config", "--global", "protocol.file.allow", "always"]);
    middle.run(&["submodule", "--quiet", "add", &inner.top().display().to_string(), "inner"]);
    middle.commit("with inner");
    fixture.run(&["config", "--global", "protocol.file.allow", "always"]);
    fixture.run(&["submodule", "--quiet", "add", "--name", "a/b c", &middle.top().display().to_string(), "middle"]);
    fixture.run(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    fixture.commit("with both");
    fixture.run(&["config", "--global", "protocol.file.allow", "never"]);
    fs::remove_dir_all(inner.top()).unwrap();
    fs::remove_dir_all(middle.top()).unwrap();
    let with = checkout(&fixture, "HEAD", None).unwrap();
    assert_eq!(fs::read_to_string(with.root.join("middle/inner/value")).unwrap(), "inner");
    assert!(!fixture.run(&["config", "--list", "--local"]).contains(&fixture.cache().display().to_string()));
}

#[test]
fn files_that_git_lfs_keeps_are_told_by_what_they_need() {
    let fixture = Fixture::new();
    fixture.run(&["config", "filter.lfs.smudge", "git-lfs-that-is-missing smudge -- %f"]);
    fixture.run(&["config", "filter.lfs.clean", "cat"]);
    fixture.run(&["config", "filter.lfs.required", "true"]);
    fixture.write(".gitattributes", "*.bin filter=lfs\n");
    fixture.write("a.bin", "1");
    fixture.commit("large");
    let error = checkout(&fixture, "HEAD", None).unwrap_err();
    assert!(matches!(error, RevisionError::Lfs { .. }) && error.to_string().contains("install git-lfs"), "{error}");
    assert_nothing_is_left(&fixture, &fixture.revision("HEAD"));
}

#[test]
fn a_command_is_not_misled_by_a_hook_s_environment() {
    let mut fixture = Fixture::new();
    let printed = |fixture: &Fixture| {
        let mut steps = Vec::new();
        drop(checkout_telling(fixture, "HEAD", Some("git rev-parse --show-toplevel; echo $HOME"), &mut steps).unwrap());
        steps.split_off(2)
    };
    fixture.git.environment.push(("LC_ALL".into(), "C".into()));
    let tree = tree(&fixture, &fixture.revision("HEAD"));
    let expected = [format!("Output({:?})", tree), format!("Output({:?})", fixture.folder.path())];
    assert_eq!(printed(&fixture), expected);
}

#[test]
fn the_least_recently_used_are_removed_but_none_in_use() {
    let fixture = Fixture::new();
    let mut commits = vec![fixture.revision("HEAD")];
    for message in ["second", "third", "fourth"] {
        fixture.commit(message);
        commits.push(fixture.revision("HEAD"));
    }
    for (age, revision) in commits.iter().enumerate() {
        drop(fixture.worktrees().checkout(revision, None, &mut |_| {}, &|| false).unwrap());
        let marker = tree(&fixture, revision).with_extension("ready");
        let marker = fs::File::options().write(true).open(marker).unwrap();
        marker.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(100 + age as u64)).unwrap();
    }
    let there = || commits.iter().map(|revision| tree(&fixture, revision).exists()).collect::<Vec<_>>();
    // Using the oldest makes it the newest; the second is in use.
    drop(fixture.worktrees().checkout(&commits[0], None, &mut |_| {}, &|| false).unwrap());
    let tree_in_use = tree(&fixture, &commits[1]);
    let in_use = Hold::try_take(&tree_in_use.with_extension("lock"), Sharing::Shared).unwrap();
    assert_eq!(fixture.worktrees().clean(4).unwrap(), 0);
    assert_eq!(fixture.worktrees().clean(2).unwrap(), 1);
    assert_eq!(there(), [true, true, false, true]);
    assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 4);
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 2);
    assert_eq!(there(), [false, true, false, false]);
    drop(in_use);
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 1);
    let left = fs::read_dir(fixture.checkouts(&fixture.repository())).unwrap();
    assert_eq!(left.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["project"]);
    assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn read_only_folders_in_a_tree_are_removed_too() {
    let fixture = Fixture::new();
    drop(
        checkout(&fixture, "HEAD", Some("mkdir -p cache/module && echo >cache/module/file && chmod -R a-w cache"))
            .unwrap(),
    );
    assert_eq!(fixture.worktrees().clean(0).unwrap(), 1);
    assert_nothing_is_left(&fixture, &fixture.revision("HEAD"));
}

#[test]
fn a_revision_made_up_leads_nowhere() {
    let fixture = Fixture::new();
    let made_up = Revision { commit: Some("../../../etc".into()), ..fixture.revision("HEAD") };
    let error = fixture.worktrees().checkout(&made_up, None, &mut |_| {}, &|| false).unwrap_err();
    assert!(matches!(error, RevisionError::Unknown { .. }), "{error}");
}
