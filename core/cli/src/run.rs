//! `tare run`: find, measure, store, report.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tare_definition::Project;
use tare_machine::{Placement, Topology};
use tare_plan::{Group, groups, together};
use tare_report::{Layout, RunView, TableOptions, VariantView};
use tare_samples::{Origin, Outcome, POLICY};
use tare_store::{Access, RunState, SqliteStore, Store, StoreError};
use tare_worker::{Launcher, ProcessLauncher};

use crate::arguments::RunArguments;
use crate::enumerate::{Found, enumerate, relative};
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::progress::ProgressLine;
use crate::recorder::Recorder;
use crate::request::Request;
use crate::resume::{Earlier, earlier, fingerprints, resume};
use crate::{screen, views};

/// A worker that hasn't said hello by then won't.
pub(crate) const STARTUP: Duration = Duration::from_secs(30);
/// Variants that one round may hold: with more, a round takes so long that the machine changes within it.
const MOST_TOGETHER: usize = 32;
const GIT_LIMIT: Duration = Duration::from_secs(5);
/// What is shown of the output that came before a failure.
const PRINTED_LINES: usize = 10;
const PRINTED_COLUMNS: usize = 160;

/// A run to be made, or gone on with.
pub(crate) struct Job {
    pub(crate) request: Request,
    pub(crate) origin: Origin,
    pub(crate) store: Option<SqliteStore>,
    pub(crate) resumed: bool,
}

pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    let stop = stop_flag()?;
    let mut job = match &arguments.resume {
        Some(name) => resume(name)?,
        None => begin(arguments)?,
    };
    let sources = job.request.sources()?;
    let fingerprints = fingerprints(&sources.files);
    if job.resumed && job.request.fingerprints != fingerprints {
        return Err(Refusal::usage(anyhow!(
            "run {} can't be gone on with: its sources have changed since, and launches of two versions don't belong together; begin a new run",
            job.origin.id
        )));
    }
    job.request.fingerprints = fingerprints;
    let mut launcher = place_workers(&mut job)?;
    let interrupted = || stop.load(Ordering::Relaxed);
    let found = enumerate(&job.request, &sources, &mut launcher, &interrupted);
    if interrupted() {
        screen::complain("interrupted before anything was measured");
        return Ok(Status::Interrupted);
    }
    let groups = planned(&job.request, &found, sources.bootstrap.as_deref())?;
    if groups.is_empty() {
        return nothing_to_measure(job, found, arguments, begun.elapsed());
    }
    if !job.resumed && !arguments.no_store {
        // Before anything is measured, so that a store that can't be written is told now and not after a minute's work; but
        // only when there is something to measure: a slip of the pen leaves no store behind.
        let path = sources.project.store().join("tare.db");
        let mut store = SqliteStore::open(path, Access::ReadWrite).map_err(store_refusal)?;
        let request = serde_json::to_string(&job.request).map_err(Refusal::failed)?;
        store.begin_run(&job.origin, &request).map_err(store_refusal)?;
        job.store = Some(store);
    }

    let mut earlier = earlier(&job, &groups)?;
    if let (true, Some(store)) = (job.resumed, &mut job.store) {
        // Only now, when nothing can refuse it any more: until then it stays as interrupted as it was.
        store.resume_run(&job.origin.id).map_err(Refusal::usage)?;
    }
    let progress = ProgressLine::new(&groups);
    let mut recorder = Recorder::new(job.store, job.origin.id.clone(), progress, stop);
    for (ordinal, planned) in (0..).zip(groups.iter().flat_map(|group| &group.variants)) {
        recorder.keep(|store, run| store.put_variant(run, ordinal, &planned.variant));
    }
    let (variants, engine) = measure(&groups, &job.request, &mut launcher, &mut recorder, &mut earlier);
    let interrupted = recorder.is_stopped();
    let state = if interrupted { RunState::Interrupted } else { RunState::Complete };
    recorder.keep(|store, run| store.finish_run(run, state));
    recorder.progress.clear();

    let view = RunView {
        origin: job.origin,
        variants,
        comparisons: tare_report::ComparisonsView::default(),
        notices: found.notices,
        file_failures: found.failures,
        spent: Some(views::spent(&engine, begun.elapsed().as_nanos() as u64)),
        stored: recorder.stores(),
    };
    if arguments.selection.json {
        screen::print(&tare_report::run_document(&view, Layout::Pretty));
    } else {
        screen::print(&tare_report::run_table(&view, &screen::table_options(&arguments.detail)));
    }
    if interrupted {
        screen::complain(&match view.stored {
            true => format!("interrupted; `tare run --resume={}` goes on with it", view.origin.id),
            false => "interrupted; the run is not in the store, so it can't be gone on with".to_owned(),
        });
        return Ok(Status::Interrupted);
    }
    let failed = recorder.broken.is_some()
        || !view.file_failures.is_empty()
        || view.variants.iter().any(|variant| matches!(variant.outcome, Outcome::Failed(_)));
    Ok(if failed { Status::Failed } else { Status::Done })
}

