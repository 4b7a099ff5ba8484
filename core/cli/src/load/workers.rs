//! `tare load PATH`: a benchmark's operations, done by several workers at once.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use tare_definition::Filter;
use tare_load::log::Logged;
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_load::workers::{self, Outcome, Target, TeamPlan};
use tare_report::{LoadTarget, LoadView};

use super::arguments::WorkersArguments;
use super::blocks::{Amount, Turns, blocks, comparisons};
use super::gate::judge;
use super::hire::Hire;
use super::http::{self, DURATION, MARGIN, WARM_UP};
use super::mixes::{Mix, shown};
use super::progress::LoadProgress;
use super::quiet::disturbances;
use super::seen;
use super::suites::{Found, Suite, find};
use crate::arguments::{Detail, Selection};
use crate::exit::{Refusal, Status};
use crate::failures::describe;
use crate::interrupt::stop_flag;
use crate::request::Request;
use crate::run::project_here;
use crate::{lock, screen};

/// What takes turns: one suite in one mix, on each runtime.
struct Group<'a> {
    suites: Vec<&'a Suite>,
    targets: Vec<Target>,
    names: Vec<String>,
}

pub(crate) fn load(arguments: &WorkersArguments) -> Result<Status, Refusal> {
    let mixes: Vec<Mix> = arguments.mix.iter().map(|text| Mix::parse(text)).collect::<Result<_, _>>()?;
    let filter = Filter::new(&arguments.filter, &[]).map_err(Refusal::usage)?;
    let project = project_here()?;
    let request = Request::of_selection(&selection(arguments), &project)?;
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    let found = find(&request, &filter, &interrupted)?;
    if interrupted() {
        return Ok(crate::run::stopped_early());
    }
    for failure in &found.failures {
        screen::complain(&describe(failure));
    }
    if found.suites.is_empty() {
        return nothing(&found, arguments);
    }
    let groups = groups(&found.suites, &mixes)?;
    if arguments.fail_on.iter().any(|gate| gate.needs_a_comparison())
        && groups.iter().all(|group| group.targets.len() < 2)
    {
        return Err(Refusal::usage(anyhow!(
            "--fail-on slower and inconclusive need something to compare; name two runtimes (--runtime)"
        )));
    }
    let mut log = match &arguments.hdr {
        Some(path) => Some((path.clone(), create(path)?)),
        None => None,
    };
    let seed = arguments.seed.unwrap_or_else(|| rand::random::<u64>() >> 32);
    let Some(_lock) = lock::take("`tare load`", &interrupted) else { return Ok(Status::Interrupted) };
    let mut view = LoadView { seed, warnings: disturbances(), ..LoadView::default() };
    let mut logged: Vec<(String, Series)> = Vec::new();
    let started = SystemTime::now();
    for group in &groups {
        let plan = plan(arguments, group, seed);
        let outcome = run(arguments, &plan, group, &stop)?;
        take(&mut view, arguments, (&plan.0, plan.1), group, &outcome);
        let series = outcome.targets.into_iter().map(|target| target.series);
        logged.extend(group.names.iter().cloned().zip(series));
        if view.interrupted {
            break;
        }
    }
    let is_kept = log.take().is_none_or(|(path, file)| keep_log(&path, file, started, &logged));
    let gated = judge(&arguments.fail_on, &mut view);
    let detail = Detail { verbose: arguments.verbose, chart: arguments.chart, ..Detail::default() };
    http::show(&view, arguments.json, &detail);
    let fell = !is_kept || !found.failures.is_empty() || view.targets.iter().any(|target| !target.fallen.is_empty());
    Ok(match http::status(&view, gated) {
        Status::Done | Status::Undecided if fell => Status::Failed,
        status => status,
    })
}

fn selection(arguments: &WorkersArguments) -> Selection {
    Selection {
        paths: arguments.paths.clone(),
        filter: Vec::new(),
        group: Vec::new(),
        runtime: arguments.runtime.clone(),
        timeout: Some(arguments.timeout),
        json: arguments.json,
    }
}

fn nothing(found: &Found, arguments: &WorkersArguments) -> Result<Status, Refusal> {
    if !found.failures.is_empty() {
        return Ok(Status::Failed);
    }
    Err(Refusal::usage(match arguments.filter.is_empty() {
        true => anyhow!(
            "no operation found: the sources mark none, as #[Tare\\Operation] in PHP, @tare.operation in Python, func Operation… in Go, \
             TARE_OPERATION in C++; or name the file"
        ),
        false => anyhow!("no suite with operations matches --filter"),
    }))
}

