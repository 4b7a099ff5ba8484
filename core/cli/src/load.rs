//! `tare load`: concurrent work.

use std::path::Path;

use tare_definition::Project;
use tare_fleet::SlurmGenerators;
use tare_report::Layout;
use tare_report_files::Target;
use tare_request::{Request, Selection};
use tare_results::LoadView;
use tare_session::{Error, EventLog, HttpLoad, Keep, LoadEnd, LoadRan, Session, WorkersLoad, logged_load};

use crate::arguments::{
    Detail, HdrArguments, HttpArguments, JudgedArguments, LoadArguments, LoadKind, ResumeArguments, Scheduler,
    ToldArguments, WorkersArguments,
};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::listener::Screen;
use crate::output::gated;
use crate::{asked, screen};

pub(crate) fn load(arguments: &LoadArguments) -> Result<Status, Refusal> {
    match &arguments.kind {
        Some(LoadKind::Http(arguments)) => http(arguments),
        Some(LoadKind::Hdr(arguments)) => hdr(arguments),
        Some(LoadKind::Resume(arguments)) => resume(arguments),
        None => workers(&arguments.workers),
    }
}

fn http(arguments: &HttpArguments) -> Result<Status, Refusal> {
    let load = HttpLoad {
        urls: arguments.urls.clone(),
        start: arguments.start.clone(),
        cpus: asked::cpus(arguments.cpus.as_deref())?,
        pid: arguments.pid.clone(),
        timeout: Some(arguments.timeout),
        sending: arguments.sending.sending(),
        generators: arguments.generators,
        judged: arguments.judged.judged(),
    };
    let project = project_here()?;
    let folder_here = asked::folder_here()?;
    let page = page(arguments.judged.html.as_deref())?;
    let ran = in_session(&arguments.told, |session| {
        let keep = keep(&arguments.judged, &project);
        match arguments.on {
            Some(Scheduler::Slurm) => {
                session.load_http_from(&load, keep, &mut SlurmGenerators::new(&project, &folder_here)?)
            }
            None => session.load_http(&load, keep),
        }
    })?;
    written(page, &ran.view)?;
    Ok(report(&ran, arguments.judged.json, &Detail::default()))
}

fn page(asked: Option<&Path>) -> Result<Option<Target>, Refusal> {
    Ok(asked.map(|path| Target::open("html", path)).transpose()?)
}

fn written(page: Option<Target>, view: &LoadView) -> Result<(), Refusal> {
    Ok(page.map_or(Ok(()), |page| page.write(tare_report::load_page(view)))?)
}

fn resume(arguments: &ResumeArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let ran = in_session(&arguments.told, |session| {
        session.resume_load(arguments.load.as_deref(), &arguments.fail_on, &project)
    })?;
    Ok(report(&ran, arguments.json, &Detail::default()))
}

/// Does it in a session that tells the screen, and the file of events where there is one.
pub(crate) fn in_session(
    arguments: &ToldArguments,
    work: impl FnOnce(&Session<'_>) -> Result<LoadRan, Error>,
) -> Result<LoadRan, Refusal> {
    let screen = Screen::default();
    let listener = EventLog::open(&screen, arguments.events.as_deref(), None)?;
    Ok(work(&Session::new(&listener, stop_flag(STEP)?).going_away(arguments.no_wait))?)
}

/// Where it is kept.
fn keep<'a>(arguments: &'a JudgedArguments, project: &'a Project) -> Option<Keep<'a>> {
    (!arguments.no_store).then_some(Keep { project, tags: &arguments.tag })
}

fn workers(arguments: &WorkersArguments) -> Result<Status, Refusal> {
    let load = WorkersLoad {
        workers: arguments.workers,
        operations: arguments.operations,
        paced: arguments.paced.paced(),
        mix: arguments.mix.clone(),
        filter: arguments.filter.clone(),
        exclude: arguments.exclude.clone(),
        ramp: arguments.ramp,
        timeout: arguments.timeout,
        judged: arguments.judged.judged(),
    };
    let selection = Selection {
        paths: arguments.paths.clone(),
        runtime: arguments.runtime.clone(),
        timeout: Some(arguments.timeout),
        ..Selection::default()
    };
    let project = project_here()?;
    let request = Request::of_selection(&selection, asked::folder_here()?, &project)?;
    let page = page(arguments.judged.html.as_deref())?;
    let ran = in_session(&arguments.told, |session| {
        session.load_workers(&load, &request, &project, keep(&arguments.judged, &project))
    })?;
    written(page, &ran.view)?;
    let detail = Detail { verbose: arguments.verbose, chart: arguments.chart, ..Detail::default() };
    Ok(report(&ran, arguments.judged.json, &detail))
}

fn hdr(arguments: &HdrArguments) -> Result<Status, Refusal> {
    show(&logged_load(&arguments.file)?, arguments.json, &Detail::default());
    Ok(Status::Done)
}

pub(crate) fn show(view: &LoadView, json: bool, detail: &Detail) {
    if json {
        screen::print(&tare_report::load_document(view, Layout::Pretty));
    } else {
        screen::print(&tare_report::load_report(view, &screen::table_options(detail)));
    }
}

/// Shows a load, and gives the status that it ends with.
pub(crate) fn report(ran: &LoadRan, json: bool, detail: &Detail) -> Status {
    show(&ran.view, json, detail);
    match &ran.end {
        LoadEnd::Judged(concluded) => gated(concluded, !ran.view.comparisons.is_empty()),
        LoadEnd::Failed => Status::Failed,
        LoadEnd::Interrupted => {
            if ran.can_resume {
                screen::complain(&format!("interrupted; `tare load resume {}` goes on with it", ran.view.run));
            }
            Status::Interrupted
        }
    }
}
