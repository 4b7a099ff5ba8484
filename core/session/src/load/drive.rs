//! Who sends the requests of a load: this process, or generators elsewhere.

use tare_load::driver;
use tare_load::http::HttpClients;
use tare_load::plan::{Outcome, Plan, Progress};

use crate::error::Error;
use crate::session::Session;

/// Puts targets under load.
pub(crate) trait Drive {
    /// Runs a plan; returns when all is done, or soon after the session is stopped.
    fn drive(
        &mut self,
        plan: &Plan,
        session: &Session<'_>,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Outcome, Error>;
}

impl Drive for HttpClients {
    fn drive(
        &mut self,
        plan: &Plan,
        session: &Session<'_>,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Outcome, Error> {
        driver::run(plan, self, session.stop_flag(), progress).map_err(no_thread)
    }
}

pub(crate) fn no_thread(error: std::io::Error) -> Error {
    Error::failed(format!("can't start a thread for the load: {error}"))
}
