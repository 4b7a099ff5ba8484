//! Stored runs with all that their reports show.

use tare_definition::Project;
use tare_results::{ComparisonsView, LogRow, RunState, RunView};
use tare_store::{Access, RunFilter, RunRow, Store, StoreError};

use crate::error::Error;
use crate::judging::live;
use crate::judging::runs::{log_row, of_run, refuse_load, sides};
use crate::judging::stored::{NamedRun, StoredRequest, compare_stored};
use crate::project::open_store;
use crate::stored_profiles;
use crate::summaries::spread_of;

/// The newest stored runs, each in a line: those with that tag, at most so many.
///
/// # Errors
///
/// Where the store can't be read.
pub fn stored_log(tag: Option<&str>, limit: usize, project: &Project) -> Result<Vec<LogRow>, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let filter = RunFilter { tag: tag.map(str::to_owned), state: None, limit: Some(limit) };
    let rows = stored_runs(&*store, &filter).map_err(Error::failed)?;
    // What can't be read of a run leaves its line without sides.
    let sides_of = |row: &RunRow| store.run(&row.origin.id).ok().as_ref().and_then(sides);
    let line = |row: RunRow| {
        let sides = if row.comparisons > 0 { sides_of(&row) } else { None };
        log_row(row, sides)
    };
    Ok(rows.into_iter().map(line).collect())
}

/// The comparisons of a stored run without the times of their sides, so that no variant is read.
///
/// # Errors
///
/// Where the store can't be read.
pub fn stored_comparisons(store: &dyn Store, run: &str) -> Result<ComparisonsView, StoreError> {
    Ok(live::of_stored(store.comparisons(run)?, &[]))
}

/// The runs of a store as they are shown. A run whose process is gone, and which the store still calls running, is shown as interrupted.
///
/// # Errors
///
/// Where the store can't be read.
pub fn stored_runs(store: &dyn Store, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
    let mut rows = store.runs(filter)?;
    for row in &mut rows {
        if row.state == RunState::Running && !store.is_measured(&row.origin.id)? {
            row.state = RunState::Interrupted;
        }
    }
    Ok(rows)
}

/// Whether samples of the runs aren't what was stored, so that what they said can't be shown.
///
/// # Errors
///
/// Where the store can't be read.
pub fn is_spoilt(views: &[&RunView], project: &Project) -> Result<bool, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    for view in views {
        if !store.damaged(&view.origin.id).map_err(Error::store)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One stored run, or two that are compared, the base first, with where their samples and launches lie, and with profiles of their cases. The newest where none is named.
///
/// # Errors
///
/// Where a name stands for no run, or the store can't be read.
pub fn stored_report(names: &[String], project: &Project) -> Result<RunView, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let resolved = |name: &String| {
        let id = store.resolve(name.strip_prefix("run:").unwrap_or(name)).map_err(Error::usage)?;
        Ok::<_, Error>(NamedRun { id, name: name.clone() })
    };
    let runs: Vec<NamedRun> = names.iter().map(resolved).collect::<Result<_, _>>()?;
    for run in &runs {
        refuse_load(store.as_ref(), &run.id)?;
    }
    if let [base, candidate] = runs.as_slice() {
        let two = StoredRequest { base: base.clone(), candidate: candidate.clone(), ..StoredRequest::default() };
        let (mut view, _) = compare_stored(&two, project)?;
        stored_profiles::add(&mut view, &project.store());
        return Ok(view);
    }
    let id = runs.first().map_or("latest", |run| &run.id);
    let mut view = of_run(store.as_ref(), store.run(id).map_err(Error::failed)?).map_err(Error::failed)?;
    add_distributions(&mut view, store.as_ref())?;
    stored_profiles::add(&mut view, &project.store());
    Ok(view)
}

/// A stored run with where its samples and launches lie.
///
/// # Errors
///
/// Where the store can't be read.
pub fn with_distributions(mut view: RunView, project: &Project) -> Result<RunView, Error> {
    add_distributions(&mut view, open_store(project, Access::ReadOnly)?.as_ref())?;
    Ok(view)
}

fn add_distributions(view: &mut RunView, store: &dyn Store) -> Result<(), Error> {
    for variant in view.variants.iter_mut().filter(|variant| variant.summary.is_some()) {
        let measurement = store.measurement(&view.origin.id, &variant.variant.id).map_err(Error::failed)?;
        variant.distribution = spread_of(&measurement);
    }
    Ok(())
}
