//! From a job to its results: listed, planned, recorded, measured, judged, one after the other.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tare_definition::{FailOn, Measure, Project};
use tare_machine::AffinityGuard;
use tare_plan::{BaseRule, Group};
use tare_request::again;
use tare_results::{RunView, VariantView};
use tare_samples::{Case, Outcome, Spent, Variant};
use tare_statistics::BetweenRuns;
use tare_statistics::comparison::Rule;
use tare_store::{Access, RunState};
use tare_worker::{Launcher, ProcessLauncher, build_time};

use crate::error::Error;
use crate::event::Event;
use crate::job::Job;
use crate::judging::empty::{nothing_compared, nothing_found};
use crate::judging::gate::Gates;
use crate::judging::stored::NamedRun;
use crate::judging::{assertion, earlier_runs, fitness, lent, live, shared_error, stored, unmeasured};
use crate::listing::counterparts::{self, WithoutCounterpart};
use crate::listing::enumerate::{CaseListing, enumerate};
use crate::listing::{lacking_files, same, settings_of_sides, unprepared};
use crate::measuring::lanes;
use crate::measuring::measure::{Before, ExtraMeasurements, RunMeasurements, measure};
use crate::measuring::precedent::precedent;
use crate::measuring::recorder::Recorder;
use crate::measuring::resume::{Earlier, check_fingerprints, earlier, in_stored_order};
use crate::planning::part::keep_own;
use crate::planning::plan::{Given, base_rule, crosses_languages, planned};
use crate::planning::planned::Planned;
use crate::prepare::build::build_sides;
use crate::prepare::placement::place_workers;
use crate::prepare::{layouts, lock};
use crate::project::{open_store, open_to_measure, store_place, tell_of_later_runs, unless_stored};
use crate::proving::{self, Finding};
use crate::ran::{End, Ran};
use crate::session::Session;

/// What is done with the measurements: stored, compared with a stored run, judged by gates.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The run is stored.
    pub store: bool,
    /// A stored run to compare with.
    pub against: Option<NamedRun>,
    /// Gates; empty for those of tare.toml.
    pub fail_on: Vec<FailOn>,
    /// Which options of comparisons the command line gave; those of tare.toml are taken only by runs that they fit.
    pub given: Given,
}

/// After [`list`]: the cases are known.
pub(crate) struct Listed {
    pub(crate) job: Job,
    project: Project,
    gates: Gates,
    rule: BaseRule,
    pub(crate) launcher: ProcessLauncher,
    /// This thread, away from the workers.
    _bound: Option<AffinityGuard>,
    pub(crate) found: CaseListing,
    /// How long the workers were asked for cases, without what was built for it.
    took: Duration,
}

/// After [`record`]: the run is in the store, and what an interrupted run has measured before is known.
struct Recorded<'a> {
    recorder: Recorder<'a>,
    earlier: HashMap<String, Earlier>,
    between_runs: HashMap<String, BetweenRuns>,
}

/// Measures, stores and judges a job.
///
/// # Errors
///
/// Whatever keeps it from being measured. What goes wrong later is in the result.
pub fn run(mut job: Job, wanted: &Wanted, session: &Session<'_>, begun: Instant) -> Result<Ran, Error> {
    if !job.sides.failures.is_empty() {
        let found = CaseListing::failed(std::mem::take(&mut job.sides.failures));
        return Ok(nothing_compared(job, found, begun.elapsed()));
    }
    let mut listed = list(job, wanted, session)?;
    let planned = plan(&mut listed, wanted, session)?;
    let failed_sides = listed.found.failed_sides().len();
    if planned.groups.is_empty()
        && sided(&listed.job)
        && failed_sides > 0
        && failed_sides < listed.job.request.sides.len()
    {
        return Ok(nothing_compared(listed.job, listed.found, begun.elapsed()));
    }
    if planned.groups.is_empty() {
        return Ok(nothing_found(listed.job, listed.found, begun.elapsed()));
    }
    check_gates(&listed, &planned, wanted, session)?;
    let mut planned = without_unchanged(&mut listed, planned, session);
    if session.is_stopped() {
        return Err(Error::interrupted());
    }
    let recorded = record(&mut listed, &planned, wanted, session)?;
    let (measured, recorder) = measured(&mut listed, &mut planned, recorded, wanted, session)?;
    Ok(judged(listed, planned, measured, recorder, wanted, begun))
}