/// Every suite in every mix, with the runtimes that it is there for.
fn groups<'a>(suites: &'a [Suite], mixes: &[Mix]) -> Result<Vec<Group<'a>>, Refusal> {
    let mut names: Vec<&str> = Vec::new();
    for suite in suites {
        if !names.contains(&suite.name.as_str()) {
            names.push(&suite.name);
        }
    }
    let own = [None];
    let mixes: Vec<Option<&Mix>> = mixes.iter().map(Some).collect();
    let mixes = if mixes.is_empty() { own.to_vec() } else { mixes };
    let mut groups = Vec::new();
    for name in &names {
        for mix in &mixes {
            let members: Vec<&Suite> = suites.iter().filter(|suite| suite.name == *name).collect();
            let weighed = members.iter().map(|suite| match mix {
                Some(mix) => mix.weigh(&suite.name, &suite.operations),
                None if suite.operations.iter().all(|(.., weight)| *weight == 0) => Err(Refusal::usage(anyhow!(
                    "all operations of {} have the weight 0; give one a weight, or say with --mix which to do",
                    suite.name
                ))),
                None => Ok(suite.operations.clone()),
            });
            let targets: Vec<Target> =
                weighed.map(|weighed| weighed.map(|operations| Target { operations })).collect::<Result<_, _>>()?;
            let called = |(suite, target): (&&Suite, &Target)| {
                let mut parts = vec![suite.runtime.clone()];
                parts.extend((names.len() > 1).then(|| suite.name.clone()));
                parts.extend((mixes.len() > 1).then(|| shown(&target.operations)));
                parts.join(" ")
            };
            let names = members.iter().zip(&targets).map(called).collect();
            groups.push(Group { suites: members, targets, names });
        }
    }
    Ok(groups)
}

fn plan(arguments: &WorkersArguments, group: &Group<'_>, seed: u64) -> (TeamPlan, Option<f64>) {
    let pace = arguments.rate.map_or(Pace::Closed, |rate| Pace::Open { rate, arrivals: arguments.arrivals.into() });
    let amount = match arguments.operations {
        Some(operations) => Amount::Requests(operations),
        None => Amount::Duration(arguments.duration.unwrap_or(DURATION)),
    };
    let warm_up = match (arguments.warm_up, arguments.operations) {
        (Some(warm_up), _) => warm_up,
        (None, Some(_)) => Duration::ZERO,
        (None, None) => WARM_UP,
    };
    let (blocks, block_s) = blocks(group.targets.len(), amount, warm_up + arguments.ramp, Turns::WHOLE_ROUNDS, seed);
    let plan = TeamPlan {
        targets: group.targets.clone(),
        workers: arguments.workers,
        blocks,
        pace,
        ramp: arguments.ramp,
        timeout: arguments.timeout,
        seed,
    };
    (plan, block_s)
}

fn run(
    arguments: &WorkersArguments,
    (plan, _): &(TeamPlan, Option<f64>),
    group: &Group<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<Outcome, Refusal> {
    let hire = Hire { suites: group.suites.clone(), timeout: arguments.timeout, seed: plan.seed };
    let mut progress = LoadProgress::new(plan.blocks.len(), "operations");
    let available = tare_machine::available_memory(Path::new("/"));
    let outcome = workers::run(plan, &hire, available, stop, &mut |state| {
        let series: Vec<&Series> = state.targets.iter().map(|target| &target.series).collect();
        progress.show(state.block, state.elapsed, &series);
    });
    progress.clear();
    outcome.map_err(Refusal::usage)
}

/// Adds what a group gave.
fn take(
    view: &mut LoadView,
    arguments: &WorkersArguments,
    (plan, block_s): (&TeamPlan, Option<f64>),
    group: &Group<'_>,
    outcome: &Outcome,
) {
    let seen: Vec<LoadTarget> = (0..plan.targets.len())
        .map(|number| seen::target(&group.names[number], group.suites[number], number, plan, outcome))
        .collect();
    view.targets.extend(seen);
    // Where workers were missing another load is measured.
    let whole: Vec<_> = outcome
        .blocks
        .iter()
        .zip(&outcome.whole)
        .filter(|(_, whole)| **whole)
        .map(|(block, _)| block.clone())
        .collect();
    if group.names.len() > 1 && !whole.is_empty() {
        view.comparisons.extend(comparisons(&group.names, &whole, arguments.margin.unwrap_or(MARGIN)));
    }
    view.block_s = view.block_s.or(block_s);
    view.interrupted |= outcome.interrupted;
}

fn create(path: &Path) -> Result<File, Refusal> {
    File::create(path).map_err(|error| {
        Refusal::usage(anyhow!("--hdr {}: {error}; name a file in a folder that can be written", path.display()))
    })
}

fn keep_log(path: &Path, file: File, started: SystemTime, series: &[(String, Series)]) -> bool {
    let several = series.len() > 1;
    let logged: Vec<Logged<'_>> =
        series.iter().map(|(name, series)| Logged { tag: several.then_some(name.as_str()), series }).collect();
    super::log::keep(path, file, started, &logged)
}
