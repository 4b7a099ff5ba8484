//! From the command line as it is typed to what a session takes.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::anyhow;
use tare_definition::{Filter, Project};
use tare_request::Request;

use crate::arguments::{Asking, Revising, Selection};
use crate::exit::Refusal;
use crate::screen;

pub(crate) fn folder_here() -> Result<PathBuf, Refusal> {
    std::env::current_dir().map_err(|e| Refusal::usage(anyhow!("the current folder can't be read: {e}")))
}

/// What `--store` or the environment says.
pub(crate) static STORE: OnceLock<Option<String>> = OnceLock::new();

pub(crate) fn project_here() -> Result<Project, Refusal> {
    let found = Project::find(&folder_here()?).map_err(Refusal::usage)?;
    Ok(found.storing_in(STORE.get().and_then(|store| store.as_deref())))
}

/// Refuses what doesn't apply to a task.
pub(crate) fn check(refused: Option<String>) -> Result<(), Refusal> {
    refused.map_or(Ok(()), |refusal| Err(Refusal::usage(anyhow!(refusal))))
}

/// A request to measure, of what applies to that.
pub(crate) fn request(asking: &Asking, revising: &Revising, project: &Project) -> Result<Request, Refusal> {
    let selection = &asking.selection;
    // Before anything is built, checked out or submitted.
    Filter::new(&selection.filter, &selection.group)
        .and_then(|filter| filter.excluding(&selection.exclude))
        .map_err(Refusal::usage)?;
    let reports = asking.reports.by_format();
    let request = Request::of_run(&asking.asked(revising), &asking.keeping, &reports, folder_here()?, project)?;
    request.remarks.iter().for_each(|remark| screen::complain(remark));
    Ok(request)
}

/// A request to list.
pub(crate) fn selected(selection: &Selection, project: &Project) -> Result<Request, Refusal> {
    Ok(Request::of_selection(selection, folder_here()?, project)?)
}

/// CPUs as `--cpus` names them.
pub(crate) fn cpus(list: Option<&str>) -> Result<Option<Vec<usize>>, Refusal> {
    let cpus = list.map(tare_machine::parse_cpu_list).transpose();
    cpus.map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))
}