fn sided(job: &Job) -> bool {
    job.request.sides.len() > 1
}

/// Builds, finds the sources, and asks the workers for cases.
pub(crate) fn list(mut job: Job, wanted: &Wanted, session: &Session<'_>) -> Result<Listed, Error> {
    let mut project = Project::find(&job.request.folder).map_err(Error::usage)?.storing_in(job.store_choice.as_deref());
    if job.request.without_project_gates {
        project.settings.comparing.fail_on.clear();
        project.settings.limits.clear();
    }
    // Nobody should wait for a build to be told of a typing mistake.
    let gates = Gates::new(&wanted.fail_on, &project)?;
    let rule = base_rule(&job.request)?;
    lanes::check(&job.request)?;
    shared_error::check(&job.request, wanted.store || job.resumed)?;
    build_sides(&mut job, &project, session)?;
    let sources = job.request.sources()?;
    job.request.resolve(&sources)?;
    check_fingerprints(&mut job, &sources)?;
    let (mut launcher, bound) = place_workers(&mut job)?;
    // Builds may have all CPUs; workers have their own.
    let on_all = AffinityGuard::bind(&job.topology.allowed);
    let (begun, built) = (Instant::now(), build_time());
    let mut found = enumerate(&job.request, &sources, (&mut launcher, job.cpus()), session);
    let took = begun.elapsed().saturating_sub(build_time().saturating_sub(built));
    drop(on_all);
    if session.is_stopped() {
        return Err(Error::interrupted());
    }
    if let Some(why) = found.without_clock.take() {
        return Err(Error::usage(why));
    }
    found.notices.extend(settings_of_sides::notice(&job.request, &project));
    found.notices.extend(lent::notice(&job.request));
    Ok(Listed { job, project, gates, rule, launcher, _bound: bound, found, took })
}

/// Decides what is measured with what.
pub(crate) fn plan(listed: &mut Listed, wanted: &Wanted, session: &Session<'_>) -> Result<Planned, Error> {
    let Listed { job, project, gates, rule, found, .. } = listed;
    // The settings and the store are those of where it was asked, whatever is checked out elsewhere.
    let all_same = &project.settings.same;
    let mut groups = planned(&job.request, found, wanted.given, rule, all_same, session)?;
    if crosses_languages(&job.request) {
        found.notices.extend(same::without_effect(all_same, found, &job.request));
    }
    let mut unmatched = WithoutCounterpart::default();
    if sided(job) && !found.failures.is_empty() {
        // Half a comparison would be measured for nothing.
        unmatched = counterparts::leave_out(&mut groups, &found.missing, &job.request);
        if !groups.is_empty() || found.failed_sides().len() == job.request.sides.len() {
            found.notices.extend(counterparts::notice(&unmatched, &job.request));
        }
    }
    let mut groups = keep_own(groups, &mut job.request, project)?;
    in_stored_order(&mut groups, job)?;
    gates.ask(&mut groups);
    let compares = wanted.against.is_some() || groups.iter().any(|group| !group.pairs.is_empty());
    let differs = vec![None; groups.len()];
    Ok(Planned { groups, differs, unchanged: Vec::new(), unmatched, compares, before: Duration::ZERO })
}

