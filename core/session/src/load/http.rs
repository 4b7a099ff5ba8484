//! Loads on HTTP servers.

use std::time::SystemTime;

use tare_load::driver;
use tare_load::http::{HttpClients, Probe, Target, probe};
use tare_load::kept::Kept;
use tare_load::log::Logged;
use tare_load::plan::{Block, Outcome, Plan};
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_request::Side;
use tare_results::{LoadComparison, LoadFollowed, LoadStage, LoadTarget, LoadView};
use tare_statistics::WarningCode;

use crate::error::Error;
use crate::load::again::{self, Again};
use crate::load::asked::{HttpLoad, LoadRan, MARGIN};
use crate::load::blocks::{Amount, blocks, unmeasured};
use crate::load::checked::Checked;
use crate::load::command;
use crate::load::compared::{Compared, Pair, comparisons, of_a_turn};
use crate::load::ending::ended;
use crate::load::followed::followed;
use crate::load::gate::judge;
use crate::load::http_view;
use crate::load::keep::{Keep, Keeper};
use crate::load::limits;
use crate::load::log;
use crate::load::machine_disturbance::{Look, disturbances};
use crate::load::pairs::{self, pairs, processes_apart};
use crate::load::progress::LoadProgress;
use crate::load::stages;
use crate::load::started_servers;
use crate::load::turns::{connections_kept, no_thread, turns};
use crate::prepare::lock;
use crate::session::Session;

impl Session<'_> {
    /// Puts HTTP servers under load.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, or it is stopped before anything is measured.
    pub fn load_http(&self, load: &HttpLoad, keep: Option<Keep<'_>>) -> Result<LoadRan, Error> {
        load_http(load, &[], NewOrResumed::New(keep), self)
    }
}

/// `sides`: the revisions in which servers are started.
pub(super) fn load_http(
    arguments: &HttpLoad,
    sides: &[Side],
    which: NewOrResumed<'_>,
    session: &Session<'_>,
) -> Result<LoadRan, Error> {
    let mut asked = Checked::of(arguments, sides)?;
    let _lock = lock::take("`tare load http`", session)?;
    // Servers of revisions are asked for by another command, which has more to say.
    let again = sides.is_empty().then(|| command::of_http(arguments, asked.seed));
    let mut view = LoadView { seed: Some(asked.seed), again, ..LoadView::default() };
    let started = SystemTime::now();
    let mut plan = Plan {
        targets: asked.targets.len(),
        connections: asked.count,
        threads: asked.threads,
        pace: asked.pace,
        timeout: asked.timeout,
        seed: asked.seed,
        blocks: Vec::new(),
    };
    let kind = if sides.is_empty() { HttpLoad::KIND } else { HttpLoad::SERVED };
    let (keeper, mut before) = match which {
        NewOrResumed::New(keep) => (Keeper::begin(keep, &(kind, arguments), &mut view)?, None),
        NewOrResumed::Again(again) => {
            (view.run, view.tags) = (again.run, again.tags);
            (again.keeper, Some(again.kept))
        }
    };
    let left = before.as_mut().map(|kept| again::left(kept, asked.targets.len()));
    let loaded = match asked.starts.is_empty() {
        true => running(&asked, left, &mut plan, &mut view, session),
        false => begun(&asked, left, &mut plan, &mut view, session),
    };
    let loaded = match (loaded, before) {
        (Ok(loaded), None) => loaded,
        (Ok(loaded), Some(before)) if loaded.there.len() == asked.targets.len() => loaded.after(before, &mut plan),
        (Ok(_), Some(_)) => {
            keeper.leave();
            return Err(Error::failed(
                "not all targets answer, so the load can't be resumed; what was measured stays in the store",
            ));
        }
        (Err(error), before) => {
            if before.is_some() {
                keeper.leave()
            } else {
                keeper.give_up()
            }
            return Err(error);
        }
    };
    let mut is_kept = true;
    let mut shown: Vec<LoadTarget> = asked
        .names
        .iter()
        .zip(&loaded.failures)
        .map(|(name, failure)| LoadTarget { name: name.clone(), failure: failure.clone(), ..LoadTarget::default() })
        .collect();
    let outcome = loaded.outcome.filter(|outcome| !outcome.series.is_empty());
    if let Some(outcome) = &outcome {
        for (number, &at) in loaded.there.iter().enumerate().filter(|(_, at)| **at < asked.names.len()) {
            let failure = shown[at].failure.take();
            shown[at] = http_view::target(&asked.names[at], number, &plan, outcome, &asked.targets[at], &asked);
            shown[at].warnings.extend(failure.map(pairs::server_ended));
            shown[at].followed = loaded.followed.get(at).cloned().flatten();
            if let Some(stages) = loaded.stages.get(number) {
                shown[at].knee = Some(stages::knee(stages, stages::limit(&arguments.judged.fail_on)));
                shown[at].stages.clone_from(stages);
                // Each stage says so of itself.
                shown[at].warnings.retain(|warning| !warning.is(WarningCode::RateNotKept));
            }
        }
        let names: Vec<String> = loaded.there.iter().map(|at| asked.names[at % asked.names.len()].clone()).collect();
        let found = match loaded.stages.is_empty() {
            true => pairs(&loaded.there, asked.names.len(), &loaded.between_processes),
            // What a target does at one rate is not to be mixed with what it does at another.
            false => Vec::new(),
        };
        let between_processes = found.iter().map(|pair| pair.between_processes).fold(0.0, f64::max);
        view.warnings.extend((between_processes > 0.0).then(|| pairs::one_process_each(between_processes)));
        let margin = arguments.judged.margin.unwrap_or(MARGIN);
        view.comparisons = compared(&asked, &plan, outcome, &names, (found, loaded.cut_short), margin);
        view.warnings.extend(pairs::controls_differ(&view.comparisons));
        if asked.pace == Pace::Closed {
            view.warnings.extend(limits::client(&outcome.effort, asked.threads));
        }
        if let Some((base, candidates)) = shown.split_first_mut() {
            for candidate in candidates {
                candidate.warnings.extend(limits::answers(base, candidate));
            }
        }
        view.interrupted = outcome.interrupted;
        if let Some((path, file)) = asked.log.take() {
            let logged: Vec<Logged<'_>> = outcome
                .series
                .iter()
                .zip(&names)
                .zip(&loaded.there)
                .filter(|(_, at)| **at < asked.names.len())
                .map(|((series, name), _)| Logged { tag: (asked.names.len() > 1).then_some(name), series })
                .collect();
            is_kept = log::keep(&path, file, started, &logged, session);
        }
    }
    view.targets = shown;
    let gated = judge(&arguments.judged.fail_on, &mut view);
    let kept = Kept { planned: plan.blocks, outcome: in_order(outcome.unwrap_or_default(), &loaded.there) };
    let is_kept = keeper.end(&view, &kept, session) && is_kept;
    let failed = !is_kept || loaded.cut_short;
    let can_resume = asked.ladder.is_none() && view.interrupted && !view.run.is_empty() && sides.is_empty();
    Ok(LoadRan { can_resume, ..ended(view, gated, failed) })
}

