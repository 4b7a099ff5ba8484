//! `tare compare`: two revisions live, benchmarks or a server under load, or two stored runs.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::anyhow;
use tare_definition::{Options, Project, Task};
use tare_report::Layout;
use tare_report_files::Place;
use tare_session::{
    ComparedNames, HttpLoad, Judged, Keep, LoadGate, NamedRun, Revisions, Sending, Session, Sides, StoredRequest,
    begin, compare_stored_loads, compared, differs_by_revision, preparation,
};

use crate::arguments::{Asking, CompareArguments, ReportFiles, Revising};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::github::Hush;
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::output::{Reported, gated};
use crate::run::{carry_out, told_to, wanted};
use crate::{asked, fleet, load, output, screen};

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    if arguments.revising.serve.is_none() && arguments.sending != Sending::default() {
        return Err(Refusal::usage(anyhow!(
            "-c, --duration, --rate, … say how to load a server; name its command with --serve and --url, or leave them out"
        )));
    }
    match compared(&arguments.base_side, &arguments.candidate_side, &project)? {
        ComparedNames::Runs { base, candidate } => stored(arguments, &project, &base, &candidate),
        ComparedNames::Revisions(revisions) if arguments.revising.serve.is_some() => {
            served(arguments, &project, *revisions)
        }
        ComparedNames::Revisions(revisions) => {
            check(arguments, Task::Measure)?;
            live(&arguments.asking, &arguments.revising, &project, &CiFiles::default(), |_| Ok(*revisions))
        }
    }
}

/// Where `tare ci` reports a comparison, beside the reports that options ask for.
#[derive(Default)]
pub(crate) struct CiFiles {
    /// The file for the comment of a pull request.
    pub(crate) comment: Option<PathBuf>,
    /// The file that a summary is added to.
    pub(crate) summary: Option<PathBuf>,
    /// GitHub shows marks at the lines of benchmarks.
    pub(crate) github: Option<Hush>,
}

impl CiFiles {
    /// All files that are written.
    fn files(&self, asked: &ReportFiles) -> ReportFiles {
        let mut files = asked.clone();
        self.comment.iter().for_each(|path| files.add(&tare_report::COMMENT, path.clone(), Place::Whole));
        self.summary.iter().for_each(|path| files.add(&tare_report::COMMENT, path.clone(), Place::End));
        files
    }
}

/// Options that say how to measure, and how long.
const OF_TIME: [&str; 6] = ["--work", "--memory", "--total", "--budget", "--launches", "--samples"];

/// Two revisions of benchmarks, which are found out once the rest of the request is known to be right.
pub(crate) fn live(
    asking: &Asking,
    revising: &Revising,
    project: &Project,
    told: &CiFiles,
    revisions: impl FnOnce(&Session<'_>) -> Result<Revisions, tare_session::Error>,
) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let stop = stop_flag(ROUND)?;
    let screen = Screen::default();
    let listener = told_to(&screen, asking, project)?;
    let session = Session::new(&listener, stop).going_away(asking.telling.no_wait);
    let mut request = asked::request(asking, revising, project)?;
    // What is marked as a base, or named in tare.toml, is one for `tare run`: here a case is compared with itself.
    request.comparing.base.clone_from(&asking.comparing.base);
    differs_by_revision(&request, project)?;
    if asking.measuring.on.is_some() {
        return fleet::submit(asking, project, true);
    }
    request.prepare = preparation(revising.prepare.as_ref(), project);
    // A typing mistake is told before minutes are spent on preparing.
    let reports = told.files(&asking.reports);
    let mut files = output::open(&reports)?;
    let revisions = revisions(&session)?;
    let marked = told.github.as_ref().map(|github| (github, revisions.subfolder().to_owned()));
    let mut job = begin(request, project, Sides::default());
    session
        .check_out(&mut job, revisions, project)
        .map_err(Refusal::from)
        .inspect_err(|refusal| output::refused(&mut files, refusal, &job.origin))?;
    drop(files);
    let wanted = wanted(asking, None);
    if let Some(pattern) = &revising.why {
        let idle: Vec<String> = asking
            .measuring
            .given()
            .into_iter()
            .map(|given| given.name)
            .filter(|name| OF_TIME.contains(&&**name))
            .collect();
        if !idle.is_empty() {
            screen::complain(&format!(
                "{} has no effect: --why measures nothing. Without --why the rows of --work name the functions",
                idle.join(", ")
            ));
        }
        let views = tare_session::reasons(job, &wanted, pattern, &session)?;
        screen::print(&match asking.selection.json {
            true => tare_report::reasons_document(&views, Layout::Pretty),
            false => tare_report::reasons(&views, &screen::table_options(&asking.detail)),
        });
        return Ok(Status::Done);
    }
    carry_out(job, &wanted, &Reported { reports: &reports, marked, ..Reported::of(asking) }, &session, begun)
}

/// Two stored runs, by their ids.
fn stored(arguments: &CompareArguments, project: &Project, base: &str, candidate: &str) -> Result<Status, Refusal> {
    let Asking { selection, comparing, reports, detail, .. } = &arguments.asking;
    let gates: Vec<LoadGate> = comparing.fail_on.iter().copied().map(LoadGate::Compared).collect();
    if let Some(ran) = compare_stored_loads((base, candidate), comparing.margin, &gates, project)? {
        check(arguments, Task::CompareLoads)?;
        return Ok(load::report(&ran, selection.json, detail));
    }
    check(arguments, Task::CompareRuns)?;
    let mut files = output::open(reports)?;
    let request = StoredRequest {
        base: NamedRun { id: base.to_owned(), name: arguments.base_side.clone() },
        candidate: NamedRun { id: candidate.to_owned(), name: arguments.candidate_side.clone() },
        selection: selection.clone(),
        comparing: comparing.clone(),
    };
    let (view, concluded) = tare_session::compare_stored(&request, project)?;
    output::show(&view, selection.json, detail, &mut files)?;
    Ok(gated(&concluded, true))
}

/// Refuses what doesn't apply.
fn check(arguments: &CompareArguments, task: Task) -> Result<(), Refusal> {
    asked::check(arguments.asking.refused(task).or_else(|| arguments.revising.refused(task)))
}

/// A server in two revisions, under load.
fn served(arguments: &CompareArguments, project: &Project, revisions: Revisions) -> Result<Status, Refusal> {
    check(arguments, Task::CompareServers)?;
    let CompareArguments { asking, revising, .. } = arguments;
    let Asking { selection, measuring, keeping, comparing, .. } = asking;
    let load = HttpLoad {
        urls: revising.url.iter().cloned().collect(),
        start: revising.serve.iter().cloned().collect(),
        cpus: measuring.cpus.clone().map(|cpus| cpus.0),
        pid: Vec::new(),
        timeout: selection.timeout,
        generators: None,
        sending: arguments.sending.clone(),
        judged: Judged {
            seed: measuring.seed,
            margin: comparing.margin,
            control: comparing.control,
            fail_on: comparing.fail_on.iter().copied().map(LoadGate::Compared).collect(),
        },
    };
    let prepare = preparation(revising.prepare.as_ref(), project);
    let keep = (!keeping.no_store).then_some(Keep { project, tags: &keeping.tag });
    let folder = asked::folder_here()?;
    let ran = load::in_session(&asking.telling, |session| {
        session.compare_served(&load, revisions, prepare, (project, keep), &folder)
    })?;
    Ok(load::report(&ran, selection.json, &asking.detail))
}
