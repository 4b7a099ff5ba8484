//! What calls execute, by valgrind's callgrind, in launches of their own after everything was timed: all cases of a source in one.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tare_languages::of_name;
use tare_plan::{Group, Planned, is_control};
use tare_profile::{CountedCase, ProfileError, Tool, count_work, is_bare};
use tare_results::VariantView;
use tare_samples::{Case, CountedLaunch, CountedWork, Outcome, RuntimeCommand};
use tare_statistics::work::Work;
use tare_statistics::{Warning, WarningCode};
use tare_worker::ProcessLauncher;

use crate::event::{Event, LookingStep};
use crate::measuring::on_all_cpus::on_all_cpus_in_parts;
use crate::measuring::recorder::Recorder;
use crate::proving::Progress;
use tare_request::Request;

/// Under valgrind an interpreter takes seconds to start.
pub(crate) const STARTUP: Duration = Duration::from_secs(180);
/// Most calls of the shortest turn, and how long it may take without the tool. Under it code takes a hundred times as long.
const MOST_CALLS: f64 = 300.0;
const SHORTEST_TURN_NS: f64 = 1e5;
/// So many times as long turns are where a runtime does work of its own now and then: what it does once in many calls, as for a page of the heap, is spread.
const TIMES_WITH_A_RUNTIME: f64 = 5.0;
/// The same of the calls before it: Python rewrites code that was called ten times or so.
const MOST_FIRST_CALLS: f64 = 30.0;
const FIRST_TURN_NS: f64 = 1e6;
/// A call that takes longer isn't counted: seven of them, in three launches, would take minutes.
const LONGEST_CALL_NS: f64 = 2e8;
/// Cases of one launch. More of a source have several, so that all CPUs have their share.
const MOST_CASES: usize = 32;

/// A case of a job, with its place among all variants.
struct Wanted<'a> {
    planned: &'a Planned,
    at: usize,
    calls: u64,
    first_calls: u64,
    is_bare: bool,
}

/// Cases that one launch counts.
struct Job<'a> {
    wanted: Vec<&'a Wanted<'a>>,
    launch: usize,
}

/// Counts what was measured well and isn't counted yet, of the cases that are `wanted`, on all of `cpus` at once, since nothing is timed. Bases are
/// counted twice, with two seeds; candidates once, and again where they differ. What fails is a warning of its variant's, whose times are good. Where there
/// is no valgrind that is said once, and nothing is counted. Returns whether any failed.
pub(crate) fn count_all(
    groups: &[Group],
    variants: &mut [VariantView],
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    cpus: &[usize],
    recorder: &mut Recorder<'_>,
) -> bool {
    let uncounted = |view: &VariantView| {
        view.outcome == Outcome::Ok
            && wanted(&view.variant.case)
            && view.calibration.as_ref().is_some_and(|calibration| calibration.work.is_none())
    };
    if !variants.iter().any(uncounted) {
        return false;
    }
    if let Err(ProfileError::Missing { what, .. }) = Tool::Callgrind.check("", &[]) {
        recorder.session.notice(format!("no work is counted: {what}; install it, as with `apt-get install valgrind`"));
        return false;
    }
    let mut failed = false;
    let places: HashMap<String, usize> =
        variants.iter().enumerate().map(|(at, view)| (view.variant.id.clone(), at)).collect();
    let mut all: Vec<Wanted<'_>> = Vec::new();
    for group in groups {
        // Sides that are compared make as many calls.
        let time = |planned: &Planned| {
            let view = &variants[*places.get(&planned.variant.id)?];
            view.summary.as_ref().map(|summary| summary.raw.estimate)
        };
        let longest = group.variants.iter().filter_map(time).fold(1.0, f64::max);
        for planned in &group.variants {
            let Some(&at) = places.get(&planned.variant.id) else { continue };
            // A control is its base once more.
            if !uncounted(&variants[at]) || is_control(&planned.variant) {
                continue;
            }
            if longest > LONGEST_CALL_NS {
                failed = true;
                warn(&mut variants[at], "a call takes longer than 200 ms; count a smaller input of it");
                continue;
            }
            let iterations = variants[at].calibration.as_ref().map_or(1, |calibration| calibration.iterations);
            let own_work = of_name(&planned.variant.runtime.language).taken_over_at.is_some();
            let times = if own_work { TIMES_WITH_A_RUNTIME } else { 1.0 };
            let calls = (times * SHORTEST_TURN_NS / longest).clamp(1.0, times * MOST_CALLS) as u64;
            let first_calls = calls.max((FIRST_TURN_NS / longest).clamp(1.0, MOST_FIRST_CALLS) as u64);
            all.push(Wanted { planned, at, calls, first_calls, is_bare: is_bare(planned, iterations) });
        }
    }
    let candidates: Vec<&str> = groups.iter().flat_map(compared).map(|(_, candidate)| candidate).collect();
    let is_candidate = |one: &&Wanted<'_>| candidates.contains(&one.planned.variant.id.as_str());
    let mut jobs = by_source(all.iter().collect(), 0);
    jobs.extend(by_source(all.iter().filter(|one| !is_candidate(one)).collect(), 1));
    let mut counts: HashMap<usize, Vec<(usize, CountedLaunch)>> = HashMap::new();
    failed |= !done(&jobs, variants, &mut counts, request, cpus, recorder);
    let work = |counts: &HashMap<usize, Vec<(usize, CountedLaunch)>>, id: &str| {
        let mut launches = places.get(id).and_then(|at| counts.get(at)).cloned()?;
        launches.sort_by_key(|(launch, _)| *launch);
        Some(CountedWork { launches: launches.into_iter().map(|(_, counted)| counted).collect() })
    };
    let differing: Vec<&str> = groups
        .iter()
        .flat_map(compared)
        .filter(|(base, candidate)| {
            let sides = work(&counts, base).zip(work(&counts, candidate));
            sides.is_some_and(|(base, candidate)| Work::asks_for_confirmation(&base, &candidate))
        })
        .map(|(_, candidate)| candidate)
        .collect();
    let again = all.iter().filter(|one| differing.contains(&one.planned.variant.id.as_str())).collect();
    failed |= !done(&by_source(again, 1), variants, &mut counts, request, cpus, recorder);
    for one in &all {
        let view = &mut variants[one.at];
        let Some(found) = work(&counts, &one.planned.variant.id) else { continue };
        if let Some(calibration) = &mut view.calibration {
            calibration.work = Some(found);
            let calibration = calibration.clone();
            recorder.keep_calibration(&one.planned.variant, &calibration);
        }
    }
    failed
}

