//! Parts of a suite that were measured by themselves become one run: what is said over all cases (Holm's procedure, geometric means, the noise floor, gates)
//! is said of the whole.

mod parts;
mod replicas;
mod whole;

use std::path::{Path, PathBuf};

use tare_definition::{FailOn, Project};
use tare_results::RunView;
use tare_store::{Access, ServerAddress, StoreLocation};

use crate::error::Error;
use crate::judging::gate::{Concluded, Gates};
use crate::judging::runs::of_run;
use crate::project::{open_store, store_place};

pub use replicas::pool;

/// Parts to be put together.
#[derive(Debug, Clone, Default)]
pub struct MergeRequest {
    /// The stores that have them, as they were named: folders relative to `folder`, or addresses; none for the project's own.
    pub stores: Vec<String>,
    /// Where it was asked.
    pub folder: PathBuf,
    /// Only parts with this tag.
    pub only: Option<String>,
    /// Names of the run that they become.
    pub tags: Vec<String>,
    /// Gates; empty for those that the parts were measured with.
    pub fail_on: Vec<FailOn>,
    /// Tags of runs, and the machines that these were measured on, where they are known by name.
    pub machines: Vec<(String, String)>,
}

/// One run of all parts.
#[derive(Debug)]
pub struct Merged {
    /// What there is to report.
    pub view: RunView,
    /// How it ends by its gates.
    pub concluded: Concluded,
    /// What is to be told.
    pub notices: Vec<String>,
    /// What of the suite isn't there, in one line; then the gates say nothing of the whole.
    pub incomplete: Option<String>,
}

/// A store that was named in the arguments, which everybody on the machine can read.
///
/// # Errors
///
/// One with a password, or an address that can't be one.
pub fn place_in_arguments(text: &str, folder: &Path) -> Result<StoreLocation, Error> {
    if ServerAddress::has_password(text) {
        return Err(Error::usage(
            "an address in the arguments contains a password, which every user of this machine can read; leave it out, and set PGPASSWORD or use ~/.pgpass",
        ));
    }
    StoreLocation::named(text, folder).map_err(Error::store)
}

/// Puts parts together, and stores what they become in the project's store.
///
/// # Errors
///
/// Where there are no parts, parts of different suites or the same part twice, or a store can't be used.
pub fn merge(request: &MergeRequest, project: &Project) -> Result<Merged, Error> {
    let stores = opened(request, project)?;
    let found = parts::found(&stores, request.only.as_deref())?;
    let gates = match request.fail_on.as_slice() {
        [] => Gates::new(found.gates(), project)?,
        given => Gates::new(given, project)?,
    };
    let mut store = open_store(project, Access::ReadWrite)?;
    let whole = whole::stored(&found, &stores, &request.tags, request.fail_on.as_slice(), project, store.as_mut())?;
    let mut view = of_run(store.as_ref(), store.run(&whole.run).map_err(Error::store)?).map_err(Error::store)?;
    view.notices.clear();
    gates.judge(&mut view);
    let concluded = gates.conclude(&mut view);
    Ok(Merged { concluded, view, notices: [found.notices, whole.notices].concat(), incomplete: whole.incomplete })
}

/// The stores that were named, or the project's own.
fn opened(request: &MergeRequest, project: &Project) -> Result<Vec<parts::Named>, Error> {
    let target = store_place(project)?;
    let mut stores = Vec::new();
    if request.stores.is_empty() {
        let store = target.open(Access::ReadOnly).map_err(Error::store)?;
        stores.push(parts::Named { name: "the project's store".to_owned(), is_target: true, store });
    }
    for name in &request.stores {
        let place = place_in_arguments(name, &request.folder)?;
        let store = place.open(Access::ReadOnly).map_err(Error::store)?;
        stores.push(parts::Named { name: name.clone(), is_target: place == target, store });
    }
    Ok(stores)
}
