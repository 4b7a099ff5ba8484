//! `tare run`, and the report of whatever was measured.

use std::time::Instant;

use anyhow::anyhow;
use tare_definition::{Project, Task};
use tare_report::{Layout, TableOptions};
use tare_report_files::Files;
use tare_session::{End, EventLog, Given, Job, NamedRun, Ran, Session, Sides, Wanted, described, no_cases};
use tare_store::Access;

use crate::arguments::{Asking, Revising, RunArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::output::{Reported, because, gated};
use crate::{asked, fleet, output, screen};

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let stop = stop_flag(ROUND)?;
    let project = project_here()?;
    let asking = &arguments.asking;
    asked::check(asking.refused(if arguments.resume.is_some() { Task::Resume } else { Task::Measure }))?;
    let screen = Screen::default();
    let listener = told_to(&screen, asking, &project)?;
    let session = Session::new(&listener, stop).going_away(asking.telling.no_wait);
    // A typing mistake is told before anything is measured; and `latest` means the run before this one.
    let against = match &arguments.against {
        Some(name) => {
            let store = tare_session::open_store(&project, Access::ReadOnly)?;
            Some(NamedRun { id: store.resolve(name).map_err(Refusal::usage)?, name: name.clone() })
        }
        None => None,
    };
    if asking.measuring.on.is_some() {
        if arguments.against.is_some() {
            return Err(Refusal::usage(anyhow!(
                "--on measures in parts, and --against compares one run; compare what comes of it with `tare compare RUN RUN`"
            )));
        }
        // What can't be asked here can't be there.
        let request = asked::request(asking, &Revising::default(), &project)?;
        if asking.measuring.replicate.is_some() {
            let job = tare_session::begin(request, &project, Sides::default());
            tare_session::check_replicas(job, &wanted(asking, None), &session)?;
        }
        return fleet::submit(asking, &project, false);
    }
    let job = match &arguments.resume {
        Some(name) => tare_session::resume(name, &project, &session)?,
        None => {
            tare_session::begin(asked::request(asking, &Revising::default(), &project)?, &project, Sides::default())
        }
    };
    let mut wanted = wanted(asking, against);
    let mut reports = asking.reports.clone();
    if job.resumed {
        // Gates and reports that the run was begun with, where none are named now.
        if wanted.fail_on.is_empty() {
            wanted.fail_on.clone_from(&job.request.comparing.fail_on);
        }
        reports.add_missing(&job.request.reports);
    }
    carry_out(job, &wanted, &Reported { reports: &reports, ..Reported::of(asking) }, &session, begun)
}

/// The screen, and the files that events are written to.
pub(crate) fn told_to<'a>(screen: &'a Screen, asking: &Asking, project: &Project) -> Result<EventLog<'a>, Refusal> {
    let store = (!asking.keeping.no_store).then(|| project.store());
    Ok(EventLog::open(screen, asking.telling.events.as_deref(), store)?)
}

/// What a session has to know of how the command line compares.
pub(crate) fn wanted(asking: &Asking, against: Option<NamedRun>) -> Wanted {
    Wanted {
        store: !asking.keeping.no_store,
        against,
        fail_on: asking.comparing.fail_on.clone(),
        given: Given { base: asking.comparing.base.is_some(), control: asking.comparing.control },
    }
}

/// Measures, stores and reports a job.
pub(crate) fn carry_out(
    job: Job,
    wanted: &Wanted,
    reported: &Reported<'_>,
    session: &Session<'_>,
    begun: Instant,
) -> Result<Status, Refusal> {
    let mut files = output::open(reported.reports)?;
    let origin = job.origin.clone();
    let ran = tare_session::run(job, wanted, session, begun)
        .map_err(Refusal::from)
        .inspect_err(|refusal| output::refused(&mut files, refusal, &origin))?;
    report(&ran, reported, &mut files)
}

fn report(ran: &Ran, reported: &Reported<'_>, files: &mut Files) -> Result<Status, Refusal> {
    let view = &ran.view;
    if let End::NothingFound { blame, filtered } = ran.end {
        return nothing_found(ran, blame.map(Refusal::status_of), filtered, reported, files);
    }
    output::show(view, reported.json, reported.detail, files)?;
    if let Some((github, folder)) = &reported.marked {
        github.command(&tare_report::annotations(view, folder));
    }
    Ok(match &ran.end {
        End::NothingCompared(blame) => {
            screen::complain("no case is on both sides, so Tare measured nothing");
            blame.map_or(Status::Done, Refusal::status_of)
        }
        End::Interrupted => {
            screen::complain(&match view.stored {
                true => format!("interrupted; `tare run --resume={}` goes on with it", view.origin.id),
                false => "interrupted; the run is not in the store, so it can't be resumed".to_owned(),
            });
            Status::Interrupted
        }
        End::NothingMeasured => {
            because("no benchmark was measured in the time of --total".to_owned());
            Status::Failed
        }
        End::NotCompared(error) => return Err(Refusal::from(error.clone())),
        End::Failed | End::NothingFound { .. } => {
            because(match view.failures() {
                0 => "all times are good, and something else that was asked for couldn't be had; the report says what"
                    .to_owned(),
                failed => format!("{failed} failed"),
            });
            Status::Failed
        }
        End::Judged(concluded) => gated(concluded, view.comparisons.judged().next().is_some()),
    })
}

/// Nothing was found: is that the user's error, or did everything fail?
fn nothing_found(
    ran: &Ran,
    status: Option<Status>,
    filtered: bool,
    reported: &Reported<'_>,
    files: &mut Files,
) -> Result<Status, Refusal> {
    let view = &ran.view;
    for failure in described(&view.file_failures) {
        screen::complain(&failure);
    }
    if !reported.json {
        let options = screen::table_options(reported.detail);
        screen::complain_with(&tare_report::notices(&view.notices, &TableOptions { colour: false, ..options }));
    }
    if filtered && !view.file_failures.is_empty() {
        screen::complain("no listed case matches --filter and --group; it may be in a file that failed");
    }
    if reported.json {
        screen::print(&tare_report::run_document(view, Layout::Pretty));
    }
    if status == Some(Status::Failed) {
        files.write(view)?;
    }
    status.ok_or_else(|| no_cases(filtered).into())
}
