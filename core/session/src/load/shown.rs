//! Stored loads as a report takes them.

use tare_definition::Project;
use tare_results::{LoadView, RunView};
use tare_store::Access;

use crate::error::Error;
use crate::judging::runs::of_run;
use crate::load::keep::stored;
use crate::project::open_store;

/// Something that is stored, whole.
#[derive(Debug)]
pub enum Shown {
    /// A run of benchmarks.
    Run(Box<RunView>),
    /// Concurrent work.
    Load(Box<LoadView>),
}

/// Stored runs and loads, each with the name that it was asked for by.
///
/// # Errors
///
/// Where a name stands for nothing, or the store can't be read.
pub fn stored_shown(names: &[String], project: &Project) -> Result<Vec<(String, Shown)>, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let shown = |name: &String| {
        let run = store.resolve(name.strip_prefix("run:").unwrap_or(name)).map_err(Error::usage)?;
        let shown = match stored(store.as_ref(), &run)? {
            Some((view, _)) => Shown::Load(Box::new(view)),
            None => {
                let run = store.run(&run).map_err(Error::failed)?;
                Shown::Run(Box::new(of_run(store.as_ref(), run).map_err(Error::failed)?))
            }
        };
        Ok((name.clone(), shown))
    };
    names.iter().map(shown).collect()
}
