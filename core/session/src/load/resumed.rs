//! Going on with a load that was interrupted: the rounds that are left are done.

use tare_definition::Project;
use tare_store::{Access, RunFilter, RunState, Store};

use crate::error::Error;
use crate::load::again::{Again, NewOrResumed};
use crate::load::asked::{HttpLoad, LoadRan, StoredWorkersLoad};
use crate::load::gate::LoadGate;
use crate::load::http::load_http;
use crate::load::keep::{Keeper, stored};
use crate::load::workers::resume_workers;
use crate::project::open_store;
use crate::session::Session;

impl Session<'_> {
    /// Goes on with the interrupted load that `name` stands for, or with the newest.
    ///
    /// # Errors
    ///
    /// Where there is none, it is another kind of load, or what was asked for can't be done any more.
    pub fn resume_load(&self, name: Option<&str>, fail_on: &[LoadGate], project: &Project) -> Result<LoadRan, Error> {
        // Looking for a load to go on with must not leave a store behind.
        let run = find(open_store(project, Access::ReadOnly)?.as_ref(), name)?;
        let mut store = open_store(project, Access::ReadWrite)?;
        let Some((view, kept)) = stored(store.as_ref(), &run)? else {
            return Err(Error::usage(format!(
                "{run} is a run of benchmarks: `tare run --resume={run}` goes on with it"
            )));
        };
        let request = store.run(&run).map_err(Error::failed)?.request;
        let (kind, asked): (String, serde_json::Value) =
            serde_json::from_str(&request).map_err(|error| other_version(&run, &error))?;
        if kind == HttpLoad::WORKERS {
            let mut asked: StoredWorkersLoad =
                serde_json::from_value(asked).map_err(|error| other_version(&run, &error))?;
            asked.load.judged.seed = view.seed;
            asked.load.judged.fail_on = fail_on.to_vec();
            store.resume_run(&run).map_err(Error::usage)?;
            let again = Again { keeper: Keeper::of(store, run.clone()), run, tags: view.tags, kept };
            return resume_workers(&asked, again, project, self);
        }
        if kind != HttpLoad::KIND {
            return Err(Error::usage(format!("{run} is a load of {kind}, which can't be resumed; begin a new one")));
        }
        let mut load: HttpLoad = serde_json::from_value(asked).map_err(|error| other_version(&run, &error))?;
        if load.sending.paced.ladder()?.is_some() {
            return Err(Error::usage(format!(
                "{run} is a load whose rate grows in stages, which can't be resumed; begin a new one"
            )));
        }
        if load.generators.is_some() {
            return Err(Error::usage(format!(
                "{run} is a load from several generators, which can't be resumed; begin a new one"
            )));
        }
        if !std::mem::take(&mut load.pid).is_empty() {
            self.notice("--pid counts nothing in a load that is resumed: its server may be another process now");
        }
        load.judged.seed = view.seed;
        load.judged.fail_on = fail_on.to_vec();
        store.resume_run(&run).map_err(Error::usage)?;
        let again = Again { keeper: Keeper::of(store, run.clone()), run, tags: view.tags, kept };
        load_http(&load, &[], NewOrResumed::Again(Box::new(again)), None, self)
    }
}

fn other_version(run: &str, error: &serde_json::Error) -> Error {
    Error::usage(format!("the load {run} was begun by another version of tare and can't be resumed: {error}"))
}

fn find(store: &dyn Store, name: Option<&str>) -> Result<String, Error> {
    match name {
        Some(name) => store.resolve(name).map_err(Error::usage),
        None => {
            let filter = RunFilter { state: Some(RunState::Interrupted), ..RunFilter::default() };
            let interrupted = store.runs(&filter).map_err(Error::failed)?;
            let newest = interrupted.into_iter().find(|row| row.load.is_some()).map(|row| row.origin.id);
            newest.ok_or_else(|| Error::usage("no load was interrupted; `tare log` shows all loads"))
        }
    }
}
