//! `tare run`: find, measure, store, report. What `tare compare` does with revisions goes the same way.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tare_definition::{Project, SameCases, parse_fail_on};
use tare_plan::{BaseError, BaseRule, Group, Same, across_languages, groups, pair_cases, together, with_controls};
use tare_results::RunView;
use tare_samples::{Case, Origin, Outcome, POLICY};
use tare_store::{Access, RunState, SqliteStore, Store, StoreError};

use crate::arguments::{ComparingArguments, Detail, RunArguments};
use crate::build::{Built, build, lacking};
use crate::enumerate::{Found, enumerate};
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::lonely::{self, Lonely};
use crate::machine_code;
use crate::measure::{Besides, measure};
use crate::nothing::{nothing_compared, nothing_to_measure};
use crate::placement::{check_cpus, place_workers};
use crate::progress::ProgressLine;
use crate::recorder::Recorder;
use crate::request::Request;
use crate::resume::{earlier, fingerprints, resume};
use crate::sides::Sides;
use crate::{assertion, budget, compared, fitness, gate, lock, next_run, output, same, screen, stored, views};

/// A worker that hasn't said hello by then won't.
pub(crate) const STARTUP: Duration = Duration::from_secs(30);
/// Variants that one round may hold: with more, a round takes so long that the machine changes within it.
const MOST_TOGETHER: usize = 32;
const GIT_LIMIT: Duration = Duration::from_secs(5);

/// A run to be made, or gone on with.
pub(crate) struct Job {
    pub(crate) request: Request,
    pub(crate) origin: Origin,
    pub(crate) store: Option<SqliteStore>,
    pub(crate) resumed: bool,
    /// CPUs of the workers; empty where they aren't bound.
    pub(crate) workers: Vec<usize>,
    /// What is held while it is measured.
    pub(crate) sides: Sides,
}

/// What becomes of what was measured.
pub(crate) struct Wanted<'a> {
    pub(crate) json: bool,
    pub(crate) store: bool,
    /// A stored run to compare with: the name that it was given, and its id.
    pub(crate) against: Option<(String, String)>,
    pub(crate) comparing: &'a ComparingArguments,
    pub(crate) detail: &'a Detail,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    // A slip of the pen is told before anything is measured; and `latest` means the run before this one.
    let against = match &arguments.against {
        Some(name) => Some((name.clone(), open_store(Access::ReadOnly)?.resolve(name).map_err(Refusal::usage)?)),
        None => None,
    };
    let job = match &arguments.resume {
        Some(name) => resume(name, &interrupted)?,
        None => {
            let project = project_here()?;
            let request = Request::of_run(&arguments.selection, &arguments.measuring, &arguments.comparing, &project)?;
            Some(begin(request, &project, Sides::default()))
        }
    };
    let Some(job) = job else { return Ok(stopped_early()) };
    let comparing =
        if job.resumed { asked_before(&job.request, &arguments.comparing)? } else { arguments.comparing.clone() };
    let wanted = Wanted {
        json: arguments.selection.json,
        store: !arguments.measuring.no_store,
        against,
        comparing: &comparing,
        detail: &arguments.detail,
    };
    carry_out(job, &wanted, &stop, begun)
}

/// Gates and summaries that the run was begun with, where none are given now.
fn asked_before(request: &Request, now: &ComparingArguments) -> Result<ComparingArguments, Refusal> {
    let mut comparing = now.clone();
    if comparing.fail_on.is_empty() {
        comparing.fail_on =
            request.fail_on.iter().map(|gate| parse_fail_on(gate)).collect::<Result<_, _>>().map_err(Refusal::usage)?;
    }
    comparing.markdown = comparing.markdown.or_else(|| request.markdown.clone());
    comparing.junit = comparing.junit.or_else(|| request.junit.clone());
    Ok(comparing)
}

pub(crate) fn stopped_early() -> Status {
    screen::complain("interrupted before anything was measured");
    Status::Interrupted
}

/// Measures, stores and reports a job.
pub(crate) fn carry_out(
    job: Job,
    wanted: &Wanted<'_>,
    stop: &Arc<AtomicBool>,
    begun: Instant,
) -> Result<Status, Refusal> {
    let mut files = output::Files::open(wanted.comparing)?;
    let origin = job.origin.clone();
    carry_out_into(&mut files, job, wanted, stop, begun).inspect_err(|refusal| files.refused(refusal, &origin))
}

