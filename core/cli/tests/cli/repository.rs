//! A git repository around a test's project, and what a comparison may leave in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use rustix::fs::{FlockOperation, flock};

use crate::harness::{Dir, Document, PATIENCE};

impl Dir {
    /// A project whose folder is a repository without commits.
    pub(crate) fn repository() -> Self {
        let dir = Self::new();
        dir.git(&["init", "--quiet", "--initial-branch=main"]);
        dir
    }

    /// What git prints, in the project's folder.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits all files; the commit's hash.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Two commits of `WorkBench.php`, the second with a longer loop.
    pub(crate) fn two_commits() -> Self {
        let dir = Self::repository();
        dir.work(20).commit("first");
        dir.work(40).commit("second");
        dir
    }

    /// Writes a class whose benchmark takes so many steps.
    pub(crate) fn work(&self, steps: u32) -> &Self {
        let body =
            format!("    public function benchWork(): void {{ for ($i = 0; $i < {steps}; $i++) {{ md5('x'); }} }}");
        self.php("WorkBench", &body)
    }

    /// The worktrees that git knows besides the user's own.
    fn worktrees(&self) -> Vec<PathBuf> {
        let list = self.git(&["worktree", "list", "--porcelain"]);
        list.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1).map(PathBuf::from).collect()
    }

    /// The folders that hold the projects' checkouts.
    fn checkouts(&self) -> PathBuf {
        fs::canonicalize(self.path()).unwrap().with_file_name("cache").join("tare/checkouts")
    }

    /// The checkout of a commit; there has to be one.
    pub(crate) fn checkout(&self, commit: &str) -> PathBuf {
        self.worktrees().into_iter().find(|tree| tree.ends_with(commit)).unwrap()
    }

    /// Commits that are checked out for the next comparison.
    pub(crate) fn cached_commits(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        self.worktrees().iter().map(name).collect()
    }

    /// Nothing is left but whole worktrees in the cache: no process, no lock, no half tree, nothing in the user's `git status`.
    pub(crate) fn assert_nothing_is_left(&self) {
        self.assert_no_process_is_left();
        let above = self.checkouts();
        let known = self.worktrees();
        for tree in &known {
            assert_eq!(tree.parent().and_then(Path::parent), Some(above.as_path()), "a worktree lies elsewhere");
            assert!(tree.is_dir(), "git knows {} and it isn't there", tree.display());
        }
        let mut locks = vec![self.lock()];
        let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries(&above).flat_map(|project| entries(&project.path())) {
            if entry.file_type().unwrap().is_dir() {
                assert!(known.contains(&entry.path()), "git doesn't know {}", entry.path().display());
            } else if entry.path().extension().is_some_and(|extension| extension == "lock") {
                locks.push(entry.path());
            }
        }
        for lock in locks {
            assert_free(&lock);
        }
        let seen = self.git(&["status", "--porcelain"]);
        assert!(!seen.contains(".tare"), "git sees files of tare: {seen}");
    }
}

/// Nobody holds the lock on that file.
fn assert_free(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let until = Instant::now() + PATIENCE;
    // A process that was killed lets go of it when the system has cleared it away.
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        assert!(Instant::now() < until, "{} is held", path.display());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

impl Document {
    /// The comparisons that are judged, as title, base and candidate.
    pub(crate) fn compared(&self) -> Vec<[&str; 3]> {
        let pairs = self.0["comparisons"].as_array().unwrap();
        pairs
            .iter()
            .map(|pair| {
                [&pair["title"], &pair["labels"]["base"], &pair["labels"]["candidate"]].map(|it| it.as_str().unwrap())
            })
            .collect()
    }
}
