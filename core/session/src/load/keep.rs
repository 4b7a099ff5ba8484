//! Loads in the store: a run each, with what its report shows and what was measured.

use serde::Serialize;
use tare_definition::Project;
use tare_load::kept::KeptLoad;
use tare_results::{LoadTarget, LoadView};
use tare_store::{RunState, Store, StoreError, StoredLoad};

use crate::error::Error;
use crate::event::Event;
use crate::job::origin;
use crate::project::{spool_folder, store_place};
use crate::session::Session;

/// Where loads are kept, and what a load is called there.
#[derive(Debug, Clone, Copy)]
pub struct Keep<'a> {
    /// Whose store it is.
    pub project: &'a Project,
    /// Names of the load.
    pub tags: &'a [String],
}

/// A load that is kept; nothing where none is to be. Where it is dropped before its end, the load can be resumed, as one that was interrupted.
pub(crate) struct Keeper {
    held: Option<(Box<dyn Store>, String)>,
}

impl Keeper {
    /// Opens the store before anything is measured, and says in it that the load is under way. `asked`: what was asked for.
    pub(crate) fn begin(keep: Option<Keep<'_>>, asked: &impl Serialize, view: &mut LoadView) -> Result<Self, Error> {
        let Some(keep) = keep else { return Ok(Self { held: None }) };
        let place = store_place(keep.project)?;
        let mut store = place.open_to_measure(&spool_folder(keep.project)).map_err(refused_by_store)?;
        let origin = origin(keep.tags, view.seed.unwrap_or(0), keep.project);
        let asked = serde_json::to_string(asked).map_err(Error::failed)?;
        store.begin_run(&origin, &asked).map_err(refused_by_store)?;
        store.put_load(&origin.id, &StoredLoad::default()).map_err(refused_by_store)?;
        view.run.clone_from(&origin.id);
        view.tags = origin.tags;
        Ok(Self { held: Some((store, origin.id)) })
    }

    /// Of a load that is resumed.
    pub(crate) fn of(store: Box<dyn Store>, run: String) -> Self {
        Self { held: Some((store, run)) }
    }

    /// Keeps what there is. Whether that could be done: if not it is told, and the report can still be had.
    pub(crate) fn end(mut self, view: &LoadView, kept: &KeptLoad, session: &Session<'_>) -> bool {
        let Some((mut store, run)) = self.held.take() else { return true };
        let state = if view.interrupted { RunState::Interrupted } else { RunState::Complete };
        let failed = |target: &&LoadTarget| target.has_failed() || target.has_stopped();
        let mut stored = || -> Result<(), String> {
            let load = StoredLoad {
                targets: view.targets.len() as u64,
                failed: view.targets.iter().filter(failed).count() as u64,
                document: serde_json::to_string(view).map_err(|error| error.to_string())?,
                kept: kept.pack().map_err(|error| error.to_string())?,
            };
            let put = store.put_load(&run, &load).and_then(|()| store.finish_run(&run, state));
            put.map_err(|error: StoreError| error.to_string())
        };
        match stored() {
            Ok(()) => true,
            Err(message) => {
                session.emit(&Event::StoreFailed { message });
                false
            }
        }
    }

    /// Nothing was measured: what was asked for couldn't be done.
    pub(crate) fn give_up(mut self) {
        if let Some((mut store, run)) = self.held.take() {
            // A run that never was; one that can't be taken out stays as an interrupted one.
            let _ = store.finish_run(&run, RunState::Interrupted);
            let _ = store.delete_run(&run);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some((mut store, run)) = self.held.take() {
            let _ = store.finish_run(&run, RunState::Interrupted);
        }
    }
}

/// A store that can't be used keeps a load from beginning.
fn refused_by_store(error: StoreError) -> Error {
    Error::store(error).with_remedy("To measure without storing: --no-store.")
}

/// What the report of a stored load shows, with what was measured; `None` of another run.
pub(crate) fn stored(store: &dyn Store, run: &str) -> Result<Option<(LoadView, KeptLoad)>, Error> {
    let Some(load) = store.load(run).map_err(Error::failed)? else { return Ok(None) };
    if load.document.is_empty() {
        return Err(Error::usage(format!(
            "the load {run} is under way, or its tare was killed: none of it is stored; `tare log` shows all runs"
        )));
    }
    let unread = |error: &dyn std::fmt::Display| {
        Error::usage(format!("the load {run} was stored by another version of tare and can't be shown: {error}"))
    };
    let view = serde_json::from_str(&load.document).map_err(|error| unread(&error))?;
    let kept = KeptLoad::unpack(&load.kept).map_err(|error| unread(&error))?;
    Ok(Some((view, kept)))
}
