//! `tare bisect`: the commit that changed the time of a case.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tare_definition::Filter;
use tare_report::Layout;
use tare_request::Request;
use tare_results::{BisectEnd, BisectView};
use tare_session::{EventLog, Session, differs_by_revision, preparation};

use crate::arguments::BisectArguments;
use crate::asked::{folder_here, project_here};
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::output::because;
use crate::{asked, screen};

/// Of the comparisons at the beginning and the end, where nobody gives one. A search is for a change that somebody has seen, and takes minutes. On a busy machine
/// 3 % weren't called in 4 s in 4 of 9 searches, and in 1 of 10 in this time.
const BUDGET: Duration = Duration::from_secs(15);

pub(crate) fn bisect(arguments: &BisectArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    asked::check(arguments.refused())?;
    let project = project_here()?;
    let searched = arguments.request();
    Filter::new(&[searched.case.pattern()], &[]).map_err(Refusal::usage)?;
    let stop = stop_flag(ROUND)?;
    let screen = Screen::default();
    let listener = EventLog::open(&screen, arguments.telling.events.as_deref(), Some(project.store()))?;
    let session = Session::new(&listener, stop).going_away(arguments.telling.no_wait);
    let asked = arguments.asked();
    let mut request = Request::of_run(&asked, &Default::default(), &Default::default(), folder_here()?, &project)?;
    request.remarks.iter().for_each(|remark| screen::complain(remark));
    if !request.settings.budget_given && project.settings.project.comparison_budget.is_none() {
        request.settings.comparison_budget = BUDGET;
    }
    // What is marked as a base, or named in tare.toml, is one for `tare run`: here a case is compared with itself.
    request.comparing.base = None;
    // Nothing is judged but the one case, and no more is asked of it.
    (request.settings.launches, request.settings.interleave) = (None, false);
    request.comparing.control = false;
    differs_by_revision(&request, &project)?;
    request.prepare = preparation(arguments.revising.prepare.as_ref(), &project);
    let file = arguments.json.as_deref().filter(|path| *path != Path::new("-"));
    // A file that can't be written is refused before minutes are spent on measuring.
    // What an earlier search wrote there stays until this one has an answer.
    let written = [("--json", file), ("--html", arguments.html.as_deref())];
    for (option, path) in written {
        let open = |path| OpenOptions::new().append(true).create(true).open(path);
        path.map(|path| open(path).map_err(|error| unwritable(option, path, &error))).transpose()?;
    }
    let view = tare_session::bisect(request, &searched, &project, &session, begun)?;
    if let Some(path) = &arguments.html {
        std::fs::write(path, tare_report::bisect_page(&view)).map_err(|error| unwritable("--html", path, &error))?;
    }
    let document = || tare_report::bisect_document(&view, Layout::Pretty);
    match (&arguments.json, file) {
        (Some(_), None) => screen::print(&document()),
        (_, Some(path)) => {
            std::fs::write(path, document()).map_err(|error| unwritable("--json", path, &error))?;
            screen::print(&tare_report::bisect_text(&view));
        }
        (None, None) => screen::print(&tare_report::bisect_text(&view)),
    }
    Ok(status(&view))
}

fn unwritable(option: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::usage(anyhow!("{option} {}: {error}; name a file that can be written", path.display()))
}

fn status(view: &BisectView) -> Status {
    let (status, why) = match &view.end {
        BisectEnd::Found { .. } => return Status::Done,
        BisectEnd::OneOf(_) => (Status::Undecided, "the commits that are left can't be told apart"),
        BisectEnd::NoChange => (Status::Undecided, "no change was found to search for"),
        BisectEnd::Unconfirmed { .. } => (Status::Undecided, "no commit was confirmed"),
        BisectEnd::Interrupted => (Status::Interrupted, "interrupted; the same command with --resume goes on"),
    };
    because(why.to_owned());
    if status == Status::Interrupted {
        screen::complain(why);
    }
    status
}