/// A load that begins, or one that goes on where it was interrupted.
pub(super) enum NewOrResumed<'a> {
    /// It begins, and is stored if that is asked for.
    New(Option<Keep<'a>>),
    /// It goes on (`tare load resume`).
    Again(Box<Again>),
}

impl Loaded {
    /// Together with what was measured before.
    fn after(self, before: Kept, plan: &mut Plan) -> Self {
        plan.blocks = before.planned;
        let mut outcome = before.outcome;
        outcome.append(self.outcome.unwrap_or_default());
        outcome.blocks = again::joined(outcome.blocks);
        Self { outcome: Some(outcome), ..self }
    }
}

/// What was under load by the numbers that targets have in the report.
fn in_order(mut outcome: Outcome, there: &[usize]) -> Outcome {
    for result in &mut outcome.blocks {
        result.block.target = there.get(result.block.target).copied().unwrap_or(result.block.target);
    }
    let last = there.iter().max().map_or(0, |last| last + 1);
    let mut series = vec![Series::default(); last];
    for (seen, &at) in outcome.series.into_iter().zip(there) {
        series[at] = seen;
    }
    Outcome { series, ..outcome }
}

/// What a load gave, and of whom.
struct Loaded {
    outcome: Option<Outcome>,
    /// The numbers of the targets that were under load.
    there: Vec<usize>,
    /// Why a target wasn't, or not to the end.
    failures: Vec<Option<String>>,
    /// Standard errors against the first that no number of rounds takes away, by target under load.
    between_processes: Vec<f64>,
    /// It ended before its end, without anybody having asked for it.
    cut_short: bool,
    /// Of each target under load, where the rate grew.
    stages: Vec<Vec<LoadStage>>,
    /// What servers cost that were followed, by target that was named.
    followed: Vec<Option<LoadFollowed>>,
}

