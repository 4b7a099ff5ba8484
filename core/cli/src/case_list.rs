//! `tare list`: which cases there are.

use tare_report::Layout;
use tare_session::{Kind, Session, described};

use crate::arguments::{Detail, ListArguments};
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::listener::Screen;
use crate::{asked, screen};

pub(crate) fn list(arguments: &ListArguments) -> Result<Status, Refusal> {
    let project = asked::project_here()?;
    let mut request = asked::selected(&arguments.selection, &project)?;
    let listener = Screen::default();
    let session = Session::new(&listener, stop_flag(STEP)?);
    let found = match session.list(&mut request, &project) {
        Err(error) if error.kind == Kind::Interrupted => return Ok(Status::Interrupted),
        listed => listed?,
    };
    let cases = found.cases();
    if arguments.selection.json {
        screen::print(&tare_report::list_document(&cases, &found.notices, &found.failures, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail { verbose: arguments.verbose, ..Detail::default() });
        if !cases.is_empty() {
            screen::print(&tare_report::case_list(&cases, &options));
        }
        let notices = tare_report::notices(&found.notices, &options);
        if !notices.trim().is_empty() {
            screen::print(&notices);
        }
        for failure in described(&found.failures) {
            screen::complain(&failure);
        }
    }
    if cases.is_empty() && found.failures.is_empty() {
        return Err(tare_session::no_cases(request.chooses()).into());
    }
    Ok(found.blame().map_or(Status::Done, Refusal::status_of))
}
