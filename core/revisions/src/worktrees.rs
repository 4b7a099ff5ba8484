use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::RevisionError;
use crate::git::is_hash;
use crate::hold::{Hold, Sharing};
use crate::place;
use crate::prepare::Prepare;
use crate::repository::{Repository, Revision};
use crate::tree::{self, Tree, unusable};

/// How often a tree that is another's is asked for.
const POLL: Duration = Duration::from_millis(100);

/// The checked out revisions of a project, each in `<commit>` of a folder that it has in the user's cache.
///
/// A tree stays, so that the next comparison with its commit needs neither a checkout nor the command that prepares it.
#[derive(Debug)]
pub struct Worktrees {
    repository: Repository,
    folder: PathBuf,
    reason: Option<String>,
}

/// A revision's files, ready to be measured. As long as this lives, no process removes them or makes them anew.
#[derive(Debug)]
pub struct Checkout {
    /// The project's root among them; absolute.
    pub root: PathBuf,
    /// It had been prepared before.
    pub cached: bool,
    _hold: Option<Hold>,
}

/// What checking out is about to do; text is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Another process prepares the tree, or uses it while it would have to be made anew.
    Waiting,
    /// The commit's files are written.
    CheckingOut,
    /// The commit's submodules are checked out.
    UpdatingSubmodules,
    /// The command that prepares the tree is run.
    Preparing,
    /// A line that it prints.
    Output(&'a str),
}

impl Worktrees {
    /// The trees in `cache`, or why there is none. Where it can't be used they lie in `state`, the project's `.tare` folder, and [`Worktrees::reason`] says
    /// why. `state` is made if need be, and kept out of the user's `git status` by a `.gitignore` of its own. What git knows of trees whose folders are gone,
    /// it is made to forget.
    ///
    /// # Errors
    /// [`RevisionError::Unusable`], and git failing.
    pub fn open(cache: Result<&Path, String>, state: &Path, repository: &Repository) -> Result<Self, RevisionError> {
        fs::create_dir_all(state).map_err(unusable(state, "make the folder"))?;
        tare_files::hide_from_git(state).map_err(unusable(&state.join(".gitignore"), "write it"))?;
        let below = state.join("worktrees");
        let made = cache.and_then(|cache| place::make(cache, repository).map_err(|error| error.to_string()));
        let (folder, reason) = match made {
            Ok(folder) => (folder, None),
            Err(why) => {
                fs::create_dir_all(&below).map_err(unusable(&below, "make the folder"))?;
                place::name_project(&below, repository).map_err(unusable(&below, "write to it"))?;
                (below.clone(), Some(why))
            }
        };
        // As git writes it.
        let folder = fs::canonicalize(&folder).map_err(unusable(&folder, "find its place"))?;
        let worktrees = Self { repository: repository.clone(), folder, reason };
        worktrees.forget_missing()?;
        if worktrees.reason.is_none() {
            worktrees.remove_those_below(&below);
        }
        Ok(worktrees)
    }

