//! A revision's code with another one's files: a commit that belongs to no branch. It is checked out, kept and prepared like any other.

use std::ffi::{OsStr, OsString};

use crate::error::RevisionError;
use crate::git::Git;
use crate::repository::{Repository, Revision};

/// Patterns in one command; a command line has room for more.
const AT_ONCE: usize = 200;
/// Nobody wrote the commit, at no time: the same two revisions and paths make the same commit.
pub(crate) const NOBODY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "tare"),
    ("GIT_AUTHOR_EMAIL", "tare@localhost"),
    ("GIT_AUTHOR_DATE", "@0 +0000"),
    ("GIT_COMMITTER_NAME", "tare"),
    ("GIT_COMMITTER_EMAIL", "tare@localhost"),
    ("GIT_COMMITTER_DATE", "@0 +0000"),
];

impl Repository {
    /// `revision` with the files of `other` that `pathspecs` match (gitglossary(7), relative to the top level): it has those that `other` has, and none that `other` lacks. The working
    /// tree's files are taken as they are, but for ignored ones. `revision` itself where nothing differs.
    ///
    /// The commit that is made is no branch's, and goes when git collects what nothing refers to; a checkout of it keeps it. Neither the index nor the working tree are touched.
    ///
    /// # Errors
    /// [`RevisionError::NoCommits`] where one of the two has no commit, [`RevisionError::Unusable`], and git failing.
    pub fn with_files_of(
        &self,
        revision: &Revision,
        other: &Revision,
        pathspecs: &[OsString],
    ) -> Result<Revision, RevisionError> {
        let no_commits = || RevisionError::NoCommits { top: self.top().to_owned() };
        let commit = revision.commit.clone().ok_or_else(no_commits)?;
        let source = other.commit.clone().ok_or_else(no_commits)?;
        let folder = tempfile::tempdir().map_err(crate::tree::unusable(&std::env::temp_dir(), "make a folder"))?;
        let git = self.git.with(&[("GIT_INDEX_FILE", folder.path().join("index").as_os_str())]);
        let ask = |git: &Git, words: &[&dyn AsRef<OsStr>]| git.ask(self.top(), words)?.expect_success(self.top());
        ask(&git, &[&"read-tree", &commit])?;
        for specs in pathspecs.chunks(AT_ONCE) {
            let mut words: Vec<&dyn AsRef<OsStr>> = vec![&"reset", &"--quiet", &source, &"--"];
            words.extend(specs.iter().map(|spec| spec as &dyn AsRef<OsStr>));
            ask(&git, &words)?;
        }
        if other.is_working_tree() {
            // One by one: git adds nothing where one of several matches nothing.
            for spec in pathspecs {
                let added = git.ask(self.top(), &[&"add", &"--all", &"--", spec])?;
                // Nothing there, or nothing but ignored files.
                if !["did not match any files", "are ignored"].iter().any(|why| added.said.contains(why)) {
                    added.expect_success(self.top())?;
                }
            }
        }
        let tree = ask(&git, &[&"write-tree"])?.hash().unwrap_or_default();
        let same = ask(&git, &[&"rev-parse", &format!("{commit}^{{tree}}")])?.hash();
        if same.as_ref() == Some(&tree) {
            return Ok(revision.clone());
        }
        let nobody = NOBODY.map(|(name, value)| (name, OsStr::new(value)));
        let message = format!("{} with the benchmarks of {}", revision.short, other.short);
        let made = ask(&self.git.with(&nobody), &[&"commit-tree", &"-p", &commit, &"-m", &message, &tree])?;
        let made = made.hash().ok_or_else(no_commits)?;
        self.describe(&revision.name, made)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::fixture::Fixture;

    fn specs(specs: &[&str]) -> Vec<OsString> {
        specs.iter().map(OsString::from).collect()
    }

    #[test]
    fn files_of_another_revision_are_put_over_its_own() {
        let fixture = Fixture::new();
        fixture.write("bench/gone", "1");
        fixture.write("bench/same", "1");
        let base = fixture.commit("base");
        std::fs::remove_file(fixture.top().join("bench/gone")).unwrap();
        fixture.write("bench/new/one", "2");
        fixture.write("value", "2");
        fixture.write("pack/a_test.go", "2");
        fixture.write("pack/a.go", "2");
        let head = fixture.commit("head");
        let repository = fixture.repository();
        let (of_base, of_head) = (fixture.revision(&base), fixture.revision(&head));
        let paths = specs(&["bench", "nowhere", ":(glob)pack/*_test.go"]);
        let made = repository.with_files_of(&of_base, &of_head, &paths).unwrap();
        let commit = made.commit.clone().unwrap();
        let files = fixture.run(&["ls-tree", "-r", "--name-only", &commit]);
        assert_eq!(files, "bench/new/one\nbench/same\nbench/tare.toml\npack/a_test.go\nvalue");
        assert_eq!(fixture.run(&["show", &format!("{commit}:value")]), "1", "its own code");
        assert_eq!(made.name, base);
        assert_eq!(repository.with_files_of(&of_base, &of_head, &paths).unwrap(), made, "the same again");
        assert_eq!(repository.with_files_of(&of_head, &of_head, &paths).unwrap(), of_head);
        assert_eq!(fixture.run(&["status", "--porcelain"]), "", "the index is as it was");
        // It can be had like any other.
        let checkout = fixture.worktrees().checkout(&made, None, &mut |_| {}, &|| false).unwrap();
        assert!(checkout.root.join("bench/new/one").is_file() && !checkout.root.join("bench/gone").exists());
    }

    #[test]
    fn the_working_tree_gives_its_files_as_they_are() {
        let fixture = Fixture::new();
        let first = fixture.revision("main");
        fixture.write(".gitignore", "*.o\n");
        fixture.commit("ignores");
        fixture.write("bench/untracked", "1");
        fixture.write("bench/ignored.o", "1");
        fixture.write("bench/tare.toml", "# edited");
        fixture.write("only/ignored.o", "1");
        fixture.write("value", "3");
        let here = fixture.revision(".");
        let made = fixture.repository().with_files_of(&first, &here, &specs(&["bench", "nowhere", "only"])).unwrap();
        let commit = made.commit.unwrap();
        assert_eq!(fixture.run(&["ls-tree", "-r", "--name-only", &commit]), "bench/tare.toml\nbench/untracked\nvalue");
        assert_eq!(fixture.run(&["show", &format!("{commit}:bench/tare.toml")]), "# edited");
        assert_eq!(fixture.run(&["diff", "--cached", "--name-only"]), "", "the index is as it was");
    }
}