/// The ids of bases and candidates of a group that aren't controls.
fn compared(group: &Group) -> impl Iterator<Item = (&str, &str)> {
    let id = |at: usize| group.variants[at].variant.id.as_str();
    group.pairs.iter().filter(|pair| !pair.control).map(move |pair| (id(pair.base), id(pair.candidate)))
}

/// Those that are started alike stand together, where they have the same sources, or where one process may serve several.
fn by_source<'a>(mut wanted: Vec<&'a Wanted<'a>>, launch: usize) -> Vec<Job<'a>> {
    wanted.sort_by_key(|one| &one.planned.sources);
    let mut jobs: Vec<Job<'a>> = Vec::new();
    for one in wanted {
        let key = |planned: &'a Planned| -> (&'a RuntimeCommand, &'a [String], bool) {
            let sources: &[String] = if planned.startup.copies { &[] } else { &planned.sources };
            (&planned.start, sources, planned.startup.prelude)
        };
        match jobs.iter_mut().rev().find(|job| key(job.wanted[0].planned) == key(one.planned)) {
            Some(job) if job.wanted.len() < MOST_CASES => job.wanted.push(one),
            _ => jobs.push(Job { wanted: vec![one], launch }),
        }
    }
    jobs
}

/// Does the jobs, and puts what was counted to `counts`. Returns whether all went well.
fn done(
    jobs: &[Job<'_>],
    variants: &mut [VariantView],
    counts: &mut HashMap<usize, Vec<(usize, CountedLaunch)>>,
    request: &Request,
    cpus: &[usize],
    recorder: &Recorder<'_>,
) -> bool {
    let stop = Arc::clone(recorder.session.stop_flag());
    let mut well = true;
    let of = jobs.iter().map(|job| job.wanted.len()).sum();
    let mut progress = Progress::begin(recorder.session, LookingStep::Counting, of);
    on_all_cpus_in_parts(
        jobs,
        cpus,
        |cpu| ProcessLauncher::new(cpu.into_iter().collect(), &[], STARTUP),
        |launcher, job: &Job<'_>, tell| {
            let cases: Vec<CountedCase<'_>> = job
                .wanted
                .iter()
                .map(|one| CountedCase {
                    planned: one.planned,
                    calls: one.calls,
                    first_calls: one.first_calls,
                    is_bare: one.is_bare,
                })
                .collect();
            let seed = request.settings.seed.wrapping_add(job.launch as u64);
            match Folder::new() {
                Ok(folder) => count_work(
                    &cases,
                    seed,
                    &request.settings,
                    &folder.0,
                    launcher,
                    &mut |number, found| tell((number, found)),
                    &|| stop.load(Ordering::Relaxed),
                ),
                Err(error) => tell((0, Err(error))),
            }
        },
        |job, (number, found)| {
            let at = job.wanted[number].at;
            progress.add(1);
            match found {
                Ok(launch) => counts.entry(at).or_default().push((job.launch, launch)),
                Err(ProfileError::Interrupted) => return false,
                Err(error) => {
                    well = false;
                    warn(&mut variants[at], &error.to_string());
                }
            }
            true
        },
    );
    recorder.session.emit(&Event::Looked);
    well
}

fn warn(view: &mut VariantView, why: &str) {
    let Some(summary) = &mut view.summary else { return };
    summary.warnings.push(Warning {
        code: WarningCode::InstructionsNotCounted.into(),
        message: format!("its work was not counted: {why}"),
        remedy: "see what `tare profile --tool callgrind` says of it; its times are good".to_owned(),
    });
}

/// A temporary folder that goes when it is let go of.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, ProfileError> {
        let name = format!("tare-work-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).map_err(|error| ProfileError::File { path: path.display().to_string(), error })?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
