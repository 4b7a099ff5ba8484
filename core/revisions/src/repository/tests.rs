use std::fs;

use crate::error::RevisionError;
use crate::fixture::{Fixture, git_at_home};
use crate::git::Git;
use crate::repository::Repository;

#[test]
fn the_top_level_and_the_place_of_a_project_in_it_are_found() {
    let fixture = Fixture::new();
    let at_top = fixture.repository();
    assert_eq!((at_top.top(), at_top.subfolder()), (&*fixture.top(), "".as_ref()));
    assert_eq!(at_top.folder(), fixture.top());
    let below = fixture.repository_at("bench");
    assert_eq!((below.top(), below.subfolder()), (&*fixture.top(), "bench".as_ref()));
    assert_eq!(below.folder(), fixture.top().join("bench"));
}

#[test]
fn no_git_no_repository_and_no_working_tree_are_told_apart() {
    let fixture = Fixture::new();
    let missing = Git { program: "git-that-is-not-there".into(), ..fixture.git.clone() };
    assert!(matches!(Repository::find_with(missing, &fixture.top()), Err(RevisionError::GitMissing { .. })));

    let elsewhere = tempfile::tempdir().unwrap();
    let git = git_at_home(elsewhere.path());
    let error = Repository::find_with(git.clone(), elsewhere.path()).unwrap_err();
    assert!(matches!(error, RevisionError::NotARepository { .. }), "{error}");
    let error = Repository::find_with(git, &elsewhere.path().join("nowhere")).unwrap_err();
    assert!(matches!(error, RevisionError::CannotRun { .. }), "{error}");

    let inside = fixture.top().join(".git");
    let error = Repository::find_with(fixture.git.clone(), &inside).unwrap_err();
    assert!(matches!(error, RevisionError::NoWorkingTree { .. }), "{error}");
}

#[test]
fn a_repository_of_another_user_is_told_with_what_git_says() {
    let fixture = Fixture::new();
    let mut git = fixture.git.clone();
    // Git's own switch for the tests of this.
    git.environment.push(("GIT_TEST_ASSUME_DIFFERENT_OWNER".into(), "1".into()));
    let error = Repository::find_with(git, &fixture.top()).unwrap_err();
    assert!(matches!(&error, RevisionError::Untrusted { said, .. } if said.contains("safe.directory")), "{error}");
}

#[test]
fn names_of_a_commit_are_resolved() {
    let fixture = Fixture::new();
    let first = fixture.revision("HEAD");
    let commit = first.commit.clone().unwrap();
    assert_eq!((first.name.as_str(), first.subject.as_str(), first.dirty), ("HEAD", "first", false));
    assert!(commit.len() == 40 && commit.starts_with(&first.short) && !first.short.is_empty());

    fixture.run(&["tag", "--annotate", "--message", "words", "v1"]);
    fixture.write("value", "2");
    let second = fixture.commit("second\n\nwith a body");
    assert_eq!(fixture.revision("v1").commit, Some(commit.clone()));
    assert_eq!(fixture.revision("HEAD~1").commit, Some(commit.clone()));
    assert_eq!(fixture.revision(&commit[..12]).commit, Some(commit.clone()));
    assert_eq!(fixture.revision(":/first").commit, Some(commit));
    assert_eq!(fixture.revision("main").commit, Some(second));
    assert_eq!(fixture.revision("main").subject, "second");
}

#[test]
fn the_working_tree_says_whether_it_was_changed() {
    let fixture = Fixture::new();
    let clean = fixture.revision(".");
    assert!(clean.is_working_tree() && !clean.dirty);
    assert_eq!(clean.commit, fixture.revision("HEAD").commit);
    assert_eq!(clean.subject, "first");
    fixture.write("untracked", "");
    assert!(!fixture.revision(".").dirty);
    fixture.write("value", "changed");
    assert!(fixture.revision(".").dirty);
    assert!(!fixture.revision("HEAD").dirty);
}

#[test]
fn without_commits_there_is_the_working_tree_only() {
    let fixture = Fixture::empty();
    let tree = fixture.revision(".");
    assert_eq!((tree.commit, tree.short.as_str(), tree.subject.as_str()), (None, "", ""));
    for name in ["HEAD", "main"] {
        let error = fixture.repository().resolve(name).unwrap_err();
        assert!(matches!(error, RevisionError::NoCommits { .. }), "{error}");
    }
}

fn near(fixture: &Fixture, name: &str) -> Vec<String> {
    match fixture.repository().resolve(name).unwrap_err() {
        RevisionError::Unknown { near, .. } => near,
        error => panic!("{name}: {error}"),
    }
}

