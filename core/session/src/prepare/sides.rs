//! The revisions of a live comparison: checked out, prepared, held while they are measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_definition::Project;
use tare_revisions::{Checkout, Prepare, Repository, Revision, RevisionError, Step, Worktrees};
use tare_samples::{Failure, FailureKind};

use crate::error::Error;
use crate::event::{Event, PreparationStep};
use crate::failures::describe;
use crate::session::Session;
use tare_request::{Preparation, Request, Side};

/// Checked out revisions that stay for the next comparison.
const KEPT: usize = 6;
/// The limit for preparing a revision, unless `tare.toml` states one.
pub(crate) const PREPARE_LIMIT: Duration = Duration::from_secs(600);
/// What is shown of a failing preparation.
const OUTPUT_CHARACTERS: usize = 8_000;

/// Checked out revisions. They stay as long as this lives.
#[derive(Debug, Default)]
pub struct Sides {
    held: Vec<Checkout>,
    worktrees: Option<Worktrees>,
    /// Revisions that can't be had.
    pub failures: Vec<Failure>,
    /// Revisions that don't have the project's folder, and so no benchmarks.
    without_folder: Vec<Failure>,
}

impl Sides {
    /// What can't be had, in words; empty where all can.
    pub(crate) fn told(&self) -> String {
        let told: Vec<String> = self.failures.iter().chain(&self.without_folder).map(describe).collect();
        told.join("\n")
    }
}

impl Drop for Sides {
    fn drop(&mut self) {
        self.held.clear();
        if let Some(worktrees) = &self.worktrees {
            // The next comparison cleans what this one couldn't.
            let _ = worktrees.clean(KEPT);
        }
    }
}

/// Checks out what the request compares, and says in it where the files are. A revision that can't be prepared is told in
/// [`Sides::failures`]; the other one goes on.
pub(crate) fn check_out(
    request: &mut Request,
    project: &Project,
    revisions: &[(String, Revision)],
    repository: &Repository,
    session: &Session<'_>,
) -> Result<Sides, Error> {
    let interrupted = || session.is_stopped();
    let prepare = prepare_command(request);
    let worktrees = open(project, repository)?;
    if let Some(why) = worktrees.reason() {
        session.notice(format!(
            "revisions are checked out in {}, where tools find the working tree's configuration in folders above: {why}",
            project.store().join("worktrees").display()
        ));
    }
    let mut sides = Sides::default();
    request.sides.clear();
    for (label, revision) in revisions {
        let mut observe = |step: Step<'_>| announce(session, label, &step);
        let root = match worktrees.checkout(revision, prepare.as_ref(), &mut observe, &interrupted) {
            Ok(checkout) => {
                let root = checkout.root.clone();
                sides.held.push(checkout);
                root
            }
            Err(RevisionError::Interrupted) => return Err(Error::interrupted()),
            Err(error @ RevisionError::FolderMissing { .. }) => {
                sides.without_folder.push(failure(&error));
                missing(project)
            }
            Err(error) => {
                sides.failures.push(failure(&error));
                missing(project)
            }
        };
        let side = side(label, revision, root, (request, project));
        request.sides.push(side);
    }
    sides.worktrees = Some(worktrees);
    if sides.failures.len() + sides.without_folder.len() == revisions.len() {
        return Err(Error::failed(sides.told()));
    }
    for without in &sides.without_folder {
        session.notice(format!("{}; Tare treats this revision as one without benchmarks", without.message));
    }
    Ok(sides)
}

/// The project's checkouts.
pub(crate) fn open(project: &Project, repository: &Repository) -> Result<Worktrees, Error> {
    let cache = tare_worker::cache_folder().map_err(|error| error.to_string());
    Worktrees::open(cache.as_deref().map_err(Clone::clone), &project.store(), repository).map_err(Error::failed)
}

/// A folder that never exists: the root of a side whose revision could not be checked out.
pub(crate) fn missing(project: &Project) -> PathBuf {
    project.store().join("worktrees").join("missing")
}

/// A revision whose files are at `root`.
pub(crate) fn side(label: &str, revision: &Revision, root: PathBuf, (request, project): (&Request, &Project)) -> Side {
    let below = request.folder.strip_prefix(&project.root).unwrap_or(Path::new(""));
    let folder = Some(root.join(below)).filter(|folder| folder.is_dir()).unwrap_or_else(|| root.clone());
    let (commit, working_tree) = (revision.commit.clone(), revision.is_working_tree());
    Side { name: label.to_owned(), commit, root, working_tree, folder }
}

/// The revisions that a stored request compares: by commit, since names may have moved on.
pub(crate) fn revisions_of(request: &Request, repository: &Repository) -> Result<Vec<(String, Revision)>, Error> {
    request
        .sides
        .iter()
        .map(|side| {
            let name = side.commit.as_deref().filter(|_| !side.in_place()).unwrap_or(".");
            let revision = repository.resolve(name).map_err(Error::usage)?;
            Ok((side.name.clone(), revision))
        })
        .collect()
}

/// How to prepare: the command line before tare.toml.
pub fn preparation(given: Option<&String>, project: &Project) -> Option<Preparation> {
    let file = &project.settings;
    let command = given.or(file.revising.prepare.as_ref())?.clone();
    let limit = file.project.prepare_timeout.unwrap_or(PREPARE_LIMIT);
    Some(Preparation { command, limit_ms: limit.as_millis() as u64 })
}

/// What makes a checkout ready.
pub(crate) fn prepare_command(request: &Request) -> Option<Prepare> {
    request.prepare.as_ref().map(|preparation| Prepare {
        command: preparation.command.clone(),
        timeout: Duration::from_millis(preparation.limit_ms),
    })
}

pub(crate) fn announce(session: &Session<'_>, label: &str, step: &Step<'_>) {
    let step = match step {
        Step::Waiting => PreparationStep::Waiting,
        Step::CheckingOut => PreparationStep::CheckingOut,
        Step::UpdatingSubmodules => PreparationStep::FetchingSubmodules,
        Step::Preparing => PreparationStep::Preparing,
        // Shown when it fails; a composer's chatter is nobody's result.
        Step::Output(_) => return,
    };
    session.emit(&Event::Preparing { side: label.to_owned(), step });
}

fn failure(error: &RevisionError) -> Failure {
    let output = match error {
        RevisionError::PrepareFailed { output, .. } | RevisionError::PrepareTimedOut { output, .. } => output.as_str(),
        _ => "",
    };
    let skipped = output.chars().count().saturating_sub(OUTPUT_CHARACTERS);
    Failure {
        // Both streams, in the order of their lines: it is read for its errors.
        stderr: output.chars().skip(skipped).collect(),
        ..Failure::new(FailureKind::Load, error.to_string(), String::new())
    }
}
