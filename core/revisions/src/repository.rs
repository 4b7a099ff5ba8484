use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::RevisionError;
use crate::git::Git;
use crate::printable;

/// Names that are looked through for a near one.
const MOST_NAMES: &str = "--count=10000";
/// Near names that are offered.
const MOST_NEAR: usize = 3;

/// The git repository that a project is in.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) git: Git,
    top: PathBuf,
    subfolder: PathBuf,
}

/// What the name of a revision stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The name as it was typed.
    pub name: String,
    /// Full hash; `None` for the working tree of a repository without commits.
    pub commit: Option<String>,
    /// The hash, abbreviated as git does; empty without a commit.
    pub short: String,
    /// The first line of the commit's message, escaped and bounded; empty without a commit.
    pub subject: String,
    /// The working tree, in which a tracked file differs from the commit.
    pub dirty: bool,
}

impl Revision {
    /// Whether it is the working tree as it is, uncommitted changes included.
    pub fn is_working_tree(&self) -> bool {
        self.name == "."
    }

    /// The name as it may be shown.
    pub(crate) fn shown(&self) -> String {
        printable::line(&self.name)
    }
}

impl Repository {
    /// Finds the repository that `folder`, a project's root, is in: its top level or a folder below it.
    ///
    /// # Errors
    /// [`RevisionError::GitMissing`], [`RevisionError::NotARepository`], [`RevisionError::NoWorkingTree`],
    /// [`RevisionError::Untrusted`], and git failing otherwise.
    pub fn find(folder: &Path) -> Result<Self, RevisionError> {
        Self::find_with(Git::default(), folder)
    }

    pub(crate) fn find_with(git: Git, folder: &Path) -> Result<Self, RevisionError> {
        let answer = git.ask(folder, &[&"rev-parse", &"--show-toplevel"])?;
        if !answer.status.success() {
            let (said, folder) = (answer.said.clone(), folder.to_owned());
            return Err(if said.contains("dubious ownership") || said.contains("unsafe repository") {
                RevisionError::Untrusted { folder, said }
            } else if said.contains("not a git repository") {
                RevisionError::NotARepository { folder }
            } else if said.contains("must be run in a work tree") {
                RevisionError::NoWorkingTree { folder }
            } else {
                return answer.expect_success(&folder).and(Err(RevisionError::NotARepository { folder }));
            });
        }
        let top = path(answer.line().unwrap_or_default());
        let prefix = git.ask(folder, &[&"rev-parse", &"--show-prefix"])?.expect_success(folder)?;
        // Without the separator that git ends it with.
        let subfolder = path(prefix.line().unwrap_or_default()).components().collect();
        Ok(Self { git, top, subfolder })
    }

    /// The top level of the working tree; absolute.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The project's root, relative to the top level; empty where it is the top level.
    pub fn subfolder(&self) -> &Path {
        &self.subfolder
    }

    /// The project's root in the working tree; absolute.
    pub fn folder(&self) -> PathBuf {
        // Joining nothing would add a separator.
        if self.subfolder.as_os_str().is_empty() { self.top.clone() } else { self.top.join(&self.subfolder) }
    }

    /// What `name` stands for: `.` the working tree as it is, anything else the commit that git finds for it
    /// (gitrevisions(7): a hash, a branch, a tag, `HEAD~2`, `:/words`, …).
    ///
    /// # Errors
    /// [`RevisionError::NoCommits`], [`RevisionError::Unknown`] with near names, [`RevisionError::Ambiguous`],
    /// [`RevisionError::NotACommit`], and git failing.
    pub fn resolve(&self, name: &str) -> Result<Revision, RevisionError> {
        if name == "." {
            return self.working_tree();
        }
        // In two steps: `^{commit}` after `:/words` would be taken for words.
        let object = match name {
            "" => None,
            _ if name.contains('\0') => None,
            _ => self.hash_of(OsStr::new(name), name)?,
        };
        let Some(object) = object else { return Err(self.unknown(name)?) };
        let commit = self.hash_of(&OsString::from(format!("{object}^{{commit}}")), name)?;
        let Some(commit) = commit else {
            let kind = self.git.ask(&self.top, &[&"cat-file", &"-t", &object])?;
            return match kind.line() {
                Some(kind) => Err(RevisionError::NotACommit {
                    name: printable::line(name),
                    kind: printable::line(&String::from_utf8_lossy(kind)),
                }),
                // A full hash is its own answer, whether or not there is such an object.
                None => Err(self.unknown(name)?),
            };
        };
        self.describe(name, commit)
    }