/// Leaves out of what is measured what is proven to be unchanged.
fn without_unchanged(listed: &mut Listed, planned: Planned, session: &Session<'_>) -> Planned {
    let begun = Instant::now();
    let findings = found_before(listed, &planned.groups, session);
    let before = listed.took + begun.elapsed();
    if let Some(why) = proving::why_measured(&findings) {
        session.notice(why);
    }
    let mut left = Planned { groups: Vec::new(), differs: Vec::new(), before, ..planned };
    for (at, (mut group, finding)) in planned.groups.into_iter().zip(findings).enumerate() {
        match finding {
            Some(Finding::Unchanged(proof)) => left.unchanged.push((at, group, proof)),
            finding => {
                let differs = finding.and_then(Finding::what_differs);
                group.pairs.iter_mut().for_each(|pair| pair.differs = differs.is_some() && !pair.control);
                left.groups.push(group);
                left.differs.push(differs);
            }
        }
    }
    left
}

/// What can be said of each group before it is measured.
pub(crate) fn found_before(listed: &Listed, groups: &[Group], session: &Session<'_>) -> Vec<Option<Finding>> {
    let Listed { job, project, gates, launcher, took, .. } = listed;
    if job.request.revising.measure == Some(Measure::All) {
        return vec![None; groups.len()];
    }
    let measured = |case: &Case| gates.asks_for_figures(case);
    proving::prove(groups, &job.request, &project.store(), (launcher, job.cpus()), &measured, *took, session)
}

/// Refuses gates that nothing can decide, and tells of those that have nothing to judge.
fn check_gates(listed: &Listed, planned: &Planned, wanted: &Wanted, session: &Session<'_>) -> Result<(), Error> {
    let Listed { job, gates, found, .. } = listed;
    let variants = planned.groups.iter().flat_map(|group| &group.variants);
    let cases: Vec<&Case> = variants.map(|planned| &planned.variant.case).collect();
    assertion::check(&cases)?;
    // What tare.toml asks for is meant for the runs that compare; and where something failed, that is what has to be told.
    let refused = !wanted.fail_on.is_empty() && found.failures.is_empty();
    if refused && gates.need_a_comparison(&cases) && !planned.compares && !job.request.compares_sides() {
        return Err(Error::usage(
            "--fail-on and max-slowdown need something to compare: several runtimes (--runtime), a base (--base), a stored run (--against), or `tare compare`",
        ));
    }
    // Where revisions are compared all cases may stand on one side: the first benchmark of a project does.
    let compares = job.request.compares_sides() || planned.groups.iter().any(|group| !group.pairs.is_empty());
    lanes::check_total(&job.request, compares)?;
    shared_error::check_compares(&job.request, compares)?;
    let meant = job.request.compares_sides() || !wanted.fail_on.is_empty();
    for message in gates.without_effect(&cases, planned.compares, meant) {
        session.notice(message);
    }
    Ok(())
}

/// Opens the store, and takes from it what an interrupted run has measured.
fn record<'a>(
    listed: &mut Listed,
    planned: &Planned,
    wanted: &Wanted,
    session: &'a Session<'a>,
) -> Result<Recorded<'a>, Error> {
    let Listed { job, project, .. } = listed;
    let groups = &planned.groups;
    if !job.resumed && wanted.store {
        // Before anything is measured, so that a store that can't be written is told now and not after a minute's work; but
        // only when there is something to measure: a typing mistake leaves no store behind.
        let mut store = open_to_measure(project, session).map_err(unless_stored)?;
        shared_error::count(&mut job.request, groups, store.as_mut(), &job.origin.id)?;
        let request = serde_json::to_string(&job.request).map_err(Error::failed)?;
        job.origin.findings = fitness::before_the_run(job, groups);
        store.begin_run(&job.origin, &request).map_err(Error::store).map_err(unless_stored)?;
        tell_of_later_runs(store.as_ref(), &job.origin, session);
        job.store = Some(store);
    }
    let earlier = earlier(job, planned)?;
    if let (true, Some(store)) = (job.resumed, &mut job.store) {
        // Only now, when nothing can refuse it any more: until then it stays as interrupted as it was.
        store.resume_run(&job.origin.id).map_err(Error::usage)?;
    }
    let between_runs = earlier_runs::differ_by(job.store.as_deref(), groups, &job.origin, project);
    let own = &job.origin.id;
    job.request.settings.precedent = job.store.as_deref().and_then(|store| precedent(store, groups, &job.request, own));
    let mut recorder = Recorder::new(job.store.take(), job.origin.id.clone(), session);
    for (ordinal, (variant, is_measured)) in (0..).zip(planned.variants()) {
        recorder.keep(|store, run| store.put_variant(run, ordinal, variant));
        if !is_measured {
            recorder.keep(|store, run| store.put_outcome(run, &variant.id, &Outcome::Ok, None));
        }
    }
    recorder.keep(|store, run| store.put_failures(run, &listed.found.failures));
    session.emit(&Event::Planned {
        run: job.origin.id.clone(),
        groups: groups.iter().map(|group| group.case.clone()).collect(),
        variants: groups.iter().map(|group| group.variants.len()).sum(),
    });
    Ok(Recorded { recorder, earlier, between_runs })
}

