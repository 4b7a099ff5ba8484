//! `tare compare`: two revisions live, benchmarks or a server under load, or two stored runs.

use std::time::Instant;

use anyhow::anyhow;
use tare_definition::Project;
use tare_report::Layout;
use tare_session::{
    Compared, HttpLoad, Judged, Keep, LoadGate, Revisions, Sending, Session, Sides, StoredRequest, begin,
    compare_stored_loads, compared, differs_by_revision, preparation,
};

use crate::arguments::CompareArguments;
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::output::{Reported, gated};
use crate::run::{carry_out, told_to, wanted};
use crate::{asked, fleet, load, output, screen};

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    if arguments.serve.is_none() && arguments.sending.sending() != Sending::default() {
        return Err(Refusal::usage(anyhow!(
            "-c, --duration, --rate, … say how to load a server; name its command with --serve and --url, or leave them out"
        )));
    }
    match compared(&arguments.base_side, &arguments.candidate_side, &project)? {
        Compared::Runs { base, candidate } => stored(arguments, &project, &base, &candidate),
        Compared::Revisions(revisions) if arguments.serve.is_some() => served(arguments, &project, *revisions),
        Compared::Revisions(revisions) => live(arguments, &project, *revisions),
    }
}

fn live(arguments: &CompareArguments, project: &Project, revisions: Revisions) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let stop = stop_flag(ROUND)?;
    let screen = Screen::default();
    let listener = told_to(&screen, &arguments.measuring, project)?;
    let session = Session::new(&listener, stop).going_away(arguments.measuring.told.no_wait);
    let mut request = asked::request(&arguments.selection, &arguments.measuring, &arguments.comparing, project)?;
    // What is marked as a base, or named in tare.toml, is one for `tare run`: here a case is compared with itself.
    request.base.clone_from(&arguments.comparing.base);
    differs_by_revision(&request, project)?;
    let reported =
        Reported { json: arguments.selection.json, detail: &arguments.detail, reports: &arguments.comparing.reports };
    if arguments.measuring.fleet.on.is_some() {
        return fleet::submit((&arguments.measuring, &arguments.comparing), &reported, project, true);
    }
    request.prepare = preparation(arguments.prepare.as_ref(), project);
    request.benchmarks.clone_from(&arguments.benchmarks);
    request.measure_all = arguments.measure.or(project.settings.compare.measure_all).unwrap_or_default();
    // A typing mistake is told before minutes are spent on preparing.
    let mut files = output::open(&arguments.comparing.reports)?;
    let mut job = begin(request, project, Sides::default());
    session
        .check_out(&mut job, revisions, project)
        .map_err(Refusal::from)
        .inspect_err(|refusal| output::refused(&mut files, refusal, &job.origin))?;
    drop(files);
    let wanted = wanted(&arguments.comparing, &arguments.measuring, None);
    if let Some(pattern) = &arguments.why {
        let views = tare_session::reasons(job, &wanted, pattern, &session)?;
        screen::print(&match arguments.selection.json {
            true => tare_report::reasons_document(&views, Layout::Pretty),
            false => tare_report::reasons(&views, &screen::table_options(&arguments.detail)),
        });
        return Ok(Status::Done);
    }
    carry_out(job, &wanted, &reported, &session, begun)
}

/// Two stored runs, by their ids.
fn stored(arguments: &CompareArguments, project: &Project, base: &str, candidate: &str) -> Result<Status, Refusal> {
    // They are taken as they are: what says how to measure is a mistake.
    let mut given = of_benchmarks(arguments);
    given.extend([
        ("--tag", !arguments.measuring.tag.is_empty()),
        ("--control", arguments.comparing.control),
        ("--events", arguments.measuring.told.events.is_some()),
        ("--prepare", arguments.prepare.is_some()),
        ("--serve", arguments.serve.is_some()),
    ]);
    refuse(&given, "says how to measure, and stored runs are measured already; leave it out, or compare revisions")?;
    let gates: Vec<LoadGate> = arguments.comparing.fail_on.iter().copied().map(LoadGate::Compared).collect();
    if let Some(ran) = compare_stored_loads((base, candidate), arguments.comparing.margin, &gates, project)? {
        refuse(&of_runs(arguments), "is of runs of benchmarks, and these are loads; leave it out")?;
        return Ok(load::report(&ran, arguments.selection.json, &arguments.detail));
    }
    let mut files = output::open(&arguments.comparing.reports)?;
    let request = StoredRequest {
        base: (base.to_owned(), arguments.base_side.clone()),
        candidate: (candidate.to_owned(), arguments.candidate_side.clone()),
        filter: arguments.selection.filter.clone(),
        exclude: arguments.selection.exclude.clone(),
        group: arguments.selection.group.clone(),
        about: arguments.comparing.about,
        margin: arguments.comparing.margin,
        same: arguments.comparing.same,
        fail_on: arguments.comparing.fail_on.clone(),
        assertions: arguments.comparing.assert.clone(),
    };
    let (view, concluded) = tare_session::compare_stored(&request, project)?;
    output::show(&view, arguments.selection.json, &arguments.detail, &mut files)?;
    Ok(gated(&concluded, true))
}

