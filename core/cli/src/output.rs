//! Reports to where they are wanted.

use tare_report::Layout;
use tare_report_files::Files;
use tare_results::RunView;
use tare_samples::Origin;
use tare_session::Concluded;

use crate::arguments::{Detail, ReportFiles};
use crate::exit::{Refusal, Status};
use crate::screen;

/// How a run is reported.
pub(crate) struct Reported<'a> {
    pub(crate) json: bool,
    pub(crate) detail: &'a Detail,
    pub(crate) reports: &'a ReportFiles,
}

pub(crate) fn open(asked: &ReportFiles) -> Result<Files, Refusal> {
    Ok(Files::open(asked.all())?)
}

/// Says in the files why a run ended before it was measured, where that was a failure and nothing was written yet. Wrong usage leaves no report.
pub(crate) fn refused(files: &mut Files, refusal: &Refusal, origin: &Origin) {
    if refusal.status == Status::Failed
        && let Err(error) =
            files.write(&tare_session::failed_run(origin.clone(), tare_session::with_causes(refusal.cause.as_ref())))
    {
        screen::complain(&error.to_string());
    }
}

/// Shows a run, and writes the files.
pub(crate) fn show(view: &RunView, json: bool, detail: &Detail, files: &mut Files) -> Result<(), Refusal> {
    if json {
        screen::print(&tare_report::run_document(view, Layout::Pretty));
    } else {
        screen::print(&tare_report::run_table(view, &screen::table_options(detail)));
    }
    Ok(files.write(view)?)
}

/// The status that gates ask for, after a line that says why.
pub(crate) fn gated(concluded: &Concluded) -> Status {
    let status: Status = concluded.ending.into();
    if let Some(why) = &concluded.why {
        screen::complain(&format!("exit status {}: {why}", status.number()));
    }
    status
}
