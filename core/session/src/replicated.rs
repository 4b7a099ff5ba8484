//! What is to be measured on several machines, looked at before it is submitted.

use crate::error::Error;
use crate::job::Job;
use crate::run::{Wanted, list, plan};
use crate::session::Session;

/// Refuses to measure on several machines what nothing could be judged of over them; finds the cases for it, and measures nothing. What can't be
/// listed here may be on the machines, which tell it then.
///
/// # Errors
///
/// The job compares nothing, or can't be listed.
pub fn check_replicas(job: Job, wanted: &Wanted, session: &Session<'_>) -> Result<(), Error> {
    let mut listed = list(job, wanted, session)?;
    let planned = plan(&mut listed, wanted, session)?;
    let pairs = planned.groups.iter().any(|group| !group.pairs.is_empty());
    if pairs || planned.groups.is_empty() || !listed.found.failures.is_empty() {
        return Ok(());
    }
    Err(Error::usage(
        "--replicate judges a comparison over several machines, and this run has none; give several runtimes (--runtime) or a base (--base), or call `tare compare`; Tare doesn't average times of different machines",
    ))
}
