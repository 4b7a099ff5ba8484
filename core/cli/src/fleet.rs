//! `--on slurm`, `tare fleet`, `tare agent`: what is measured on the nodes of a cluster.

use anyhow::anyhow;
use tare_definition::Project;
use tare_fleet::{Submission, Watched};
use tare_session::Merged;

use crate::arguments::{AgentArguments, Asking, Detail, FleetArguments, FleetCommand};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::merge::shown;
use crate::output::Reported;
use crate::{asked, output, screen};

/// Submits what is asked, and watches until it is measured.
pub(crate) fn submit(asking: &Asking, project: &Project, compares: bool) -> Result<Status, Refusal> {
    let Asking { measuring, keeping, telling, comparing, .. } = asking;
    if keeping.no_store {
        return Err(Refusal::usage(anyhow!(
            "--on slurm: what nodes measure comes here by the store; leave --no-store out"
        )));
    }
    if telling.events.is_some() {
        return Err(Refusal::usage(anyhow!(
            "--events reports what this machine measures, and --on measures on other machines; leave one out"
        )));
    }
    if let Some(name) = &comparing.session {
        return Err(Refusal::usage(anyhow!(
            "--session {name}: --on measures parts of a comparison on several machines; measure all of it here, or leave --session out"
        )));
    }
    let submission = Submission {
        arguments: std::env::args().skip(1).collect(),
        folder: asked::folder_here()?,
        tags: keeping.tag.clone(),
        fail_on: comparing.fail_on.iter().map(ToString::to_string).collect(),
        compares,
        replicate: measuring.replicate,
    };
    let job = tare_fleet::submit(&submission, project)?;
    screen::complain(&format!("submitted as {}; if this ends, `tare fleet attach {}` goes on", job.id, job.id));
    if let Some(total) = measuring.total {
        screen::complain(&tare_fleet::total_of_parts(&job, total));
    }
    let stop = stop_flag(STEP)?;
    ended(tare_fleet::watch(job, project, &stop, &mut |message| screen::complain(message))?, &Reported::of(asking))
}

fn ended(watched: Watched, reported: &Reported<'_>) -> Result<Status, Refusal> {
    let mut files = output::open(reported.reports)?;
    match watched {
        Watched::Done(merged) => {
            let Merged { notices, .. } = merged.as_ref();
            notices.iter().for_each(|notice| screen::complain(notice));
            shown(&merged, reported.json, reported.detail, &mut files)
        }
        Watched::Stopped => {
            screen::complain(
                "interrupted; Tare cancelled the jobs and kept the results so far; `tare fleet attach` continues",
            );
            Ok(Status::Interrupted)
        }
    }
}

pub(crate) fn fleet(arguments: &FleetArguments) -> Result<Status, Refusal> {
    let FleetCommand::Attach { run } = &arguments.command;
    let project = project_here()?;
    let job = tare_fleet::Job::find(run.as_deref(), &project)?;
    if let Some(run) = &job.merged {
        return Err(Refusal::usage(anyhow!("{} is measured; `tare show {run}` shows it", job.id)));
    }
    let stop = stop_flag(STEP)?;
    let (detail, reports) = (Detail::default(), Default::default());
    let reported = Reported { json: false, detail: &detail, reports: &reports, marked: None };
    ended(tare_fleet::attach(job, &project, &stop, &mut |message| screen::complain(message))?, &reported)
}

pub(crate) fn agent(arguments: &AgentArguments) -> Result<Status, Refusal> {
    match arguments.generator {
        Some(number) => tare_session::generate(&arguments.job, number)?,
        None => tare_fleet::agent(&arguments.job)?,
    }
    Ok(Status::Done)
}
