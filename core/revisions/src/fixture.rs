//! Real repositories to test on, with a home of their own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::git::Git;
use crate::place::in_cache;
use crate::repository::{Repository, Revision};
use crate::worktrees::Worktrees;

/// A repository in `project/` of a temporary folder that is also its home.
pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) git: Git,
}

impl Fixture {
    /// Without commits.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Self { git: git_at_home(folder.path()), folder };
        fs::create_dir(fixture.top()).unwrap();
        fixture.run(&["init", "--quiet", "--initial-branch=main"]);
        fixture
    }

    /// With one commit, `first`, on `main`, of a file `value` that says `1` and one in `bench/`.
    pub(crate) fn new() -> Self {
        let fixture = Self::empty();
        fixture.write("value", "1");
        fixture.write("bench/tare.toml", "");
        fixture.commit("first");
        fixture
    }

    pub(crate) fn top(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.top().join(".tare")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.top().with_file_name("cache")
    }

    /// Where the checkouts of the project at `repository` lie.
    pub(crate) fn checkouts(&self, repository: &Repository) -> PathBuf {
        in_cache(&self.cache(), repository)
    }

    /// What git prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_in(&self.top(), arguments)
    }

    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let arguments: Vec<&dyn AsRef<OsStr>> = arguments.iter().map(|word| word as &dyn AsRef<OsStr>).collect();
        let answer = self.git.ask(folder, &arguments).unwrap().expect_success(folder).unwrap();
        String::from_utf8(answer.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Its hash.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.run(&["add", "--all"]);
        self.run(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.run(&["rev-parse", "HEAD"])
    }

    pub(crate) fn repository(&self) -> Repository {
        self.repository_at("")
    }

    pub(crate) fn repository_at(&self, subfolder: &str) -> Repository {
        Repository::find_with(self.git.clone(), &self.top().join(subfolder)).unwrap()
    }

    pub(crate) fn worktrees(&self) -> Worktrees {
        self.worktrees_of(&self.repository())
    }

    pub(crate) fn worktrees_of(&self, repository: &Repository) -> Worktrees {
        Worktrees::open(Ok(&self.cache()), &self.state(), repository).unwrap()
    }

    pub(crate) fn revision(&self, name: &str) -> Revision {
        self.repository().resolve(name).unwrap()
    }
}

/// Git that knows no configuration but that of a home folder.
pub(crate) fn git_at_home(home: &Path) -> Git {
    let set = [
        ("HOME", home.as_os_str()),
        ("XDG_CONFIG_HOME", home.as_os_str()),
        ("GIT_CONFIG_NOSYSTEM", OsStr::new("1")),
        ("GIT_AUTHOR_NAME", OsStr::new("n")),
        ("GIT_AUTHOR_EMAIL", OsStr::new("e@example.invalid")),
        ("GIT_COMMITTER_NAME", OsStr::new("n")),
        ("GIT_COMMITTER_EMAIL", OsStr::new("e@example.invalid")),
    ];
    Git {
        environment: set.into_iter().map(|(name, value)| (name.into(), value.to_owned())).collect(),
        ..Git::default()
    }
}
