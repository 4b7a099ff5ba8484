//! Where a branch left another one. A clone of a build server has the newest commits only, so more are fetched until that commit is there.

use std::ffi::OsStr;

use crate::error::RevisionError;
use crate::git::{Answer, is_hash};
use crate::printable;
use crate::repository::{Repository, Revision};

/// The remote that clones have.
const REMOTE: &str = "origin";
/// Commits by which a shallow clone is deepened, step by step; then the rest is fetched.
const STEPS: [u32; 4] = [16, 64, 256, 1024];

/// What a change is compared with, before its commit is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseName {
    /// A name of the command line: a revision of this clone, else a branch or a commit of the remote.
    Revision(String),
    /// A branch of the remote.
    Branch(String),
    /// A commit, by its full hash.
    Commit(String),
    /// The branch that the remote has as its own.
    Default,
}

impl BaseName {
    fn shown(&self) -> String {
        match self {
            Self::Revision(name) | Self::Branch(name) | Self::Commit(name) => printable::line(name),
            Self::Default => format!("{REMOTE}/HEAD"),
        }
    }
}

impl Repository {
    /// The newest commit that `base` and `head` have in common, called `name`. Fetches from `origin` what this clone lacks of it; `tell` hears of each fetch.
    ///
    /// # Errors
    /// [`RevisionError::BaseGone`], [`RevisionError::NoMergeBase`], what [`Repository::resolve`] says, and git failing.
    pub fn merge_base(
        &self,
        base: &BaseName,
        head: &Revision,
        name: &str,
        tell: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Revision, RevisionError> {
        let head_hash = head.commit.clone().unwrap_or_default();
        let tip = self.tip(base, tell, interrupted)?;
        let mut steps = STEPS.iter();
        loop {
            let answer = self.git.ask(self.top(), &[&"merge-base", &tip, &head_hash])?;
            if let Some(found) = answer.hash() {
                return self.describe(name, found);
            }
            if !self.is_shallow()? {
                return Err(RevisionError::NoMergeBase { base: base.shown(), head: head.shown() });
            }
            let (depth, said) = match steps.next() {
                Some(step) => (format!("--deepen={step}"), format!("{step} more commits")),
                None => ("--unshallow".to_owned(), "all commits".to_owned()),
            };
            tell(&format!("no common commit of {} and HEAD is in this shallow clone; fetching {said}", base.shown()));
            // Both are named: the commit of a pull request's merge is on no branch.
            let fetch: [&dyn AsRef<OsStr>; 7] = [&"fetch", &"--quiet", &"--no-tags", &depth, &REMOTE, &tip, &head_hash];
            let answer = self.git.act(self.top(), &fetch, interrupted)?;
            if answer.status.success() {
                continue;
            }
            // A server that gives branches out, and no commits by their hashes.
            let fetch: [&dyn AsRef<OsStr>; 5] = [&"fetch", &"--quiet", &"--no-tags", &depth, &REMOTE];
            self.git.act(self.top(), &fetch, interrupted)?.expect_success(self.top())?;
        }
    }

    /// The commit that `base` stands for, fetched where this clone lacks it.
    fn tip(
        &self,
        base: &BaseName,
        tell: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<String, RevisionError> {
        match base {
            BaseName::Commit(hash) => self.tip_of_commit(base, hash, tell, interrupted),
            BaseName::Branch(branch) => self.tip_of_branch(base, branch, tell, interrupted),
            BaseName::Default => {
                let branch = self.default_branch()?;
                self.tip_of_branch(base, &branch, tell, interrupted)
            }
            BaseName::Revision(name) => match self.resolve(name) {
                Ok(revision) => Ok(revision.commit.unwrap_or_default()),
                Err(error @ RevisionError::Unknown { .. }) => {
                    if !self.has_remote()? {
                        return Err(error);
                    }
                    let branch = name.strip_prefix("origin/").unwrap_or(name);
                    let found = match is_hash(name) {
                        true => self.tip_of_commit(base, name, tell, interrupted),
                        false => self.tip_of_branch(base, branch, tell, interrupted),
                    };
                    // A misspelt name: no force-push has removed it.
                    found.map_err(|gone| if is_hash(name) { gone } else { error })
                }
                Err(error) => Err(error),
            },
        }
    }

    fn tip_of_commit(
        &self,
        base: &BaseName,
        hash: &str,
        tell: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<String, RevisionError> {
        if !is_hash(hash) {
            return Err(RevisionError::Unknown { name: printable::line(hash), near: Vec::new(), shallow: false });
        }
        if let Some(commit) = self.commit_of(hash)? {
            return Ok(commit);
        }
        let answer = self.fetch(hash, true, tell, interrupted)?;
        match self.commit_of(hash)? {
            Some(commit) => Ok(commit),
            None => Err(gone(base, &answer)),
        }
    }

    fn tip_of_branch(
        &self,
        base: &BaseName,
        branch: &str,
        tell: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<String, RevisionError> {
        let full = format!("refs/heads/{branch}");
        if !self.git.ask(self.top(), &[&"check-ref-format", &full])?.status.success() {
            return Err(RevisionError::Unknown { name: printable::line(branch), near: Vec::new(), shallow: false });
        }
        let tracked = format!("refs/remotes/{REMOTE}/{branch}");
        let known = self.commit_of(&tracked)?;
        // A clone that a build server keeps may know an older commit of the branch, from before this one was rebased.
        let answer = self.fetch(&format!("+{full}:{tracked}"), known.is_none(), tell, interrupted)?;
        match (answer.status.success(), known) {
            (false, Some(known)) => {
                let shown = printable::line(branch);
                tell(&format!(
                    "{REMOTE}/{shown} can't be fetched ({}); taking what this clone has of it",
                    answer.said.trim()
                ));
                Ok(known)
            }
            _ => self.commit_of(&tracked)?.ok_or_else(|| gone(base, &answer)),
        }
    }

    /// Fetches one thing: in a shallow clone the newest commit alone of what is `new` to it.
    fn fetch(
        &self,
        what: &str,
        new: bool,
        tell: &mut dyn FnMut(&str),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Answer, RevisionError> {
        let depth: &dyn AsRef<OsStr> = if new && self.is_shallow()? { &"--depth=1" } else { &"--no-auto-gc" };
        let shown = what.rsplit(':').next().unwrap_or(what).trim_start_matches("refs/remotes/");
        tell(&format!("fetching {} to compare with", printable::line(shown)));
        let fetch: [&dyn AsRef<OsStr>; 6] = [&"fetch", &"--quiet", &"--no-tags", depth, &REMOTE, &what];
        self.git.act(self.top(), &fetch, interrupted)
    }

    /// What the remote calls its own branch. A clone of a build server often doesn't say, then the remote does.
    fn default_branch(&self) -> Result<String, RevisionError> {
        let symbolic = format!("refs/remotes/{REMOTE}/HEAD");
        let known = self.git.ask(self.top(), &[&"symbolic-ref", &"--quiet", &symbolic])?;
        let prefix = format!("refs/remotes/{REMOTE}/");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if let Some(branch) = known.line().map(text).and_then(|name| Some(name.strip_prefix(&prefix)?.to_owned())) {
            return Ok(branch);
        }
        if !self.has_remote()? {
            return Err(RevisionError::NoRemote { remote: REMOTE });
        }
        let answer = self.git.ask(self.top(), &[&"ls-remote", &"--symref", &REMOTE, &"HEAD"])?;
        let answer = answer.expect_success(self.top())?;
        let said = text(&answer.stdout);
        let branch = said.lines().find_map(|line| line.strip_prefix("ref: refs/heads/")?.split('\t').next());
        branch.map(str::to_owned).ok_or(RevisionError::NoRemote { remote: REMOTE })
    }

    fn has_remote(&self) -> Result<bool, RevisionError> {
        Ok(self.git.ask(self.top(), &[&"remote", &"get-url", &REMOTE])?.status.success())
    }

    fn commit_of(&self, name: &str) -> Result<Option<String>, RevisionError> {
        let name = format!("{name}^{{commit}}");
        Ok(self.git.ask(self.top(), &[&"rev-parse", &"--verify", &"--quiet", &"--end-of-options", &name])?.hash())
    }
}

fn gone(base: &BaseName, answer: &Answer) -> RevisionError {
    let said = match answer.said.trim() {
        "" => "it has no such branch or commit".to_owned(),
        said => said.to_owned(),
    };
    RevisionError::BaseGone { base: base.shown(), remote: REMOTE, said }
}

#[cfg(test)]
mod tests {
    use super::BaseName;
    use crate::error::RevisionError;
    use crate::fixture::Fixture;
    use crate::repository::{Repository, Revision};

    /// `main` with so many commits after the fork, and a branch `change` with two.
    fn forked(commits: u32) -> (Fixture, String) {
        let fixture = Fixture::new();
        let commit = |subject: &str| fixture.run(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        commit("fork");
        let fork = fixture.run(&["rev-parse", "HEAD"]);
        fixture.run(&["checkout", "--quiet", "-b", "change"]);
        for subject in ["one", "two"] {
            commit(subject);
        }
        fixture.run(&["checkout", "--quiet", "main"]);
        for number in 0..commits {
            commit(&number.to_string());
        }
        (fixture, fork)
    }

    /// A clone of the one commit at the end of `branch`, as build servers make it.
    fn shallow(fixture: &Fixture, branch: &str) -> Repository {
        let (from, to) = (format!("file://{}", fixture.top().display()), fixture.top().with_file_name("clone"));
        let to_text = to.to_str().unwrap();
        fixture.run(&["clone", "--quiet", "--depth=1", "--single-branch", "--branch", branch, &from, to_text]);
        fixture.run_in(&to, &["checkout", "--quiet", "--detach"]);
        Repository::find_with(fixture.git.clone(), &to).unwrap()
    }

    fn found(repository: &Repository, base: &BaseName) -> (Result<Revision, RevisionError>, Vec<String>) {
        let mut told = Vec::new();
        let head = repository.resolve("HEAD").unwrap();
        let found = repository.merge_base(base, &head, "base", &mut |text| told.push(text.to_owned()), &|| false);
        (found, told)
    }

    #[test]
    fn a_shallow_clone_is_deepened_until_the_fork_is_in_it() {
        let (fixture, fork) = forked(40);
        let tip = fixture.run(&["rev-parse", "main"]);
        let clone = shallow(&fixture, "change");
        let (base, told) = found(&clone, &BaseName::Branch("main".to_owned()));
        let base = base.unwrap();
        assert_eq!((base.name.as_str(), base.commit.as_ref(), base.subject.as_str()), ("base", Some(&fork), "fork"));
        assert!(told[0].contains("fetching origin/main"), "{told:?}");
        assert_eq!(told.iter().filter(|text| text.contains("more commits")).count(), 2, "16 and 64: {told:?}");
        // What is there isn't fetched again.
        let names = [
            BaseName::Default,
            BaseName::Commit(tip),
            BaseName::Revision("origin/main".to_owned()),
            BaseName::Revision("main".to_owned()),
        ];
        for base in names {
            let (again, told) = found(&clone, &base);
            assert_eq!(again.unwrap().commit.as_ref(), Some(&fork), "{base:?}");
            assert!(told.iter().all(|text| !text.contains("more commits")), "{told:?}");
        }
    }

    #[test]
    fn a_base_that_was_pushed_away_is_told_with_what_to_do() {
        let (fixture, _) = forked(1);
        let clone = shallow(&fixture, "change");
        let gone = "1234567890123456789012345678901234567890";
        for base in [
            BaseName::Commit(gone.to_owned()),
            BaseName::Revision(gone.to_owned()),
            BaseName::Branch("renamed".to_owned()),
        ] {
            let error = found(&clone, &base).0.unwrap_err();
            assert!(matches!(error, RevisionError::BaseGone { .. }), "{base:?}: {error}");
            assert!(error.to_string().contains("--base"), "{error}");
        }
        for name in ["nonsense", "--upload-pack=touch", "a:b", "*", "a\nb"] {
            for base in [BaseName::Revision(name.to_owned()), BaseName::Branch(name.to_owned())] {
                let error = found(&clone, &base).0.unwrap_err();
                let is_told = matches!(error, RevisionError::Unknown { .. } | RevisionError::BaseGone { .. });
                assert!(is_told && !error.to_string().contains('\n'), "{base:?}: {error}");
            }
        }
        // Another history: nothing is in common, however deep it is fetched.
        fixture.run(&["checkout", "--quiet", "--orphan", "other"]);
        fixture.run(&["commit", "--quiet", "--allow-empty", "--message", "other"]);
        let error = found(&clone, &BaseName::Branch("other".to_owned())).0.unwrap_err();
        assert!(matches!(error, RevisionError::NoMergeBase { .. }), "{error}");
    }

    #[test]
    fn without_a_remote_there_is_no_base_but_one_that_is_named() {
        let (fixture, fork) = forked(1);
        fixture.run(&["checkout", "--quiet", "change"]);
        let repository = fixture.repository();
        assert_eq!(found(&repository, &BaseName::Revision("main".into())).0.unwrap().commit, Some(fork));
        let error = found(&repository, &BaseName::Default).0.unwrap_err();
        assert!(matches!(error, RevisionError::NoRemote { .. }) && error.to_string().contains("--base"), "{error}");
    }
}
