//! `tare report`: files of stored runs.

use anyhow::anyhow;
use tare_session::stored_report;

use crate::arguments::ReportArguments;
use crate::exit::{Refusal, Status};
use crate::output::Files;
use crate::run::project_here;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    if arguments.files.all().next().is_none() {
        return Err(Refusal::usage(anyhow!("nothing says where the report goes: name a file, as in --html FILE")));
    }
    let mut files = Files::open(&arguments.files)?;
    let view = stored_report(&arguments.runs, &project_here()?)?;
    files.write(&view)?;
    Ok(Status::Done)
}
