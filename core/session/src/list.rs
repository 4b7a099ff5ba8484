//! Which cases there are, without measuring.

use tare_definition::Project;
use tare_request::Request;
use tare_worker::ProcessLauncher;

use crate::error::Error;
use crate::listing::enumerate::{CaseListing, enumerate};
use crate::listing::unprepared;
use crate::prepare::build::build;
use crate::prepare::placement::startup;
use crate::session::Session;

impl Session<'_> {
    /// Builds what tare.toml says, finds the sources, and asks the workers which cases they hold. The request knows its runtimes
    /// afterwards.
    ///
    /// # Errors
    ///
    /// Where the build fails, nothing is at the paths, or it is stopped. What single sources and runtimes lack is in the result.
    pub fn list(&self, request: &mut Request, project: &Project) -> Result<CaseListing, Error> {
        build(project, &request.sides.iter().collect::<Vec<_>>(), self)?;
        let sources = request.sources()?;
        request.resolve(&sources)?;
        let mut launcher = ProcessLauncher::new(Vec::new(), &[], startup(request));
        let mut found = enumerate(request, &sources, (&mut launcher, &[]), self);
        if !found.failures.is_empty() {
            found.notices.extend(unprepared::notice(request));
        }
        if self.is_stopped() { Err(Error::interrupted()) } else { Ok(found) }
    }
}
