//! `tare run`, and the report of whatever was measured.

use std::time::Instant;

use anyhow::anyhow;
use tare_definition::{Project, parse_fail_on};
use tare_report::{Layout, TableOptions};
use tare_report_files::Files;
use tare_request::Request;
use tare_results::{RunView, VariantView};
use tare_samples::Outcome;
use tare_session::{End, EventLog, Given, Job, Ran, Session, Sides, Wanted, describe, no_cases};
use tare_store::Access;

use crate::arguments::{ComparingArguments, MeasuringArguments, RunArguments};
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
    let screen = Screen::default();
    let listener = told_to(&screen, &arguments.measuring, &project)?;
    let session = Session::new(&listener, stop).going_away(arguments.measuring.told.no_wait);
    // A typing mistake is told before anything is measured; and `latest` means the run before this one.
    let against = match &arguments.against {
        Some(name) => {
            let store = tare_session::open_store(&project, Access::ReadOnly)?;
            Some((name.clone(), store.resolve(name).map_err(Refusal::usage)?))
        }
        None => None,
    };
    if arguments.measuring.fleet.on.is_some() {
        if arguments.against.is_some() {
            return Err(Refusal::usage(anyhow!(
                "--on measures in parts, and --against compares one run; compare what comes of it with `tare compare RUN RUN`"
            )));
        }
        // What can't be asked here can't be there.
        let request = asked::request(&arguments.selection, &arguments.measuring, &arguments.comparing, &project)?;
        if arguments.measuring.fleet.replicate.is_some() {
            let wanted = wanted(&arguments.comparing, &arguments.measuring, None);
            let job = tare_session::begin(request, &project, Sides::default());
            tare_session::check_replicas(job, &wanted, &session)?;
        }
        let reported = Reported {
            json: arguments.selection.json,
            detail: &arguments.detail,
            reports: &arguments.comparing.reports,
        };
        return fleet::submit((&arguments.measuring, &arguments.comparing), &reported, &project, false);
    }
    let job = match &arguments.resume {
        Some(name) => tare_session::resume(name, &project, &session)?,
        None => {
            let request = asked::request(&arguments.selection, &arguments.measuring, &arguments.comparing, &project)?;
            tare_session::begin(request, &project, Sides::default())
        }
    };
    let comparing =
        if job.resumed { asked_before(&job.request, &arguments.comparing)? } else { arguments.comparing.clone() };
    let wanted = wanted(&comparing, &arguments.measuring, against);
    let reported = Reported { json: arguments.selection.json, detail: &arguments.detail, reports: &comparing.reports };
    carry_out(job, &wanted, &reported, &session, begun)
}

/// The screen, and the files that events are written to.
pub(crate) fn told_to<'a>(
    screen: &'a Screen,
    measuring: &MeasuringArguments,
    project: &Project,
) -> Result<EventLog<'a>, Refusal> {
    let store = (!measuring.no_store).then(|| project.store());
    Ok(EventLog::open(screen, measuring.told.events.as_deref(), store)?)
}

/// What a session has to know of how the command line compares.
pub(crate) fn wanted(
    comparing: &ComparingArguments,
    measuring: &MeasuringArguments,
    against: Option<(String, String)>,
) -> Wanted {
    Wanted {
        store: !measuring.no_store,
        against,
        fail_on: comparing.fail_on.clone(),
        given: Given { base: comparing.base.is_some(), control: comparing.control },
    }
}

/// Gates and summaries that the run was begun with, where none are given now.
fn asked_before(request: &Request, now: &ComparingArguments) -> Result<ComparingArguments, Refusal> {
    let mut comparing = now.clone();
    if comparing.fail_on.is_empty() {
        comparing.fail_on =
            request.fail_on.iter().map(|gate| parse_fail_on(gate)).collect::<Result<_, _>>().map_err(Refusal::usage)?;
    }
    comparing.reports.add_missing(&request.all_reports());
    Ok(comparing)
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
    Ok(match &ran.end {
        End::NothingCompared(blame) => {
            screen::complain("nothing was compared, and so nothing was measured: a comparison needs both of its sides");
            blame.map_or(Status::Done, Refusal::status_of)
        }
        End::Interrupted => {
            screen::complain(&match view.stored {
                true => format!("interrupted; `tare run --resume={}` goes on with it", view.origin.id),
                false => "interrupted; the run is not in the store, so it can't be resumed".to_owned(),
            });
            Status::Interrupted
        }
        End::NotCompared(error) => return Err(Refusal::from(error.clone())),
        End::Failed | End::NothingFound { .. } => {
            because(format!("{} failed", failures(view)));
            Status::Failed
        }
        End::Judged(concluded) => gated(concluded, view.comparisons.judged().next().is_some()),
    })
}

/// Cases and files that failed.
fn failures(view: &RunView) -> usize {
    let failed = |variant: &&VariantView| matches!(variant.outcome, Outcome::Failed(_));
    view.variants.iter().filter(failed).count() + view.file_failures.len()
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
    for failure in &view.file_failures {
        screen::complain(&describe(failure));
    }
    if !reported.json {
        let options = screen::table_options(reported.detail);
        screen::complain_with(&tare_report::notices(&view.notices, &TableOptions { colour: false, ..options }));
    }
    if filtered && !view.file_failures.is_empty() {
        screen::complain(
            "nothing that could be listed matches --filter and --group; what was asked for may be in what failed",
        );
    }
    if reported.json {
        screen::print(&tare_report::run_document(view, Layout::Pretty));
    }
    if status == Some(Status::Failed) {
        files.write(view)?;
    }
    status.ok_or_else(|| no_cases(filtered).into())
}