/// Waits for the machine, links what is compared, and measures.
fn measured<'a>(
    listed: &mut Listed,
    planned: &mut Planned,
    recorded: Recorded<'a>,
    wanted: &Wanted,
    session: &Session<'_>,
) -> Result<(RunMeasurements, Recorder<'a>), Error> {
    let Listed { job, project, gates, launcher, .. } = listed;
    let Recorded { mut recorder, mut earlier, between_runs } = recorded;
    if planned.groups.is_empty() {
        // All of it is unchanged: nobody has to wait for the machine.
        return Ok((RunMeasurements::default(), recorder));
    }
    let held = lock::take(&format!("`tare` in {}", job.request.folder.display()), session)
        .inspect_err(|_| recorder.keep(|store, run| store.finish_run(run, RunState::Interrupted)))?;
    session.emit(&Event::Placing);
    // Listing and looks are part of the time, most links are, and so is finding out which CPUs share a core.
    let linked_ns = layouts::draw(&mut planned.groups, job, launcher, session);
    let begun_ns = launcher.now_ns().saturating_sub(linked_ns + planned.before.as_nanos() as u64);
    let groups = &planned.groups;
    let lanes = lanes::choose(job, groups, launcher, &mut recorder);
    let watch = fitness::Watch::begin(job, groups);
    let extra = ExtraMeasurements {
        memory: &|case: &Case| job.request.measuring.memory.is_some() || gates.limit_memory(case),
        work: &|case: &Case| job.request.measuring.work || gates.count(case),
        cpus: untimed_cpus(job),
    };
    let (places, all_same) = (&planned.places(), project.settings.same.as_slice());
    let before = Before { earlier: &mut earlier, between_runs: &between_runs, places, all_same, begun_ns };
    let measured = measure(
        groups,
        &job.request,
        (launcher, lanes.as_ref()),
        &mut recorder,
        before,
        wanted.against.is_some(),
        &extra,
    );
    lanes::leave(lanes, job, &mut recorder);
    drop(held);
    job.origin.findings = watch.end();
    recorder.keep(|store, run| store.put_findings(run, &job.origin.findings));
    Ok((measured, recorder))
}

/// CPUs for what isn't timed. A worker may use all of several that are named.
pub(crate) fn untimed_cpus(job: &Job) -> &[usize] {
    match job.request.cpus() {
        [] => &job.topology.allowed,
        [one] => std::slice::from_ref(one),
        _ => &[],
    }
}

/// Measures what is planned, and that is all: nothing is proven, stored, judged or compared with earlier runs.
pub(crate) fn only_measured(
    listed: &mut Listed,
    planned: &mut Planned,
    session: &Session<'_>,
) -> Result<RunMeasurements, Error> {
    let wanted = Wanted::default();
    let recorded = record(listed, planned, &wanted, session)?;
    let (measured, _) = measured(listed, planned, recorded, &wanted, session)?;
    session.emit(&Event::Measured { run: listed.job.origin.id.clone(), interrupted: session.is_stopped() });
    Ok(measured)
}

