//! Comparisons of two names: revisions, measured live, or stored runs.

use std::path::Path;

use tare_definition::Project;
use tare_request::Request;
use tare_revisions::{Repository, Revision, RevisionError};
use tare_store::Access;

use crate::error::Error;
use crate::job::Job;
use crate::prepare::benchmarks;
use crate::prepare::sides::{self, Sides};
use crate::project::open_store;
use crate::session::Session;

/// How many digits a whole hash has in git, by its kind, and how many of them are shown.
const SHA1: usize = 40;
const SHA256: usize = 64;
const HASH_DIGITS: usize = 10;
/// How many characters of a name an error shows that names neither a revision nor a run.
const NAME_CHARACTERS: usize = 100;

/// What a name of the command line stands for.
enum NamedSide {
    Revision(Revision),
    /// A stored run's id.
    Run(String),
}

/// What two names stand for.
#[derive(Debug)]
pub enum ComparedNames {
    /// Stored runs, by their ids.
    Runs {
        /// What it is compared with.
        base: String,
        /// What is judged.
        candidate: String,
    },
    /// Revisions of the project.
    Revisions(Box<Revisions>),
}

/// Two revisions, and where they are.
#[derive(Debug)]
pub struct Revisions {
    repository: Repository,
    base: Revision,
    candidate: Revision,
}

impl Revisions {
    pub(crate) fn new(repository: Repository, base: Revision, candidate: Revision) -> Self {
        Self { repository, base, candidate }
    }

    /// The project's root below the top of the repository; empty where it is the top.
    pub fn subfolder(&self) -> &Path {
        self.repository.subfolder()
    }
}

/// Finds out whether two names are revisions or stored runs.
///
/// # Errors
///
/// Where a name is neither a revision nor a run, where it is both, or where one name is a revision and the other a run.
pub fn compared(base: &str, candidate: &str, project: &Project) -> Result<ComparedNames, Error> {
    let mut repository = None;
    let of_base = resolve(base, project, &mut repository)?;
    let of_candidate = resolve(candidate, project, &mut repository)?;
    match (of_base, of_candidate, repository) {
        (NamedSide::Run(base), NamedSide::Run(candidate), _) => Ok(ComparedNames::Runs { base, candidate }),
        (NamedSide::Revision(base), NamedSide::Revision(candidate), Some(repository)) => {
            Ok(ComparedNames::Revisions(Box::new(Revisions { repository, base, candidate })))
        }
        (NamedSide::Revision(_), NamedSide::Revision(_), None) => Err(Error::usage("there is no git repository here")),
        (NamedSide::Run(_), NamedSide::Revision(_), _) => Err(mixed(base, candidate)),
        (NamedSide::Revision(_), NamedSide::Run(_), _) => Err(mixed(candidate, base)),
    }
}

/// Refuses what two revisions can't be compared by: a base, and paths that are the same files in both.
///
/// # Errors
///
/// Where another case is the base, or a path isn't the project's.
pub fn differs_by_revision(request: &Request, project: &Project) -> Result<(), Error> {
    if request.comparing.base.is_some() {
        return Err(Error::usage(
            "--base names a case to compare others with; `tare compare` compares each case with itself",
        ));
    }
    match request.selection.paths.iter().find(|path| !path.starts_with(&project.root)) {
        Some(path) => Err(Error::usage(format!(
            "{} isn't below the project's root {}, so it is the same in every revision; name paths in the project",
            path.display(),
            project.root.display()
        ))),
        None => Ok(()),
    }
}

impl Session<'_> {
    /// Checks out what a job compares. A revision that can't be prepared is told when the job is run; the other one goes on.
    ///
    /// # Errors
    ///
    /// Where neither can be had, or it is stopped.
    pub fn check_out(&self, job: &mut Job, revisions: Revisions, project: &Project) -> Result<(), Error> {
        job.sides = self.check_out_sides(&mut job.request, revisions, project)?;
        Ok(())
    }

    /// Checks out what is compared, and says in the request where it is.
    pub(crate) fn check_out_sides(
        &self,
        request: &mut Request,
        revisions: Revisions,
        project: &Project,
    ) -> Result<Sides, Error> {
        let Revisions { repository, base, candidate } = revisions;
        let label = |revision: &Revision| match revision.name.as_str() {
            "." => "working tree".to_owned(),
            name => with_short_hashes(name),
        };
        let mut revisions = vec![(label(&base), base), (label(&candidate), candidate)];
        if revisions[0].0 == revisions[1].0 {
            revisions[1].0.push_str(" again");
        }
        if let Some(commit) = same_commit(&revisions[0].1, &revisions[1].1) {
            let [base, candidate] = [&revisions[0], &revisions[1]];
            let why = match base.1.is_working_tree() || candidate.1.is_working_tree() {
                true => "no tracked file differs from it",
                false if base.1.name == candidate.1.name => "name another revision to compare two",
                false => "in a shallow clone fetch the commits between them first",
            };
            let (base, candidate) = (&base.0, &candidate.0);
            self.notice(format!(
                "{base} and {candidate} are the same commit {commit}, so its code is compared with itself; {why}"
            ));
        }
        request.benchmarks_differ = benchmarks::share(request, project, &mut revisions, &repository, self)?;
        sides::check_out(request, project, &revisions, &repository, self)
    }
}