    /// Whether the project's root is a folder in the commit.
    pub(crate) fn has_folder(&self, commit: &str) -> Result<bool, RevisionError> {
        let mut object = OsString::from(format!("{commit}:"));
        object.push(&self.subfolder);
        let kind = self.git.ask(&self.top, &[&"cat-file", &"-t", &object])?;
        Ok(kind.line() == Some(b"tree"))
    }

    fn working_tree(&self) -> Result<Revision, RevisionError> {
        let status: [&dyn AsRef<OsStr>; 4] =
            [&"status", &"--porcelain", &"--untracked-files=no", &"--ignore-submodules=dirty"];
        let status = self.git.ask(&self.top, &status)?.expect_success(&self.top)?;
        let dirty = !status.stdout.is_empty();
        let name = ".".to_owned();
        match self.git.ask(&self.top, &[&"rev-parse", &"--verify", &"--quiet", &"HEAD"])?.hash() {
            Some(commit) => Ok(Revision { dirty, ..self.describe(&name, commit)? }),
            None => Ok(Revision { name, commit: None, short: String::new(), subject: String::new(), dirty }),
        }
    }

    pub(crate) fn describe(&self, name: &str, commit: String) -> Result<Revision, RevisionError> {
        let log = self.git.ask(
            &self.top,
            &[&"log", &"-1", &"--no-color", &"--encoding=UTF-8", &"--format=%h%x00%s", &commit, &"--"],
        )?;
        let log = log.expect_success(&self.top)?;
        let text = String::from_utf8_lossy(&log.stdout);
        let (short, subject) = text.split_once('\0').unwrap_or((&text, ""));
        let (short, subject) = (printable::line(short), printable::line(subject));
        Ok(Revision { name: name.to_owned(), commit: Some(commit), short, subject, dirty: false })
    }

    /// The hash of the object that `expression`, typed as `name`, stands for.
    fn hash_of(&self, expression: &OsStr, name: &str) -> Result<Option<String>, RevisionError> {
        let answer = self.git.ask(&self.top, &[&"rev-parse", &"--verify", &"--end-of-options", &expression])?;
        if !answer.status.success() && answer.said.contains("is ambiguous") {
            return Err(RevisionError::Ambiguous { name: printable::line(name), said: answer.said });
        }
        Ok(answer.hash())
    }

    /// Whether the clone has a part of the history only.
    pub(crate) fn is_shallow(&self) -> Result<bool, RevisionError> {
        Ok(self.git.ask(&self.top, &[&"rev-parse", &"--is-shallow-repository"])?.line() == Some(b"true"))
    }

    /// The error for a name that stands for nothing.
    fn unknown(&self, name: &str) -> Result<RevisionError, RevisionError> {
        let arguments: [&dyn AsRef<OsStr>; 6] = [
            &"for-each-ref",
            &MOST_NAMES,
            &"--format=%(refname:strip=2)",
            &"refs/heads",
            &"refs/tags",
            &"refs/remotes",
        ];
        let answer = self.git.ask(&self.top, &arguments)?.expect_success(&self.top)?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let known: Vec<&str> = text.lines().collect();
        let head = self.git.ask(&self.top, &[&"rev-parse", &"--verify", &"--quiet", &"HEAD"])?;
        if known.is_empty() && head.hash().is_none() {
            return Ok(RevisionError::NoCommits { top: self.top.clone() });
        }
        let shallow = self.is_shallow()?;
        // Where `main~5` leads nowhere though there is a `main`, another name was not meant.
        let stem = name.split(['~', '^', '@']).next().unwrap_or(name);
        let is_known = stem != name && !stem.is_empty() && matches!(self.hash_of(OsStr::new(stem), stem), Ok(Some(_)));
        Ok(RevisionError::Unknown {
            name: printable::line(name),
            near: if is_known { Vec::new() } else { near(stem, &known) },
            shallow,
        })
    }
}

/// The names of `known` that may have been meant by `name`, the nearest first.
fn near(name: &str, known: &[&str]) -> Vec<String> {
    // A hostile name is not worth the quadratic time.
    let short = |text: &str| -> String { text.chars().take(64).collect::<String>().to_lowercase() };
    let wanted = short(name);
    let distance = |candidate: &str| {
        // A branch that was never checked out exists as the remote's only.
        let local = candidate.split_once('/').map_or(candidate, |(_, branch)| branch);
        [candidate, local].into_iter().map(|text| strsim::damerau_levenshtein(&wanted, &short(text))).min()
    };
    let most = (wanted.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|&candidate| Some((distance(candidate)?, candidate)))
        .filter(|&(distance, _)| distance <= most)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST_NEAR).map(|(_, candidate)| printable::line(candidate)).collect()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(test)]
#[path = "repository/tests.rs"]
mod tests;