#[test]
fn an_unknown_name_is_told_with_near_ones() {
    let fixture = Fixture::new();
    for tag in ["v1.0", "v1.1", "unrelated"] {
        fixture.run(&["tag", tag]);
    }
    fixture.run(&["update-ref", "refs/remotes/origin/feature", "HEAD"]);
    assert_eq!(near(&fixture, "mian"), ["main"]);
    assert_eq!(near(&fixture, "MAIN"), ["main"]);
    assert_eq!(near(&fixture, "v1.2"), ["v1.0", "v1.1"]);
    assert_eq!(near(&fixture, "feature"), ["origin/feature"]);
    assert_eq!(near(&fixture, "mian~2"), ["main"]);
    assert!(near(&fixture, "main~2").is_empty());
    assert!(near(&fixture, "something-else").is_empty());
    assert!(near(&fixture, &"x".repeat(100_000)).is_empty());
    let error = fixture.repository().resolve("mian").unwrap_err();
    assert_eq!(error.to_string(), "there is no revision `mian`; did you mean `main`?");
}

#[test]
fn a_shallow_clone_says_how_to_get_the_rest() {
    let fixture = Fixture::new();
    fixture.commit("second");
    let url = format!("file://{}", fixture.top().display());
    let clone = fixture.folder.path().join("clone");
    fixture.run(&["clone", "--quiet", "--depth=1", &url, clone.to_str().unwrap()]);
    let repository = Repository::find_with(fixture.git.clone(), &clone).unwrap();
    let error = repository.resolve("HEAD~1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no revision `HEAD~1`; the clone is shallow: get the rest with `git fetch --unshallow --tags`"
    );
    let error = repository.resolve("mian").unwrap_err();
    assert!(error.to_string().contains("`main` or `origin/main`?; the clone is shallow"), "{error}");
}

#[test]
fn what_is_no_revision_is_refused() {
    let fixture = Fixture::new();
    let witness = fixture.folder.path().join("witness");
    let option = format!("--output={}", witness.display());
    let names = [
        "",
        " ",
        "-",
        "--all",
        "--branches",
        "--glob=*",
        "--git-dir",
        "-q",
        "--help",
        &option,
        "a\0b",
        "HEAD..main",
        "^HEAD",
        "--end-of-options",
        &"0".repeat(40),
    ];
    for name in names {
        let error = fixture.repository().resolve(name).unwrap_err();
        assert!(matches!(error, RevisionError::Unknown { .. }), "{name:?}: {error}");
    }
    assert!(!witness.exists());
    let error = fixture.repository().resolve("HEAD:value").unwrap_err();
    assert_eq!(error.to_string(), "`HEAD:value` is a blob, not a commit; name a commit, a branch or a tag");
    let error = fixture.repository().resolve("HEAD:bench").unwrap_err();
    assert!(matches!(&error, RevisionError::NotACommit { kind, .. } if kind == "tree"), "{error}");
}

#[test]
fn an_ambiguous_hash_is_told_with_its_candidates() {
    let fixture = Fixture::new();
    // Commits enough that two share the shortest abbreviation git takes, four digits.
    let mut seen = std::collections::BTreeSet::new();
    let mut ambiguous = None;
    for number in 0..2_000 {
        let commit = fixture.run(&["commit-tree", "-m", &number.to_string(), "HEAD^{tree}"]);
        if !seen.insert(commit[..4].to_owned()) {
            ambiguous = Some(commit[..4].to_owned());
            break;
        }
    }
    let error = fixture.repository().resolve(&ambiguous.unwrap()).unwrap_err();
    assert!(matches!(&error, RevisionError::Ambiguous { said, .. } if said.contains("commit")), "{error}");
}

#[test]
fn hostile_text_is_escaped() {
    let fixture = Fixture::new();
    fixture.commit("\u{1b}[2Jwiped\u{202e}");
    assert_eq!(fixture.revision("HEAD").subject, "\\u{1b}[2Jwiped\\u{202e}");
    fixture.run(&["tag", "a\u{202e}b"]);
    assert_eq!(near(&fixture, "a\u{202e}c"), ["a\\u{202e}b"]);
    let error = fixture.repository().resolve("\u{1b}[2J").unwrap_err();
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
}

#[test]
fn a_program_named_by_the_repository_is_not_run() {
    let fixture = Fixture::new();
    let witness = fixture.folder.path().join("witness");
    fixture.run(&["config", "core.fsmonitor", &format!("touch {}; false", witness.display())]);
    fixture.revision(".");
    fixture.revision("HEAD");
    assert!(!witness.exists());
}

#[test]
fn a_hook_s_environment_does_not_lead_to_another_repository() {
    let (fixture, other) = (Fixture::new(), Fixture::new());
    let commit = other.commit("of the other");
    let mut command = std::process::Command::new("git");
    command.env("GIT_DIR", other.top().join(".git")).env("GIT_WORK_TREE", other.top());
    fixture.git.furnish(&mut command);
    let output = command.args(["rev-parse", "HEAD"]).current_dir(fixture.top()).output().unwrap();
    let head = String::from_utf8(output.stdout).unwrap();
    assert_eq!(Some(head.trim()), fixture.revision("HEAD").commit.as_deref());
    assert_ne!(head.trim(), commit);
}

#[test]
fn odd_folder_names_are_kept() {
    let fixture = Fixture::new();
    let odd = " é\u{1b} ; $(id) ";
    fs::create_dir(fixture.top().join(odd)).unwrap();
    assert_eq!(fixture.repository_at(odd).subfolder(), std::path::Path::new(odd));
}
