//! `tare store`: what is done with a store as a whole.

use tare_session::{check_store, copy_runs, prune_store, push_spooled};

use crate::arguments::{StoreArguments, StoreCommand};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::{asked, screen};

pub(crate) fn store(arguments: &StoreArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let report = match &arguments.command {
        StoreCommand::Push => push_spooled(&project)?,
        StoreCommand::Copy { from, to, run } => copy_runs(from, to, run, &asked::folder_here()?)?,
        StoreCommand::Prune { keep, dry_run } => prune_store(keep, *dry_run, &project)?,
        StoreCommand::Check => check_store(&project)?,
    };
    report.lines.iter().for_each(|line| screen::print(&tare_report::visible_message(line)));
    report.faults.iter().for_each(|fault| screen::complain(fault));
    Ok(if report.faults.is_empty() { Status::Done } else { Status::Failed })
}
