//! `tare show`: stored runs, one by itself or several side by side.

use anyhow::anyhow;
use tare_report::Layout;
use tare_results::RunView;
use tare_session::{Shown, is_spoilt, stored_shown, with_distributions};

use crate::arguments::{Detail, ShowArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::{load, screen};

pub(crate) fn show(arguments: &ShowArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let shown = stored_shown(&arguments.runs, &project)?;
    if arguments.json && shown.len() > 1 {
        return Err(Refusal::usage(anyhow!("--json takes one run; call `tare show RUN --json` for each")));
    }
    let detail = Detail { chart: arguments.plot || arguments.detail.chart, ..arguments.detail.clone() };
    let options = tare_report::TableOptions { plots: arguments.plot, ..screen::table_options(&detail) };
    let mut runs: Vec<(String, RunView)> = Vec::new();
    for (name, shown) in shown {
        match shown {
            Shown::Load(view) => load::show(&view, arguments.json, &detail),
            Shown::Run(view) if arguments.plot => runs.push((name, with_distributions(*view, &project)?)),
            Shown::Run(view) => runs.push((name, *view)),
        }
    }
    match runs.as_slice() {
        [] => {}
        [(_, view)] if arguments.json => screen::print(&tare_report::run_document(view, Layout::Pretty)),
        [(_, view)] => screen::print(&tare_report::run_table(view, &options)),
        several => screen::print(&tare_report::side_by_side(several, &options)),
    }
    let views: Vec<_> = runs.iter().map(|(_, view)| view).collect();
    Ok(if is_spoilt(&views, &project)? { Status::Failed } else { Status::Done })
}