fn project_here() -> Result<Project, Refusal> {
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

fn begin(arguments: &RunArguments) -> Result<Job, Refusal> {
    let project = project_here()?;
    let request = Request::of_run(arguments, &project)?;
    let now = jiff::Timestamp::now();
    let origin = Origin {
        id: format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), rand::random::<u16>()),
        started: now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        tags: request.tags.clone(),
        machine: tare_machine::facts(Path::new("/")),
        git: tare_machine::revision(&project.root, GIT_LIMIT),
        policy: POLICY,
        seed: request.settings.seed,
        tare: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(Job { request, origin, store: None, resumed: false })
}

/// Chooses CPUs, binds this process to the core's, and says in the origin what was chosen.
fn place_workers(job: &mut Job) -> Result<ProcessLauncher, Refusal> {
    let requested = (!job.request.cpus.is_empty()).then_some(job.request.cpus.as_slice());
    let placement = match tare_machine::allowed_cpus() {
        Ok(allowed) => tare_machine::choose(&Topology::read(Path::new("/"), allowed), requested)
            .map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))?,
        Err(_) => Placement::Unpinned(tare_machine::Unpinned::Unsupported),
    };
    let cpus = match placement {
        Placement::Pinned { worker, core } => {
            // Not being able to move away is no reason not to measure; the worker is pinned all the same.
            let _ = tare_machine::pin_current_thread(&core);
            job.origin
                .machine
                .insert("workers".to_owned(), format!("on CPU {}", tare_machine::format_cpu_list(&worker)));
            worker
        }
        Placement::Unpinned(reason) => {
            job.origin.machine.insert("workers".to_owned(), format!("not pinned: {reason}"));
            Vec::new()
        }
    };
    Ok(ProcessLauncher::new(cpus, STARTUP))
}

/// What is measured with what.
fn planned(request: &Request, found: &Found, bootstrap: Option<&str>) -> Result<Vec<Group>, Refusal> {
    let groups = groups(&found.enumerated, &request.settings.calls, bootstrap);
    if !request.settings.interleave {
        return Ok(groups);
    }
    let variants: usize = groups.iter().map(|group| group.variants.len()).sum();
    if variants > MOST_TOGETHER {
        return Err(Refusal::usage(anyhow!(
            "--interleave would keep {variants} processes alive at once; choose at most {MOST_TOGETHER} with --filter"
        )));
    }
    Ok(together(groups))
}