fn carry_out_into(
    files: &mut output::Files,
    mut job: Job,
    wanted: &Wanted<'_>,
    stop: &Arc<AtomicBool>,
    begun: Instant,
) -> Result<Status, Refusal> {
    let interrupted = || stop.load(Ordering::Relaxed);
    if !job.sides.failures.is_empty() {
        let failures = std::mem::take(&mut job.sides.failures);
        return nothing_compared(job, Found::failed(failures), wanted, files, begun.elapsed());
    }
    let to_build = if job.resumed { lacking(&job.request) } else { job.request.sides.iter().collect() };
    let project = Project::find(&job.request.folder).map_err(Refusal::usage)?;
    // Nobody should wait for a build to be told of a slip of the pen.
    let gates = gate::Gates::new(&wanted.comparing.fail_on, &project)?;
    let rule = base_rule(&job.request)?;
    check_cpus(&job.request.cpus)?;
    if build(&project, &to_build, &interrupted)? == Built::Interrupted {
        return Ok(stopped_early());
    }
    let sources = job.request.sources()?;
    job.request.resolve(&sources)?;
    let all_files: Vec<_> = sources.iter().flat_map(|side| side.files.iter().cloned()).collect();
    let fingerprinted = fingerprints(&all_files);
    if job.resumed && job.request.fingerprints != fingerprinted {
        return Err(Refusal::usage(anyhow!(
            "run {} can't be gone on with: its sources have changed since, and launches of two versions don't belong together; begin a new run",
            job.origin.id
        )));
    }
    job.request.fingerprints = fingerprinted;
    let mut launcher = place_workers(&mut job)?;
    let mut found = enumerate(&job.request, &sources, &mut launcher, &interrupted);
    if interrupted() {
        return Ok(stopped_early());
    }
    if let Some(why) = found.without_clock.take() {
        return Err(Refusal::usage(anyhow!("{why}")));
    }
    // The settings and the store are those of where it was asked, whatever is checked out elsewhere.
    let all_same = &project.settings.same;
    let mut groups = planned(&job.request, &found, wanted.comparing, &rule, all_same)?;
    if crosses_languages(&job.request) {
        found.notices.extend(same::idle(all_same, &found, &job.request));
    }
    let sided = job.request.sides.len() > 1;
    let mut lonely = Lonely::default();
    if sided && !found.failures.is_empty() {
        // Half a comparison would be measured for nothing.
        lonely = lonely::leave_out(&mut groups, &found.missing, &job.request);
        if groups.is_empty() && found.failed_sides().len() < job.request.sides.len() {
            return nothing_compared(job, found, wanted, files, begun.elapsed());
        }
        found.notices.extend(lonely::notice(&lonely, &job.request));
    }
    if groups.is_empty() {
        return nothing_to_measure(job, found, wanted, files, begun.elapsed());
    }
    let cases: Vec<&Case> = groups.iter().flat_map(|group| &group.variants).map(|p| &p.variant.case).collect();
    assertion::check(&cases)?;
    // What tare.toml asks for is meant for the runs that compare; and where something failed, that is what has to be told.
    let refused = !wanted.comparing.fail_on.is_empty() && found.failures.is_empty();
    let compares = wanted.against.is_some() || groups.iter().any(|group| !group.pairs.is_empty());
    if refused && gates.need_a_comparison(&cases) && !compares && !job.request.compares_sides() {
        return Err(Refusal::usage(anyhow!(
            "--fail-on and max-slowdown need something to compare: several runtimes (--runtime), a base (--base), a stored run (--against), or `tare compare`"
        )));
    }
    for message in gates.idle(&cases, compares) {
        screen::complain(&message);
    }
    if !job.resumed && wanted.store {
        // Before anything is measured, so that a store that can't be written is told now and not after a minute's work; but
        // only when there is something to measure: a slip of the pen leaves no store behind.
        let path = project.store().join("tare.db");
        let mut store = SqliteStore::open(path, Access::ReadWrite).map_err(store_refusal)?;
        let request = serde_json::to_string(&job.request).map_err(Refusal::failed)?;
        job.origin.findings = fitness::before_the_run(&job, &groups);
        store.begin_run(&job.origin, &request).map_err(store_refusal)?;
        job.store = Some(store);
    }

    let mut earlier = earlier(&job, &groups)?;
    if let (true, Some(store)) = (job.resumed, &mut job.store) {
        // Only now, when nothing can refuse it any more: until then it stays as interrupted as it was.
        store.resume_run(&job.origin.id).map_err(Refusal::usage)?;
    }
    let progress = ProgressLine::new(&groups);
    let mut recorder = Recorder::new(job.store.take(), job.origin.id.clone(), progress, Arc::clone(stop));
    for (ordinal, planned) in (0..).zip(groups.iter().flat_map(|group| &group.variants)) {
        recorder.keep(|store, run| store.put_variant(run, ordinal, &planned.variant));
    }
    let what = format!("`tare` in {}", job.request.folder.display());
    let Some(held) = lock::take(&what, &interrupted) else {
        recorder.keep(|store, run| store.finish_run(run, RunState::Interrupted));
        return Ok(stopped_early());
    };
    let watch = fitness::Watch::begin(&job, &groups);
    let besides = Besides {
        memory: &|case: &Case| job.request.memory.is_some() || gates.limit_memory(case),
        instructions: &|case: &Case| job.request.instructions || gates.limit_instructions(case),
    };
    let keep = wanted.against.is_some();
    let mut measured = measure(&groups, &job.request, &mut launcher, &mut recorder, &mut earlier, keep, &besides);
    drop(held);
    job.origin.findings = watch.end();
    recorder.keep(|store, run| store.put_findings(run, &job.origin.findings));
    let mut comparisons = compared::views(&groups, &measured.comparisons, &measured.variants, all_same);
    if found.failures.is_empty() || sided {
        // What couldn't be loaded on one side isn't missing there.
        comparisons.unpaired = compared::unpaired(&job.request, &groups, &lonely);
    }
    compared::store(&mut recorder, &comparisons);
    compared::mark_unmeasured(&groups, &mut measured.variants, &mut recorder);
    let interrupted = recorder.is_stopped();
    let state = if interrupted { RunState::Interrupted } else { RunState::Complete };
    recorder.keep(|store, run| store.finish_run(run, state));
    recorder.progress.clear();

    let mut not_compared = None;
    let mut view = RunView {
        origin: job.origin,
        variants: measured.variants,
        comparisons,
        notices: found.notices,
        file_failures: found.failures,
        spent: Some(views::spent(&measured.spent, begun.elapsed().as_nanos() as u64)),
        stored: recorder.stores(),
    };
    if let (Some((name, id)), false) = (&wanted.against, interrupted) {
        // What was measured is shown whatever becomes of the comparison.
        let settings = &job.request.settings;
        let asked = stored::Asked { about: settings.about, margin: settings.margin };
        let added = stored::add_against(&mut view, (name, id), &measured.kept, &project, asked);
        not_compared = added.err();
    }
    // What can't be read has been told of already, or hinders nothing.
    let path = project.store().join("tare.db");
    if let (false, false, true, Ok(store)) =
        (interrupted, sided, path.exists(), SqliteStore::open(&path, Access::ReadOnly))
    {
        next_run::add(&mut view, &store).unwrap_or_default();
    }
    gates.judge(&mut view);
    if let Some(overrun) = &measured.overrun {
        screen::complain(&budget::told(overrun, groups.len()));
    }
    output::show(&view, wanted.json, wanted.detail, files)?;
    if interrupted {
        screen::complain(&match view.stored {
            true => format!("interrupted; `tare run --resume={}` goes on with it", view.origin.id),
            false => "interrupted; the run is not in the store, so it can't be gone on with".to_owned(),
        });
        return Ok(Status::Interrupted);
    }
    if let Some(refusal) = not_compared {
        return Err(refusal);
    }
    let failed = recorder.broken.is_some()
        || measured.unweighed
        || !view.file_failures.is_empty()
        || view.variants.iter().any(|variant| matches!(variant.outcome, Outcome::Failed(_)));
    if failed {
        return Ok(Status::Failed);
    }
    Ok(gates.conclude(&view))
}

