//! `tare doctor`: how fit the machine and the runtimes are to measure on.

use tare_report::Layout;
use tare_session::{DoctorRequest, Session};

use crate::arguments::{Detail, DoctorArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{STEP, stop_flag};
use crate::listener::Screen;
use crate::{asked, screen};

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let request = DoctorRequest {
        runtimes: arguments.runtime.clone(),
        noise: arguments.noise,
        folder: asked::folder_here()?,
        root: arguments.root.clone(),
    };
    let listener = Screen::default();
    let (view, unmeasured) = Session::new(&listener, stop_flag(STEP)?).doctor(&request, &project)?;
    if arguments.json {
        screen::print(&tare_report::doctor_document(&view, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail { verbose: arguments.verbose, ..Detail::default() });
        screen::print(&tare_report::doctor_report(&view, &options));
    }
    match unmeasured {
        _ if view.interrupted => Ok(Status::Interrupted),
        Some(error) => Err(error.into()),
        None => Ok(Status::Done),
    }
}