fn mixed(run: &str, revision: &str) -> Error {
    Error::usage(format!(
        "`{run}` is a stored run and `{revision}` a git revision: name two of a kind, or measure and compare with `tare run --against {run}`"
    ))
}

/// A name is a revision or a stored run; one that is both has to be told apart, `git:NAME` or `run:NAME`.
fn resolve(name: &str, project: &Project, repository: &mut Option<Repository>) -> Result<NamedSide, Error> {
    let as_run = |name: &str| -> Result<String, Error> {
        let store = open_store(project, Access::ReadOnly)?;
        store.resolve(name).map_err(Error::usage)
    };
    let mut as_revision = |name: &str| -> Result<Revision, Error> {
        if repository.is_none() {
            *repository = Some(Repository::find(&project.root).map_err(|error| not_found(error, project))?);
        }
        match repository {
            Some(repository) => repository.resolve(name).map_err(Error::usage),
            None => Err(Error::usage("there is no git repository here")),
        }
    };
    if let Some(name) = name.strip_prefix("run:") {
        return as_run(name).map(NamedSide::Run);
    }
    if let Some(name) = name.strip_prefix("git:") {
        return as_revision(name).map(NamedSide::Revision);
    }
    if name == "." {
        return as_revision(name).map(NamedSide::Revision);
    }
    match (as_revision(name), as_run(name)) {
        (Ok(_), Ok(run)) => Err(Error::usage(format!(
            "`{name}` is a git revision and the stored run {run}: write git:{name} or run:{name}"
        ))),
        (Ok(revision), Err(_)) => Ok(NamedSide::Revision(revision)),
        (Err(_), Ok(run)) => Ok(NamedSide::Run(run)),
        (Err(no_revision), Err(no_run)) => Err(Error::usage(format!(
            "`{}` is neither a git revision nor a stored run\n  as a revision: {no_revision}\n  as a run: {no_run}",
            beginning(name)
        ))),
    }
}

/// Why there are no revisions. Whoever stands in a repository below the root has to know what made it the root.
pub(crate) fn not_found(error: RevisionError, project: &Project) -> Error {
    let mark = project.settings_file.as_ref().filter(|_| matches!(error, RevisionError::NotARepository { .. }));
    let why = mark.map(|file| format!("{} makes this folder the project's root", file.display()));
    let below = "if your repository is a folder below it, put a tare.toml there, too";
    Error::usage(why.map_or_else(|| error.to_string(), |why| format!("{error}\n    {why}; {below}")))
}

/// A revision's name with each whole object name in it cut to its first digits: 40 digits fill the head of a table.
fn with_short_hashes(name: &str) -> String {
    let is_digit = |letter: char| letter.is_ascii_hexdigit();
    let mut shown = String::new();
    let mut rest = name;
    while let Some(at) = rest.find(is_digit) {
        let (before, from) = rest.split_at(at);
        let (digits, after) = from.split_at(from.find(|letter| !is_digit(letter)).unwrap_or(from.len()));
        shown.push_str(before);
        shown.push_str(if [SHA1, SHA256].contains(&digits.len()) { &digits[..HASH_DIGITS] } else { digits });
        rest = after;
    }
    shown + rest
}

/// Enough of a name to know it again.
fn beginning(name: &str) -> String {
    let mut shown: String = name.chars().take(NAME_CHARACTERS).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

/// The commit that two names stand for, as git abbreviates it, where no tracked file differs from it.
fn same_commit<'a>(base: &'a Revision, candidate: &Revision) -> Option<&'a str> {
    let same = base.commit.is_some() && base.commit == candidate.commit && !base.dirty && !candidate.dirty;
    same.then_some(base.short.as_str())
}

#[cfg(test)]
mod tests {
    use super::with_short_hashes;

    #[test]
    fn whole_hashes_are_cut_and_other_names_are_not() {
        let hash = "875d3a48d60b95c6af39c0f28b8b0ecf8da9418b";
        for (name, shown) in [
            (hash.to_owned(), "875d3a48d6"),
            (format!("{hash}~1"), "875d3a48d6~1"),
            (format!("origin/é-{hash}^{{commit}}"), "origin/é-875d3a48d6^{commit}"),
            ("a".repeat(64), "aaaaaaaaaa"),
            ("HEAD~12".to_owned(), "HEAD~12"),
            ("feed".repeat(11), &"feed".repeat(11)),
            (String::new(), ""),
        ] {
            assert_eq!(with_short_hashes(&name), shown);
        }
    }
}