/// Nothing was found: is that the user's error, or did everything fail?
fn nothing_to_measure(job: Job, found: Found, arguments: &RunArguments, took: Duration) -> Result<Status, Refusal> {
    let filtered = !job.request.filter.is_empty() || !job.request.group.is_empty();
    if found.failures.is_empty() && !arguments.selection.json {
        let options = screen::table_options(&arguments.detail);
        screen::complain_with(&tare_report::notices(&found.notices, &TableOptions { colour: false, ..options }));
    }
    for failure in &found.failures {
        screen::complain(&describe(failure));
    }
    let status = (!found.failures.is_empty()).then(|| found.status());
    if arguments.selection.json {
        let wall_ns = took.as_nanos() as u64;
        screen::print(&tare_report::run_document(
            &RunView {
                origin: job.origin,
                variants: Vec::new(),
                comparisons: tare_report::ComparisonsView::default(),
                notices: found.notices,
                file_failures: found.failures,
                spent: Some(views::spent(&tare_engine::Spent::default(), wall_ns)),
                stored: false,
            },
            Layout::Pretty,
        ));
    }
    status.ok_or_else(|| {
        Refusal::usage(if filtered {
            anyhow!("no case matches --filter and --group: a pattern is looked for in `Class::method#parameters` with the namespace, and case matters ((?i) lets it not); `tare list` shows the cases there are")
        } else {
            anyhow!(
                "no benchmark found: the sources have no class with methods that begin with `bench` (PHP); `tare list --verbose` shows what was looked at"
            )
        })
    })
}

/// A failure in one paragraph.
pub(crate) fn describe(failure: &tare_samples::Failure) -> String {
    let mut text = failure.to_string();
    if !failure.remedy.is_empty() {
        text.push_str(&format!("\n  {}", failure.remedy));
    }
    for (name, printed) in [("stdout", &failure.stdout), ("stderr", &failure.stderr)] {
        if !printed.trim().is_empty() {
            let lines: Vec<&str> = printed.trim_end().lines().collect();
            let hidden = lines.len().saturating_sub(PRINTED_LINES);
            let tail: Vec<String> = lines[hidden..].iter().map(|line| cut(line)).collect();
            let which = if hidden > 0 { format!(", the last {PRINTED_LINES} lines") } else { String::new() };
            text.push_str(&format!("\n  {name}{which}:\n    {}", tail.join("\n    ")));
        }
    }
    text
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(PRINTED_COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn measure(
    groups: &[Group],
    request: &Request,
    launcher: &mut ProcessLauncher,
    recorder: &mut Recorder,
    earlier: &mut HashMap<String, Earlier>,
) -> (Vec<VariantView>, tare_engine::Spent) {
    // What an earlier run has brought to an end is shown, not measured again; of a group only the rest is.
    let mut done: HashMap<String, VariantView> = HashMap::new();
    let mut made = Vec::new();
    let mut left = Vec::new();
    for group in groups {
        let mut pieces = Vec::new();
        let mut rest = Group { case: group.case.clone(), variants: Vec::new(), pairs: group.pairs.clone() };
        for planned in &group.variants {
            match earlier.remove(&planned.variant.id) {
                // Partners of a comparison stay together: what is done of them is taken into account again.
                Some(Earlier { done: Some(view), .. }) if group.pairs.is_empty() => {
                    done.insert(planned.variant.id.clone(), view);
                    continue;
                }
                Some(Earlier { calibration, launches, .. }) => pieces.push((calibration, launches)),
                None => pieces.push((None, Vec::new())),
            }
            rest.variants.push(planned.clone());
        }
        made.push(pieces);
        left.push(rest);
    }
    let run_begun_ns = launcher.now_ns();
    let measured = tare_engine::measure(&left, &request.settings, launcher, recorder, made, run_begun_ns);
    let (comparisons, spent) = (measured.comparisons, measured.spent);
    for compared in &comparisons {
        eprintln!("{:?}", compared);
    }
    for mut measurement in measured.measurements.into_iter().flatten() {
        if let Outcome::Failed(failure) = &mut measurement.outcome {
            failure.file = relative(&failure.file, request);
        }
        let summary = views::summarise(&measurement, request.settings.precision);
        recorder.outcome(&measurement, summary.as_ref());
        let id = measurement.variant.id.clone();
        done.insert(id, views::of_measurement(measurement, summary));
    }
    let order = groups.iter().flat_map(|group| &group.variants);
    (order.filter_map(|planned| done.remove(&planned.variant.id)).collect(), spent)
}
