//! `tare profile`: where a case's time goes.

use tare_report::Layout;
use tare_report_files::Target;
use tare_session::{ProfileRequest, Session};

use crate::arguments::{Detail, ProfileArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::{asked, screen};

pub(crate) fn profile(arguments: &ProfileArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let mut selection = arguments.selection.clone();
    selection.filter.extend(arguments.case.iter().cloned());
    let request = asked::selected(&selection, &project)?;
    let wanted = ProfileRequest { tool: arguments.tool.map(|tool| tool.tool()), output: arguments.output.clone() };
    let page = arguments.html.as_deref().map(|path| Target::open("html", path)).transpose()?;
    let listener = Screen::default();
    let view = Session::new(&listener, stop_flag(ROUND)?).profile(&wanted, request, &project)?;
    if let Some(page) = page {
        page.write(tare_report::profile_page(&view))?;
    }
    if arguments.selection.json {
        screen::print(&tare_report::profile_document(&view, Layout::Pretty));
    } else {
        screen::print(&tare_report::profile_report(&view, &screen::table_options(&Detail::default())));
    }
    Ok(Status::Done)
}
