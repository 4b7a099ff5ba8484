//! The store of a project.

use tare_definition::Project;
use tare_store::{Access, SqliteStore};

use crate::error::Error;

/// Opens it.
pub fn open_store(project: &Project, access: Access) -> Result<SqliteStore, Error> {
    SqliteStore::open(project.store().join("tare.db"), access).map_err(Error::store)
}
