//! `tare log`: what was measured.

use tare_report::Layout;
use tare_store::{Access, RunFilter, Store};

use crate::arguments::{Detail, LogArguments};
use crate::exit::{Refusal, Status};
use crate::{run, screen};

pub(crate) fn log(arguments: &LogArguments) -> Result<Status, Refusal> {
    let store = tare_session::open_store(&run::project_here()?, Access::ReadOnly)?;
    let filter = RunFilter { tag: arguments.tag.clone(), state: None, limit: Some(arguments.limit) };
    let rows: Vec<_> = store.runs(&filter).map_err(Refusal::failed)?.into_iter().map(tare_session::log_row).collect();
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