/// Compares, stores what that gives, and asks the gates.
fn judged(
    listed: Listed,
    planned: Planned,
    mut measured: RunMeasurements,
    mut recorder: Recorder<'_>,
    wanted: &Wanted,
    begun: Instant,
) -> Ran {
    let Listed { job, project, gates, found, .. } = listed;
    let order: Vec<(Variant, bool)> = planned.variants().into_iter().map(|(one, is)| (one.clone(), is)).collect();
    let places = planned.places();
    let Planned { groups, differs, unchanged, unmatched, before, .. } = planned;
    for compared in measured.comparisons.iter_mut().filter(|compared| !compared.pair.control) {
        compared.comparison.differs.clone_from(&differs[compared.group]);
    }
    let (settings, all_same) = (&job.request.settings, &project.settings.same);
    let unchanged = live::unchanged(&unchanged, &Rule::new(settings.about, settings.margin, settings.same), all_same);
    let mut comparisons = live::views(&groups, &measured.comparisons, &measured.variants, unchanged, all_same);
    if found.failures.is_empty() || sided(&job) {
        // What couldn't be loaded on one side isn't missing there.
        comparisons.unpaired = live::unpaired(&job.request, &groups, &unmatched);
    }
    shared_error::apply(&job.request, &mut comparisons);
    live::store(&mut recorder, &comparisons, &places);
    lent::mark(&job.request, &groups, (&mut measured.variants, &mut comparisons), &mut recorder);
    live::add_unchanged(&order, &mut measured.variants);
    let interrupted = recorder.is_stopped();
    let state = if interrupted { RunState::Interrupted } else { RunState::Complete };
    recorder.keep(|store, run| store.finish_run(run, state));
    recorder.session.emit(&Event::Measured { run: job.origin.id.clone(), interrupted });
    let mut view = RunView {
        ended: None,
        profiles: Vec::new(),
        origin: job.origin,
        variants: measured.variants,
        comparisons,
        notices: found.notices,
        file_failures: found.failures,
        spent: Some(Spent { wall_ns: begun.elapsed().as_nanos() as u64, ..measured.spent }),
        stored: recorder.stores(),
        again: Some(again(&job.request)),
    };
    let mut not_compared = None;
    if let (Some(against), false) = (&wanted.against, interrupted) {
        // What was measured is shown whatever becomes of the comparison.
        let settings = &job.request.settings;
        let rule = Rule::new(settings.about, settings.margin, settings.same);
        not_compared = stored::add_against(&mut view, against, &measured.kept, &project, &rule).err();
    }
    // What can't be read has been told of already, or hinders nothing.
    if !interrupted
        && job.request.sides.len() == 1
        && store_place(&project).is_ok_and(|place| place.exists())
        && let Ok(store) = open_store(&project, Access::ReadOnly)
    {
        earlier_runs::add_next(&mut view, store.as_ref()).unwrap_or_default();
    }
    let has_failed = |variant: &VariantView| matches!(variant.outcome, Outcome::Failed(_));
    let benchmarks_failed = !view.file_failures.is_empty() || view.variants.iter().any(has_failed);
    if benchmarks_failed {
        let of_variants = view.variants.iter().filter_map(|variant| match &variant.outcome {
            Outcome::Failed(failure) => Some(failure),
            _ => None,
        });
        let lacking = lacking_files::notice(&job.request, &project, of_variants.chain(&view.file_failures));
        view.notices.extend(unprepared::notice(&job.request).or(lacking));
    }
    gates.judge(&mut view);
    // Gates have seen what there was no time for as undecided.
    unmeasured::sum_up(&mut view, job.request.settings.total.map(|total| (total, before)), interrupted);
    let failed = recorder.broken.is_some() || measured.unweighed || benchmarks_failed;
    let end = match not_compared {
        _ if interrupted && !recorder.is_fenced() => End::Interrupted,
        Some(error) => End::NotCompared(error),
        None if failed => End::Failed,
        None if view.variants.is_empty() && view.comparisons.unmeasured > 0 => End::NothingMeasured,
        None => End::Judged(gates.conclude(&mut view)),
    };
    Ran { view, end }
}