pub(crate) fn project_here() -> Result<Project, Refusal> {
    let folder =
        std::env::current_dir().map_err(|e| Refusal::usage(anyhow!("the current folder can't be read: {e}")))?;
    Project::find(&folder).map_err(Refusal::usage)
}

/// The store of the project here.
pub(crate) fn open_store(access: Access) -> Result<SqliteStore, Refusal> {
    let project = project_here()?;
    SqliteStore::open(project.store().join("tare.db"), access).map_err(Refusal::usage)
}

/// A store that can't be used keeps a run from beginning.
fn store_refusal(error: StoreError) -> Refusal {
    let status = match error {
        // Nobody asked for that.
        StoreError::Full { .. }
        | StoreError::Locked { .. }
        | StoreError::Damaged { .. }
        | StoreError::Sqlite { .. } => Status::Failed,
        _ => Status::Usage,
    };
    Refusal { status, cause: anyhow!("{error} To measure without storing: `tare run --no-store`.") }
}

/// A new job for a checked request.
pub(crate) fn begin(request: Request, project: &Project, sides: Sides) -> Job {
    let now = jiff::Timestamp::now();
    let origin = Origin {
        id: format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), rand::random::<u16>()),
        started: now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        tags: request.tags.clone(),
        machine: tare_machine::facts(Path::new("/")),
        findings: Vec::new(),
        git: tare_machine::revision(&project.root, GIT_LIMIT),
        policy: POLICY,
        seed: request.settings.seed,
        tare: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Job { request, origin, store: None, resumed: false, workers: Vec::new(), sides }
}

