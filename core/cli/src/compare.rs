//! `tare compare`: two revisions live, or two stored runs.

use std::sync::Arc;
use std::time::Instant;

use anyhow::anyhow;
use tare_definition::Project;
use tare_revisions::{Repository, Revision};
use tare_session::{Job, Session, Sides, StoredRequest};
use tare_store::{Access, SqliteStore, Store};

use crate::arguments::CompareArguments;
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::listener::Screen;
use crate::run::{Reported, carry_out, gated, project_here, wanted};
use crate::{asked, output, screen};

/// What is shown of a name that stands for nothing.
const NAME_CHARACTERS: usize = 100;

/// What a name of the command line stands for.
enum Named {
    Revision(Revision),
    /// A stored run's id.
    Run(String),
}

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let project = project_here()?;
    let mut repository = None;
    let base = resolve(&arguments.base_side, &project, &mut repository)?;
    let candidate = resolve(&arguments.candidate_side, &project, &mut repository)?;
    match (base, candidate) {
        (Named::Run(base), Named::Run(candidate)) => stored(arguments, &project, &base, &candidate),
        (Named::Revision(base), Named::Revision(candidate)) => {
            let Some(repository) = repository else {
                return Err(Refusal::usage(anyhow!("there is no git repository here")));
            };
            live(arguments, &project, &repository, base, candidate, begun)
        }
        (Named::Run(_), Named::Revision(_)) => Err(mixed(&arguments.base_side, &arguments.candidate_side)),
        (Named::Revision(_), Named::Run(_)) => Err(mixed(&arguments.candidate_side, &arguments.base_side)),
    }
}

fn mixed(run: &str, revision: &str) -> Refusal {
    Refusal::usage(anyhow!(
        "`{run}` is a stored run and `{revision}` a git revision: name two of a kind, or measure and compare with `tare run --against {run}`"
    ))
}

/// A name is a revision or a stored run; one that is both has to be told apart, `git:NAME` or `run:NAME`.
fn resolve(name: &str, project: &Project, repository: &mut Option<Repository>) -> Result<Named, Refusal> {
    let as_run = |name: &str| -> Result<String, anyhow::Error> {
        let store = SqliteStore::open(project.store().join("tare.db"), Access::ReadOnly)?;
        Ok(store.resolve(name)?)
    };
    let mut as_revision = |name: &str| -> Result<Revision, anyhow::Error> {
        if repository.is_none() {
            *repository = Some(Repository::find(&project.root)?);
        }
        match repository {
            Some(repository) => Ok(repository.resolve(name)?),
            None => Err(anyhow!("there is no git repository here")),
        }
    };
    if let Some(name) = name.strip_prefix("run:") {
        return as_run(name).map(Named::Run).map_err(Refusal::usage);
    }
    if let Some(name) = name.strip_prefix("git:") {
        return as_revision(name).map(Named::Revision).map_err(Refusal::usage);
    }
    if name == "." {
        return as_revision(name).map(Named::Revision).map_err(Refusal::usage);
    }
    match (as_revision(name), as_run(name)) {
        (Ok(_), Ok(run)) => Err(Refusal::usage(anyhow!(
            "`{name}` is a git revision and the stored run {run}: write git:{name} or run:{name}"
        ))),
        (Ok(revision), Err(_)) => Ok(Named::Revision(revision)),
        (Err(_), Ok(run)) => Ok(Named::Run(run)),
        (Err(no_revision), Err(no_run)) => Err(Refusal::usage(anyhow!(
            "`{}` is neither a git revision nor a stored run\n  as a revision: {no_revision}\n  as a run: {no_run}",
            beginning(name)
        ))),
    }
}

