//! `tare clock`: what each clock of each runtime costs and resolves, and what waiting really takes.

use tare_report::Layout;
use tare_report_files::Target;
use tare_session::{ClocksRequest, Session};

use crate::arguments::{ClockArguments, Detail};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::listener::Screen;
use crate::{asked, screen};

pub(crate) fn clock(arguments: &ClockArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let request = ClocksRequest {
        runtimes: arguments.runtime.clone(),
        cpus: asked::cpus(arguments.cpus.as_deref())?,
        timeout: arguments.timeout,
    };
    let page = arguments.html.as_deref().map(|path| Target::open("html", path)).transpose()?;
    let listener = Screen::default();
    let view = Session::new(&listener, stop_flag(STEP)?).clocks(&request, &project)?;
    page.map_or(Ok(()), |page| page.write(tare_report::clocks_page(&view)))?;
    if arguments.json {
        screen::print(&tare_report::clocks_document(&view, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail { verbose: arguments.verbose, ..Detail::default() });
        screen::print(&tare_report::clocks_report(&view, &options));
    }
    Ok(if view.runtimes.iter().any(|runtime| runtime.interrupted) {
        Status::Interrupted
    } else if view.runtimes.iter().any(|runtime| runtime.failure.is_some()) {
        Status::Failed
    } else {
        Status::Done
    })
}

/// The worker for the system's own clocks.
pub(crate) fn serve() -> Result<Status, Refusal> {
    tare_session::serve_clocks()?;
    Ok(Status::Done)
}