fn base_rule(request: &Request) -> Result<BaseRule, Refusal> {
    Ok(match &request.base {
        Some(name) => BaseRule::Named(name.parse().map_err(Refusal::usage)?),
        None => BaseRule::Marked,
    })
}

/// Whether cases of several languages are compared, where there are some.
fn crosses_languages(request: &Request) -> bool {
    request.base.is_none() && request.sides.len() == 1
}

/// What is measured with what. `given`: what the command line says of it; what tare.toml says is for runs that it fits.
fn planned(
    request: &Request,
    found: &Found,
    given: &ComparingArguments,
    rule: &BaseRule,
    same: &[SameCases],
) -> Result<Vec<Group>, Refusal> {
    let mut groups = groups(&found.enumerated, &request.settings.calls);
    if crosses_languages(request) {
        let same: Vec<Same> =
            same.iter().map(|same| Same { name: same.name.clone(), cases: same.cases.clone() }).collect();
        groups = across_languages(groups, &same);
    }
    // Between revisions and runtimes a case is compared with itself.
    let lanes = request.lanes();
    let alone =
        lanes.iter().all(|(lane, ..)| lanes.iter().filter(|(other, ..)| other.driver == lane.driver).count() == 1);
    machine_code::look(&mut groups);
    if !groups.is_empty() && (request.base.is_some() || alone) {
        match pair_cases(groups.clone(), rule) {
            Ok(paired) => groups = paired,
            Err(error @ (BaseError::NoMatch { .. } | BaseError::Alone { .. })) if given.base.is_none() => {
                screen::complain(&format!("base in tare.toml: {error}; nothing is compared"));
            }
            Err(error) => return Err(Refusal::usage(error)),
        }
    }
    if request.control {
        // Where something failed, that is what has to be told.
        let refused = given.control && found.failures.is_empty() && !request.compares_sides();
        if refused && groups.iter().all(|group| group.pairs.is_empty()) {
            return Err(Refusal::usage(anyhow!(
                "--control compares a base with itself, and there is no comparison: name a base (--base), several runtimes, or use `tare compare`"
            )));
        }
        groups = with_controls(groups);
    }
    if request.settings.interleave {
        groups = together(groups);
    }
    let most = groups.iter().map(|group| group.variants.len()).max().unwrap_or(0);
    if most > MOST_TOGETHER {
        return Err(Refusal::usage(anyhow!(
            "{most} processes would have to be alive at once to be measured in the same rounds; choose at most {MOST_TOGETHER} with --filter"
        )));
    }
    Ok(groups)
}