/// Enough of a name to know it again.
fn beginning(name: &str) -> String {
    let mut shown: String = name.chars().take(NAME_CHARACTERS).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

fn live(
    arguments: &CompareArguments,
    project: &Project,
    repository: &Repository,
    base: Revision,
    candidate: Revision,
    begun: Instant,
) -> Result<Status, Refusal> {
    let stop = stop_flag()?;
    let listener = Screen::default();
    let session = Session::new(&listener, Arc::clone(&stop));
    let mut request = asked::request(&arguments.selection, &arguments.measuring, &arguments.comparing, project)?;
    // What is marked as a base, or named in tare.toml, is one for `tare run`: here a case is compared with itself.
    request.base.clone_from(&arguments.comparing.base);
    if request.base.is_some() {
        return Err(Refusal::usage(anyhow!(
            "--base names a case to compare others with; `tare compare` compares each case with itself"
        )));
    }
    if let Some(path) = request.paths.iter().find(|path| !path.starts_with(&project.root)) {
        return Err(Refusal::usage(anyhow!(
            "{} isn't below the project's root {}, so it is the same in every revision; name paths in the project",
            path.display(),
            project.root.display()
        )));
    }
    request.prepare = tare_session::preparation(arguments.prepare.as_ref(), project);
    // A slip of the pen is told before minutes are spent on preparing.
    let mut files = output::Files::open(&arguments.comparing)?;
    let label = |revision: &Revision| match revision.name.as_str() {
        "." => "working tree".to_owned(),
        name => name.to_owned(),
    };
    let mut revisions = vec![(label(&base), base), (label(&candidate), candidate)];
    if revisions[0].0 == revisions[1].0 {
        revisions[1].0.push_str(" again");
    } else if let Some(commit) = same_commit(&revisions[0].1, &revisions[1].1) {
        let [base, candidate] = [&revisions[0], &revisions[1]];
        let why = match base.1.is_working_tree() || candidate.1.is_working_tree() {
            true => "no tracked file differs from it",
            false => "in a shallow clone fetch the commits between them first",
        };
        let (base, candidate) = (&base.0, &candidate.0);
        screen::complain(&format!(
            "{base} and {candidate} are the same commit {commit}, so its code is compared with itself; {why}"
        ));
    }
    let checked_out = tare_session::check_out(&mut request, project, &revisions, repository, &session);
    let job = tare_session::begin(request, project, Sides::default());
    let sides = checked_out.map_err(Refusal::from).inspect_err(|refusal| files.refused(refusal, &job.origin))?;
    drop(files);
    let job = Job { sides, ..job };
    let wanted = wanted(&arguments.comparing, !arguments.measuring.no_store, None);
    let reported =
        Reported { json: arguments.selection.json, detail: &arguments.detail, comparing: &arguments.comparing };
    carry_out(job, &wanted, &reported, &stop, begun)
}

/// Two stored runs, by their ids.
fn stored(arguments: &CompareArguments, project: &Project, base: &str, candidate: &str) -> Result<Status, Refusal> {
    refuse_what_only_measuring_heeds(arguments)?;
    let mut files = output::Files::open(&arguments.comparing)?;
    let request = StoredRequest {
        base: (base.to_owned(), arguments.base_side.clone()),
        candidate: (candidate.to_owned(), arguments.candidate_side.clone()),
        filter: arguments.selection.filter.clone(),
        group: arguments.selection.group.clone(),
        about: arguments.comparing.about,
        margin: arguments.comparing.margin,
        fail_on: arguments.comparing.fail_on.clone(),
    };
    let (view, concluded) = tare_session::compare_stored(&request, project)?;
    output::show(&view, arguments.selection.json, &arguments.detail, &mut files)?;
    Ok(gated(&concluded))
}

/// The commit that two names stand for, as git abbreviates it, where no tracked file differs from it.
fn same_commit<'a>(base: &'a Revision, candidate: &Revision) -> Option<&'a str> {
    let same = base.commit.is_some() && base.commit == candidate.commit && !base.dirty && !candidate.dirty;
    same.then_some(base.short.as_str())
}

/// Stored runs are taken as they are: what says how to measure is a mistake.
fn refuse_what_only_measuring_heeds(arguments: &CompareArguments) -> Result<(), Refusal> {
    let (selection, measuring, comparing) = (&arguments.selection, &arguments.measuring, &arguments.comparing);
    let given = [
        ("PATH", !selection.paths.is_empty()),
        ("--runtime", !selection.runtime.is_empty()),
        ("--launches", measuring.launches.is_some()),
        ("--samples", measuring.samples.is_some()),
        ("--iterations", !measuring.iterations.is_empty()),
        ("--interleave", measuring.interleave),
        ("--budget", measuring.budget.is_some()),
        ("--precision", measuring.precision.is_some()),
        ("--tag", !measuring.tag.is_empty()),
        ("--base", comparing.base.is_some()),
        ("--control", comparing.control),
        ("--prepare", arguments.prepare.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Refusal::usage(anyhow!(
            "{option} says how to measure, and stored runs are measured already; leave it out, or compare revisions"
        ))),
        None => Ok(()),
    }
}