/// Puts servers under load that run already.
fn running(
    asked: &Checked,
    left: Option<Vec<Block>>,
    plan: &mut Plan,
    view: &mut LoadView,
    session: &Session<'_>,
) -> Result<Loaded, Error> {
    let probes: Vec<Result<Probe, String>> =
        asked.targets.iter().zip(&asked.names).map(|(target, name)| find(target, name, asked, session)).collect();
    let probe_of = |at: usize| &probes[at % probes.len()];
    let there: Vec<usize> = (0..asked.targets.len()).filter(|&at| probe_of(at).is_ok()).collect();
    let failures = probes.iter().map(|probe| probe.as_ref().err().cloned()).collect();
    let found: Vec<_> = there
        .iter()
        .filter_map(|&at| Some((asked.targets[at].clone(), probe_of(at).as_ref().ok()?.address.clone())))
        .collect();
    // What answers at the same address is the same process, or the same lot of them.
    let alone: Vec<bool> = found.iter().map(|(_, address)| *address != found[0].1).collect();
    let mut loaded = Loaded {
        outcome: None,
        there,
        failures,
        between_processes: Vec::new(),
        cut_short: false,
        stages: Vec::new(),
        followed: Vec::new(),
    };
    if found.is_empty() {
        return Ok(loaded);
    }
    let clients = HttpClients::new(&found, &asked.requests, &asked.tls, asked.connections).map_err(Error::usage)?;
    let look = Look::now();
    view.warnings = look.disturbances();
    plan.targets = found.len();
    if let Some((rates, each)) = &asked.ladder {
        let (outcome, stages) = stages::run((rates.as_slice(), *each), plan, &clients, asked, session)?;
        (loaded.outcome, loaded.stages) = (Some(outcome), stages);
        return Ok(loaded);
    }
    view.warnings.extend(connections_kept(plan));
    let (turns, warm_up) = turns(plan, asked, &clients, session)?;
    let before = left.as_ref().map(|_| unmeasured(plan.targets, asked.warm_up));
    (plan.blocks, view.block_s) = blocks(plan.targets, asked.amount, warm_up, turns, asked.seed);
    if let (Some(left), Some(before)) = (left, before) {
        plan.blocks = before.into_iter().chain(left).collect();
    }
    let mut progress = LoadProgress::new(plan.blocks.len(), "requests", session);
    let outcome = driver::run(plan, &clients, session.stop_flag(), &mut |state| {
        progress.show(state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
    })
    .map_err(no_thread)?;
    progress.clear();
    // Who begins to work in the middle of the load is seen at its end.
    let taken = if alone.contains(&true) { look.taken().max(Look::now().taken()) } else { 0.0 };
    loaded.between_processes =
        alone.into_iter().map(|alone| if alone { processes_apart(taken) } else { 0.0 }).collect();
    if !asked.follow.is_empty() && !session.is_stopped() {
        loaded.followed = followed(plan, (&clients, &loaded.there), &outcome, asked, session)?;
    }
    loaded.outcome = Some(outcome);
    Ok(loaded)
}

/// Starts servers and puts them under load.
fn begun(
    asked: &Checked,
    left: Option<Vec<Block>>,
    plan: &mut Plan,
    view: &mut LoadView,
    session: &Session<'_>,
) -> Result<Loaded, Error> {
    view.warnings = disturbances();
    view.placed = asked.placed.to_string();
    let found = started_servers::run(&asked.starts, left, plan, asked, session)?;
    view.block_s = found.block_s;
    view.interrupted = found.outcome.interrupted;
    let mut failures = vec![None; asked.names.len()];
    let cut_short = found.failure.is_some();
    if let Some((number, failure)) = found.failure {
        failures[number % asked.names.len()] = Some(failure);
    }
    let there = (0..asked.starts.len()).collect();
    let between_processes = vec![0.0; asked.starts.len()];
    Ok(Loaded {
        outcome: Some(found.outcome),
        there,
        failures,
        between_processes,
        cut_short,
        stages: Vec::new(),
        followed: Vec::new(),
    })
}

/// The rounds of targets that took turns.
fn compared(
    asked: &Checked,
    plan: &Plan,
    outcome: &Outcome,
    names: &[String],
    (pairs, cut_short): (Vec<Pair>, bool),
    margin: f64,
) -> Vec<LoadComparison> {
    let mut results = outcome.blocks.as_slice();
    // The round that was cut short isn't one.
    if outcome.interrupted || cut_short {
        let last = results.iter().map(|result| result.block.round).max();
        results = &results[..results.partition_point(|result| Some(result.block.round) < last)];
    }
    let closed = matches!((asked.pace, asked.amount), (Pace::Closed, Amount::Duration(_)));
    let of_a_turn = match closed {
        true => of_a_turn(results, &plan.blocks, plan.connections),
        false => f64::INFINITY,
    };
    comparisons(&[Compared { names, results, of_a_turn, pairs }], margin)
}

fn find(target: &Target, name: &str, asked: &Checked, session: &Session<'_>) -> Result<Probe, String> {
    match probe((target, asked.socket.as_deref()), &asked.requests[0], &asked.tls, asked.connections, asked.timeout) {
        Ok(probe) => {
            if let Err(failure) = &probe.answer {
                let status = failure.status.map_or(String::new(), |status| format!(" (status {status})"));
                session.notice(format!(
                    "{name}: the first request failed: {}{status}; going on, and counting",
                    failure.kind
                ));
            }
            Ok(probe)
        }
        Err(failure) => {
            let message = format!("{}: {}", failure.kind, failure.detail);
            session.notice(format!("{name}: no connection: {message}"));
            Err(message)
        }
    }
}