    /// Why the trees lie in the project, where they do.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The files of `revision`, prepared by that command. The working tree (`.`) is measured in place: it is neither copied nor
    /// prepared.
    ///
    /// A tree that the same command has prepared is taken as it is, unless tracked files have been changed since.
    /// `interrupted` is asked many times a second. After an error nothing is left: no half tree, nothing in `git worktree
    /// list`, no lock, no process. The repository's hooks aren't run; its filters (Git LFS) are.
    ///
    /// One process that holds a checkout of a commit and asks for the same with another command waits for itself.
    ///
    /// # Errors
    /// [`RevisionError::FolderMissing`] where the revision doesn't have the project's folder, [`RevisionError::Submodule`], [`RevisionError::Lfs`],
    /// [`RevisionError::PrepareFailed`], [`RevisionError::PrepareTimedOut`], [`RevisionError::Interrupted`],
    /// [`RevisionError::Unusable`], and git failing.
    pub fn checkout(
        &self,
        revision: &Revision,
        prepare: Option<&Prepare>,
        observe: &mut dyn FnMut(Step<'_>),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Checkout, RevisionError> {
        if revision.is_working_tree() {
            return Ok(Checkout { root: self.repository.folder(), cached: false, _hold: None });
        }
        // It becomes the name of a folder.
        let Some(commit) = revision.commit.as_deref().filter(|commit| is_hash(commit)) else {
            return Err(RevisionError::Unknown { name: revision.shown(), near: Vec::new(), shallow: false });
        };
        if !self.repository.has_folder(commit)? {
            let folder = self.repository.subfolder().to_owned();
            return Err(RevisionError::FolderMissing { revision: revision.shown(), folder });
        }
        let tree = self.tree(commit);
        let (mut made, mut told) = (false, false);
        loop {
            if let Some(hold) = Hold::try_take(&tree.lock(), Sharing::Shared)?
                && tree.is_ready(prepare, interrupted)?
            {
                tree.touch();
                return Ok(Checkout { root: tree.root(), cached: !made, _hold: Some(hold) });
            }
            if let Some(hold) = Hold::try_take(&tree.lock(), Sharing::Exclusive)? {
                if !tree.is_ready(prepare, interrupted)? {
                    self.make(&tree, revision, prepare, observe, interrupted)?;
                    made = true;
                }
                if hold.share() {
                    tree.touch();
                    return Ok(Checkout { root: tree.root(), cached: !made, _hold: Some(hold) });
                }
                continue;
            }
            if interrupted() {
                return Err(RevisionError::Interrupted);
            }
            if !told {
                observe(Step::Waiting);
                told = true;
            }
            thread::sleep(POLL);
        }
    }

    /// Removes the trees that were used least recently until `keep` are left, and all that were never prepared to the end. Those
    /// that are in use stay. Returns how many were removed.
    ///
    /// # Errors
    /// The first failure, after all were tried.
    pub fn clean(&self, keep: usize) -> Result<usize, RevisionError> {
        let commits = self.commits()?;
        let mut trees: Vec<_> = commits.iter().map(|commit| self.tree(commit)).map(|t| (t.last_used(), t)).collect();
        trees.sort_by_key(|(last_used, _)| std::cmp::Reverse(*last_used));
        let mut removed = 0;
        let mut failure = Ok(());
        for (index, (last_used, tree)) in trees.iter().enumerate() {
            if index < keep && last_used.is_some() {
                continue;
            }
            match self.discard(tree) {
                Ok(was_there) => removed += usize::from(was_there),
                Err(error) => failure = failure.and(Err(error)),
            }
        }
        failure.map(|()| removed)
    }

    fn tree<'a>(&'a self, commit: &'a str) -> Tree<'a> {
        Tree { repository: &self.repository, folder: &self.folder, commit }
    }

    /// Checks out and prepares; leaves nothing when that fails.
    fn make(
        &self,
        tree: &Tree<'_>,
        revision: &Revision,
        prepare: Option<&Prepare>,
        observe: &mut dyn FnMut(Step<'_>),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), RevisionError> {
        let name = revision.shown();
        let made = tree.remove().and_then(|()| {
            observe(Step::CheckingOut);
            tree.add(&name, &mut || observe(Step::UpdatingSubmodules), interrupted)?;
            if let Some(prepare) = prepare {
                observe(Step::Preparing);
                let mut line = |line: &str| observe(Step::Output(line));
                prepare.run(&self.repository.git, &name, &tree.root(), &mut line, interrupted)?;
            }
            tree.set_ready(prepare, interrupted)
        });
        if made.is_err() {
            // The first failure is the one to tell; what can't be removed now has no marker and is removed the next time.
            let _ = tree.remove();
        }
        made
    }

    /// Removes a tree and its lock unless it is in use; whether there was one.
    fn discard(&self, tree: &Tree<'_>) -> Result<bool, RevisionError> {
        let Some(hold) = Hold::try_take(&tree.lock(), Sharing::Exclusive)? else { return Ok(false) };
        // Without locks it can't be known that nobody uses it.
        if !hold.is_locked() {
            return Ok(false);
        }
        let was_there = fs::symlink_metadata(tree.path()).is_ok();
        tree.remove()?;
        // While it is held: a process that opens it later makes a new one.
        tree::remove(&tree.lock(), |path| fs::remove_file(path))?;
        Ok(was_there)
    }

    /// The commits of which there is anything in the folder.
    fn commits(&self) -> Result<BTreeSet<String>, RevisionError> {
        let unreadable = || unusable(&self.folder, "read the folder");
        let mut commits = BTreeSet::new();
        for entry in fs::read_dir(&self.folder).map_err(unreadable())? {
            let name = entry.map_err(unreadable())?.file_name();
            let stem = Path::new(&name).file_stem().and_then(|stem| stem.to_str());
            commits.extend(stem.filter(|stem| is_hash(stem)).map(str::to_owned));
        }
        Ok(commits)
    }

    fn forget_missing(&self) -> Result<(), RevisionError> {
        for path in tree::registered(&self.repository)? {
            let commit = path.file_name().and_then(|name| name.to_str()).filter(|name| is_hash(name));
            let (Some(commit), Some(folder)) = (commit, path.parent()) else { continue };
            if folder == self.folder && fs::symlink_metadata(&path).is_err() {
                self.discard(&self.tree(commit))?;
            } else if folder.parent() == self.folder.parent() && fs::symlink_metadata(folder).is_err() {
                // Those that the project had in its cache at another place.
                Tree { repository: &self.repository, folder, commit }.remove()?;
            }
        }
        Ok(())
    }

    /// Removes trees that lie in the project, since the cache couldn't be used, or wasn't. What can't be removed stays.
    fn remove_those_below(&self, folder: &Path) {
        let Ok(folder) = fs::canonicalize(folder) else { return };
        let others = Self { repository: self.repository.clone(), folder, reason: None };
        if others.clean(0).is_ok() {
            let _ = fs::remove_file(others.folder.join(place::PROJECT));
            let _ = fs::remove_dir(&others.folder);
        }
    }
}

#[cfg(test)]
#[path = "worktrees/ending_tests.rs"]
mod ending_tests;
#[cfg(test)]
#[path = "worktrees/tests.rs"]
mod tests;
