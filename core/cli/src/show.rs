//! `tare show`: stored runs, one by itself or several side by side.

use anyhow::anyhow;
use tare_report::Layout;
use tare_session::{is_spoilt, stored_runs};

use crate::arguments::ShowArguments;
use crate::exit::{Refusal, Status};
use crate::run::project_here;
use crate::screen;

pub(crate) fn show(arguments: &ShowArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let runs = stored_runs(&arguments.runs, &project)?;
    let options = screen::table_options(&arguments.detail);
    match runs.as_slice() {
        [(_, view)] if arguments.json => screen::print(&tare_report::run_document(view, Layout::Pretty)),
        [(_, view)] => screen::print(&tare_report::run_table(view, &options)),
        _ if arguments.json => {
            return Err(Refusal::usage(anyhow!("--json takes one run; call `tare show RUN --json` for each")));
        }
        several => screen::print(&tare_report::side_by_side(several, &options)),
    }
    let views: Vec<_> = runs.iter().map(|(_, view)| view).collect();
    Ok(if is_spoilt(&views, &project)? { Status::Failed } else { Status::Done })
}
