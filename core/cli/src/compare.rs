//! `tare compare`: two revisions live, or two stored runs.

use std::time::Instant;

use anyhow::anyhow;
use tare_definition::Project;
use tare_session::{Compared, Revisions, Session, Sides, StoredRequest, begin, compared, preparation};

use crate::arguments::CompareArguments;
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::listener::Screen;
use crate::run::{Reported, carry_out, gated, project_here, told_to, wanted};
use crate::{asked, output};

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let project = project_here()?;
    match compared(&arguments.base_side, &arguments.candidate_side, &project)? {
        Compared::Runs { base, candidate } => stored(arguments, &project, &base, &candidate),
        Compared::Revisions(revisions) => live(arguments, &project, *revisions, begun),
    }
}

fn live(
    arguments: &CompareArguments,
    project: &Project,
    revisions: Revisions,
    begun: Instant,
) -> Result<Status, Refusal> {
    let stop = stop_flag()?;
    let screen = Screen::default();
    let listener = told_to(&screen, &arguments.measuring, project)?;
    let session = Session::new(&listener, stop);
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
    request.prepare = preparation(arguments.prepare.as_ref(), project);
    // A typing mistake is told before minutes are spent on preparing.
    let mut files = output::Files::open(&arguments.comparing.reports)?;
    let mut job = begin(request, project, Sides::default());
    session
        .check_out(&mut job, revisions, project)
        .map_err(Refusal::from)
        .inspect_err(|refusal| files.refused(refusal, &job.origin))?;
    drop(files);
    let wanted = wanted(&arguments.comparing, &arguments.measuring, None);
    let reported =
        Reported { json: arguments.selection.json, detail: &arguments.detail, reports: &arguments.comparing.reports };
    carry_out(job, &wanted, &reported, &session, begun)
}

/// Two stored runs, by their ids.
fn stored(arguments: &CompareArguments, project: &Project, base: &str, candidate: &str) -> Result<Status, Refusal> {
    refuse_what_only_measuring_heeds(arguments)?;
    let mut files = output::Files::open(&arguments.comparing.reports)?;
    let request = StoredRequest {
        base: (base.to_owned(), arguments.base_side.clone()),
        candidate: (candidate.to_owned(), arguments.candidate_side.clone()),
        filter: arguments.selection.filter.clone(),
        exclude: arguments.selection.exclude.clone(),
        group: arguments.selection.group.clone(),
        about: arguments.comparing.about,
        margin: arguments.comparing.margin,
        fail_on: arguments.comparing.fail_on.clone(),
        assertions: arguments.comparing.assert.clone(),
    };
    let (view, concluded) = tare_session::compare_stored(&request, project)?;
    output::show(&view, arguments.selection.json, &arguments.detail, &mut files)?;
    Ok(gated(&concluded))
}

/// Stored runs are taken as they are: what says how to measure is a mistake.
fn refuse_what_only_measuring_heeds(arguments: &CompareArguments) -> Result<(), Refusal> {
    let (selection, measuring, comparing) = (&arguments.selection, &arguments.measuring, &arguments.comparing);
    let given = [
        ("PATH", !selection.paths.is_empty()),
        ("--runtime", !selection.runtime.is_empty()),
        ("--launches", measuring.launches.is_some()),
        ("--samples", measuring.samples.is_some()),
        ("--calls", !measuring.calls.is_empty() || !measuring.iterations.is_empty()),
        ("--interleave", measuring.interleave),
        ("--budget", measuring.budget.is_some()),
        ("--precision", measuring.precision.is_some()),
        ("--tag", !measuring.tag.is_empty()),
        ("--base", comparing.base.is_some()),
        ("--control", comparing.control),
        ("--events", measuring.events.is_some()),
        ("--prepare", arguments.prepare.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Refusal::usage(anyhow!(
            "{option} says how to measure, and stored runs are measured already; leave it out, or compare revisions"
        ))),
        None => Ok(()),
    }
}