/// What says which benchmarks to measure, and how.
fn of_benchmarks(arguments: &CompareArguments) -> Vec<(&'static str, bool)> {
    let (selection, measuring) = (&arguments.selection, &arguments.measuring);
    vec![
        ("PATH", !selection.paths.is_empty()),
        ("--runtime", !selection.runtime.is_empty()),
        ("--launches", measuring.launches.is_some()),
        ("--samples", measuring.samples.is_some()),
        ("--calls", !measuring.calls.is_empty() || !measuring.iterations.is_empty()),
        ("--interleave", measuring.interleave),
        ("--budget", measuring.budget.is_some()),
        ("--precision", measuring.precision.is_some()),
        ("--base", arguments.comparing.base.is_some()),
        ("--shard", measuring.shard.is_some()),
        ("--benchmarks", arguments.benchmarks.is_some()),
        ("--measure", arguments.measure.is_some()),
        ("--why", arguments.why.is_some()),
        ("--on", measuring.fleet.on.is_some()),
    ]
}

/// What to make of benchmarks that were measured.
fn of_runs(arguments: &CompareArguments) -> Vec<(&'static str, bool)> {
    let (selection, comparing) = (&arguments.selection, &arguments.comparing);
    vec![
        ("--filter", !selection.filter.is_empty()),
        ("--exclude", !selection.exclude.is_empty()),
        ("--group", !selection.group.is_empty()),
        ("--about", comparing.about.is_some()),
        ("--same", comparing.same.is_some()),
        ("--assert", !comparing.assert.is_empty()),
        ("a report to a file", comparing.reports.all().next().is_some()),
    ]
}

fn refuse(given: &[(&str, bool)], why: &str) -> Result<(), Refusal> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Refusal::usage(anyhow!("{option} {why}"))),
        None => Ok(()),
    }
}

/// A server in two revisions, under load.
fn served(arguments: &CompareArguments, project: &Project, revisions: Revisions) -> Result<Status, Refusal> {
    let CompareArguments { selection, measuring, comparing, .. } = arguments;
    let mut given = [of_benchmarks(arguments), of_runs(arguments)].concat();
    given.extend([
        ("--clock", measuring.clock.is_some()),
        ("--memory", measuring.memory.is_some()),
        ("--instructions", measuring.instructions),
    ]);
    refuse(&given, "is of benchmarks, and --serve compares servers under load; leave one of them out")?;
    let load = HttpLoad {
        urls: arguments.url.iter().cloned().collect(),
        start: arguments.serve.iter().cloned().collect(),
        cpus: asked::cpus(measuring.cpus.as_deref())?,
        pid: Vec::new(),
        timeout: selection.timeout,
        generators: None,
        sending: arguments.sending.sending(),
        judged: Judged {
            seed: measuring.seed,
            margin: comparing.margin,
            control: comparing.control,
            fail_on: comparing.fail_on.iter().copied().map(LoadGate::Compared).collect(),
        },
    };
    let prepare = preparation(arguments.prepare.as_ref(), project);
    let keep = (!measuring.no_store).then_some(Keep { project, tags: &measuring.tag });
    let folder = asked::folder_here()?;
    let ran = load::in_session(&measuring.told, |session| {
        session.compare_served(&load, revisions, prepare, (project, keep), &folder)
    })?;
    Ok(load::report(&ran, selection.json, &arguments.detail))
}
