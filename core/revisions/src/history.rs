//! The commits between two revisions.

use std::collections::HashMap;
use std::ffi::OsStr;

use crate::error::RevisionError;
use crate::printable;
use crate::repository::{Repository, Revision};

/// More commits than this are not searched: each is told from all others.
pub const MOST_COMMITS: usize = 4096;

/// A commit between two revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Full hash.
    pub hash: String,
    /// As git abbreviates it.
    pub short: String,
    /// When its author made it, RFC 3339.
    pub date: String,
    /// The first line of its message, escaped and bounded.
    pub subject: String,
    /// Full hash of the parent that it is seen against: the first of those between the two revisions, the older of which is one.
    pub parent: String,
    /// Positions of its parents in the list of commits.
    pub parents: Vec<usize>,
}

impl Repository {
    /// The commits that come after `good` and lead from it to `bad`, parents before children, `bad` last. With `first_parent` those that `bad` has by first parents alone, each merge as one.
    ///
    /// # Errors
    /// [`RevisionError::NoAncestor`], [`RevisionError::TooManyCommits`], and git failing.
    pub fn commits_between(
        &self,
        good: &Revision,
        bad: &Revision,
        first_parent: bool,
    ) -> Result<Vec<Commit>, RevisionError> {
        let [good_hash, bad_hash] = [good, bad].map(|side| side.commit.clone().unwrap_or_default());
        let top = self.top();
        let leads = |from: &String, to: &String| {
            self.git.ask(top, &[&"merge-base", &"--is-ancestor", from, to]).map(|said| said.status.success())
        };
        if !leads(&good_hash, &bad_hash)? {
            if leads(&bad_hash, &good_hash)? {
                return Err(RevisionError::Exchanged { good: good.shown(), bad: bad.shown() });
            }
            let shallow = self.is_shallow()?;
            return Err(RevisionError::NoAncestor { good: good.shown(), bad: bad.shown(), shallow });
        }
        let (range, most) = (format!("{good_hash}..{bad_hash}"), format!("--max-count={}", MOST_COMMITS + 1));
        let way: &dyn AsRef<OsStr> = if first_parent { &"--first-parent" } else { &"--ancestry-path" };
        let arguments: [&dyn AsRef<OsStr>; 9] = [
            &"log",
            &"--topo-order",
            &"--reverse",
            &"--no-color",
            &"--encoding=UTF-8",
            &most,
            way,
            &"--format=%H%x00%h%x00%P%x00%aI%x00%<(200,trunc)%s",
            &range,
        ];
        let log = self.git.ask(top, &arguments)?.expect_success(top)?;
        let text = String::from_utf8_lossy(&log.stdout);
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut commits = Vec::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.splitn(5, '\0').collect();
            let &[hash, short, parents, date, subject] = fields.as_slice() else { continue };
            let all: Vec<&str> = parents.split(' ').take(if first_parent { 1 } else { usize::MAX }).collect();
            let parents: Vec<usize> = all.iter().filter_map(|hash| places.get(*hash).copied()).collect();
            let on_the_way = all.iter().find(|hash| places.contains_key(**hash) || **hash == good_hash);
            let parent = on_the_way.or(all.first()).map_or(String::new(), |hash| (*hash).to_owned());
            places.insert(hash.to_owned(), commits.len());
            commits.push(Commit {
                hash: hash.to_owned(),
                short: printable::line(short),
                date: printable::line(date),
                subject: printable::line(subject.trim_end()),
                parent,
                parents,
            });
        }
        if commits.len() > MOST_COMMITS {
            return Err(RevisionError::TooManyCommits { most: MOST_COMMITS });
        }
        Ok(commits)
    }
}

#[cfg(test)]
mod tests {
    use super::Commit;
    use crate::error::RevisionError;
    use crate::fixture::Fixture;

    #[test]
    fn a_merge_has_the_commits_of_both_branches_before_it_and_with_first_parents_is_one() {
        let repository = Fixture::new();
        let commit = |subject: &str| {
            repository.run(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        };
        commit("good");
        repository.run(&["tag", "good"]);
        commit("a");
        repository.run(&["checkout", "--quiet", "-b", "side", "good"]);
        commit("b");
        commit("c");
        repository.run(&["checkout", "--quiet", "-"]);
        repository.run(&["merge", "--quiet", "--no-ff", "--message", "merged", "side"]);
        commit("d\u{1b}[31m");
        let found = repository.repository();
        let [good, bad] = ["good", "HEAD"].map(|name| found.resolve(name).unwrap());
        let commits = found.commits_between(&good, &bad, false).unwrap();
        let at = |subject: &str| commits.iter().position(|commit| commit.subject.starts_with(subject)).unwrap();
        let of = |subject: &str| -> &Commit { &commits[at(subject)] };
        assert_eq!(commits.len(), 5);
        assert_eq!((of("a").parents.len(), &of("a").parent), (0, &good.commit.clone().unwrap()));
        assert_eq!((of("b").parents.len(), &of("c").parents), (0, &vec![at("b")]));
        assert_eq!(of("merged").parents, [at("a"), at("c")]);
        assert_eq!(of("merged").parent, of("a").hash);
        assert_eq!((at("d"), &of("d").parents), (4, &vec![at("merged")]));
        assert!(!of("d").subject.contains('\u{1b}'), "{:?}", of("d").subject);
        let first: Vec<String> =
            found.commits_between(&good, &bad, true).unwrap().into_iter().map(|one| one.subject).collect();
        assert_eq!((first.len(), &first[..2]), (3, &["a".to_owned(), "merged".to_owned()][..]));
        let error = found.commits_between(&bad, &good, false).unwrap_err();
        assert!(matches!(error, RevisionError::Exchanged { .. }), "{error}");
        let [one, other] = ["HEAD~1^1", "HEAD~1^2"].map(|name| found.resolve(name).unwrap());
        let error = found.commits_between(&one, &other, false).unwrap_err();
        assert!(matches!(error, RevisionError::NoAncestor { shallow: false, .. }), "{error}");
    }
}
