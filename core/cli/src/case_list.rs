//! `tare list`: which cases there are.

use std::sync::atomic::Ordering;

use tare_definition::Project;
use tare_plan::FoundCase;
use tare_report::Layout;
use tare_worker::ProcessLauncher;

use crate::arguments::{Detail, ListArguments};
use crate::build::{Built, build};
use crate::enumerate::enumerate;
use crate::exit::{Refusal, Status};
use crate::failures::describe;
use crate::interrupt::stop_flag;
use crate::request::Request;
use crate::run::STARTUP;
use crate::screen;

pub(crate) fn list(arguments: &ListArguments) -> Result<Status, Refusal> {
    let folder = std::env::current_dir().map_err(Refusal::usage)?;
    let project = Project::find(&folder).map_err(Refusal::usage)?;
    let mut request = Request::of_selection(&arguments.selection, &project)?;
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    if build(&project, &request.sides.iter().collect::<Vec<_>>(), &interrupted)? == Built::Interrupted {
        return Ok(Status::Interrupted);
    }
    let sources = request.sources()?;
    request.resolve(&sources)?;
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], STARTUP);
    let found = enumerate(&request, &sources, &mut launcher, &interrupted);
    if interrupted() {
        return Ok(Status::Interrupted);
    }
    let mut cases = Vec::new();
    for FoundCase { case, .. } in found.enumerated.iter().flat_map(|enumerated| &enumerated.cases) {
        if !cases.iter().any(|known: &tare_samples::Case| known.id() == case.id()) {
            cases.push(case.clone());
        }
    }
    if arguments.selection.json {
        screen::print(&tare_report::list_document(&cases, &found.notices, &found.failures, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail { verbose: arguments.verbose, ..Detail::default() });
        if !cases.is_empty() {
            screen::print(&tare_report::case_list(&cases, &options));
        }
        let notices = tare_report::notices(&found.notices, &options);
        if !notices.trim().is_empty() {
            screen::print(&notices);
        }
        for failure in &found.failures {
            screen::complain(&describe(failure));
        }
    }
    if cases.is_empty() && found.failures.is_empty() {
        return Err(Refusal::usage(anyhow::anyhow!(
            "no benchmark found, or none that matches --filter (looked for in `Class::method#parameters`; case matters) and --group"
        )));
    }
    Ok(found.status())
}
