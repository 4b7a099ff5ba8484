//! `tare compare A B --serve COMMAND --url URL`: the server of two revisions, each built in a checkout of its own, under load in turns.

use std::path::Path;

use tare_definition::{Project, Selection};
use tare_request::{Preparation, Request};

use crate::compare::Revisions;
use crate::error::Error;
use crate::load::again::NewOrResumed;
use crate::load::asked::{HttpLoad, LoadRan};
use crate::load::http::load_http;
use crate::load::keep::Keep;
use crate::prepare::build::build;
use crate::session::Session;

impl Session<'_> {
    /// Puts the server of two revisions under load: `load` has one command and one URL, both with `{port}`. `folder` is where it was asked.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, a revision can't be prepared or built, or it is stopped before anything is measured.
    pub fn compare_served(
        &self,
        load: &HttpLoad,
        revisions: Revisions,
        prepare: Option<Preparation>,
        (project, keep): (&Project, Option<Keep<'_>>),
        folder: &Path,
    ) -> Result<LoadRan, Error> {
        let mut request = Request::of_selection(&Selection::default(), folder.to_owned(), project)?;
        request.prepare = prepare;
        // Held until the load is over.
        let sides = self.check_out_sides(&mut request, revisions, project)?;
        if !sides.told().is_empty() {
            return Err(Error::failed(sides.told())
                .with_remedy("Tare put nothing under load, because a comparison needs both sides"));
        }
        build(project, &request.sides.iter().collect::<Vec<_>>(), self)?;
        load_http(load, &request.sides, NewOrResumed::New(keep), None, self)
    }
}
