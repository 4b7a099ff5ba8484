//! `tare report`: files of stored runs.

use anyhow::anyhow;
use clap::Args;
use tare_session::stored_report;

use crate::exit::{Refusal, Status};
use crate::output::Files;
use crate::report_files::ReportFiles;
use crate::run::project_here;

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run, or two that are compared, the base first: by id, the beginning of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest", num_args = 1..=2)]
    runs: Vec<String>,
    #[command(flatten)]
    files: ReportFiles,
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    if arguments.files.all().next().is_none() {
        return Err(Refusal::usage(anyhow!("nothing says where the report goes: name a file, as in --html FILE")));
    }
    let mut files = Files::open(&arguments.files)?;
    let view = stored_report(&arguments.runs, &project_here()?)?;
    files.write(&view)?;
    Ok(Status::Done)
}
