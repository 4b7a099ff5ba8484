//! Reports to where they are wanted.

use std::path::PathBuf;
use std::sync::OnceLock;

use tare_report::Layout;
use tare_report_files::Files;
use tare_results::RunView;
use tare_samples::Origin;
use tare_session::Concluded;

use crate::arguments::{Asking, Detail, ReportFiles};
use crate::exit::{Refusal, Status};
use crate::github::Hush;
use crate::screen;

/// How a run is reported.
pub(crate) struct Reported<'a> {
    pub(crate) json: bool,
    pub(crate) detail: &'a Detail,
    pub(crate) reports: &'a ReportFiles,
    /// Where GitHub marks lines of benchmarks, and the project's folder in the repository.
    pub(crate) marked: Option<(&'a Hush, PathBuf)>,
}

impl<'a> Reported<'a> {
    /// As it was asked.
    pub(crate) fn of(asking: &'a Asking) -> Self {
        Self { json: asking.selection.json, detail: &asking.detail, reports: &asking.reports, marked: None }
    }
}

pub(crate) fn open(asked: &ReportFiles) -> Result<Files, Refusal> {
    Ok(Files::open(asked.placed())?)
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

/// Why the program ends as it does.
static WHY: OnceLock<String> = OnceLock::new();

/// Says in the last line why the program ends as it does. The first reason counts.
pub(crate) fn because(why: String) {
    let _ = WHY.set(why);
}

/// The status that gates ask for; the last line says why. `compares`: there is something that a gate could have judged.
pub(crate) fn gated(concluded: &Concluded, compares: bool) -> Status {
    let ungated = || compares.then(|| "no gate was asked for".to_owned());
    if let Some(why) = concluded.why.clone().or_else(ungated) {
        because(why);
    }
    concluded.ending.into()
}

/// The last line of a command that measures or judges: the exit status, and why it is that. A run that ends well and judges nothing needs none.
pub(crate) fn last_line(status: Status) {
    let usual = match status {
        Status::Done | Status::Passed(_) => None,
        Status::Tripped => Some("a gate tripped"),
        Status::Usage => Some("wrong usage or configuration, or nothing to measure"),
        Status::Undecided => Some("a gate is undecided"),
        Status::Failed => Some("something failed"),
        Status::Interrupted => Some("interrupted"),
    };
    // A reason that was found before it failed is none.
    let found = WHY.get().map(String::as_str).filter(|_| status != Status::Usage && status != Status::Interrupted);
    if let Some(why) = found.or(usual) {
        screen::complain(&format!("exit status {}: {why}", status.number()));
    }
}
