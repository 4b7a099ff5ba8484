//! `tare store`: what is done with a store as a whole.

use crate::arguments::StoreArguments;
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::{asked, screen};

pub(crate) fn store(arguments: &StoreArguments) -> Result<Status, Refusal> {
    let told = tare_fleet::store(&arguments.command, &project_here()?, &asked::folder_here()?)?;
    told.lines.iter().for_each(|line| screen::print(&tare_report::visible_message(line)));
    told.faults.iter().for_each(|fault| screen::complain(fault));
    Ok(if told.faults.is_empty() { Status::Done } else { Status::Failed })
}
