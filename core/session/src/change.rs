//! A change as a build server asks about it: from where it left its base to HEAD.

use tare_definition::Project;
use tare_revisions::{BaseName, Repository, RevisionError};

use crate::compare::{Revisions, not_found};
use crate::error::Error;
use crate::session::Session;

/// What the older side is called, whichever commit it is.
const BASE: &str = "base";

impl Session<'_> {
    /// HEAD, and where it left `base`. Fetches what a shallow clone lacks, and tells the listener so.
    ///
    /// # Errors
    ///
    /// Where there is no repository, the base can't be had, or it is stopped.
    pub fn change(&self, base: &BaseName, project: &Project) -> Result<Revisions, Error> {
        let repository = Repository::find(&project.root).map_err(|error| not_found(error, project))?;
        let head = repository.resolve("HEAD").map_err(Error::usage)?;
        if repository.resolve(".").map_err(Error::usage)?.dirty {
            self.notice(
                "tracked files differ from HEAD; `tare ci` compares commits, so it leaves these changes out (`tare compare HEAD .` measures them)",
            );
        }
        let found = repository
            .merge_base(base, &head, BASE, &mut |text| self.notice(text), &|| self.is_stopped())
            .map_err(|error| match error {
                RevisionError::Interrupted => Error::interrupted(),
                error => Error::usage(error),
            })?;
        Ok(Revisions::new(repository, found, head))
    }
}
