//! `tare log`: what was measured.

use tare_report::Layout;
use tare_session::stored_log;

use crate::arguments::{Detail, LogArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::screen;

pub(crate) fn log(arguments: &LogArguments) -> Result<Status, Refusal> {
    let rows = stored_log(arguments.tag.as_deref(), arguments.limit as usize, &project_here()?)?;
    if let Some(tag) = arguments.tag.as_deref().filter(|_| rows.is_empty() && !arguments.json) {
        return Err(Refusal::usage(anyhow::anyhow!("no run has the tag `{tag}`; `tare log` shows the runs there are")));
    }
    if arguments.json {
        screen::print(&tare_report::log_document(&rows, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail::default());
        screen::print(&tare_report::run_log(&rows, &options));
    }
    Ok(Status::Done)
}
