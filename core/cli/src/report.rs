//! `tare report`: files of stored runs.

use anyhow::anyhow;
use tare_session::{is_spoilt, stored_report};

use crate::arguments::ReportArguments;
use crate::exit::{Refusal, Status};
use crate::output::Files;
use crate::run::project_here;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    if arguments.files.all().next().is_none() {
        return Err(Refusal::usage(anyhow!("nothing says where the report goes: name a file, as in --html FILE")));
    }
    let mut files = Files::open(&arguments.files)?;
    let project = project_here()?;
    let view = stored_report(&arguments.runs, &project)?;
    files.write(&view)?;
    Ok(if is_spoilt(&[&view], &project)? { Status::Failed } else { Status::Done })
}
