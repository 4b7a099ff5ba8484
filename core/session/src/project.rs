//! The store of a project.

use tare_definition::Project;
use tare_store::{Access, Place, Store};

use crate::error::Error;

/// Where it is.
pub(crate) fn place(project: &Project) -> Place {
    Place::folder(project.store())
}

/// Opens it.
pub fn open_store(project: &Project, access: Access) -> Result<Box<dyn Store>, Error> {
    place(project).open(access).map_err(Error::store)
}
