//! HTTP servers under load, those that run already and those that are started.

use tare_load::client::Failure;
use tare_load::http::{Address, HttpClients, Probe, Target, kind, probe};
use tare_load::kept::KeptLoad;
use tare_load::plan::{Block, Outcome, Plan};
use tare_results::{LoadFollowed, LoadStage, LoadView};

use crate::error::Error;
use crate::load::again;
use crate::load::asked::HttpLoad;
use crate::load::blocks::{blocks, unmeasured_before};
use crate::load::checked::Checked;
use crate::load::drive::Drive;
use crate::load::followed::followed;
use crate::load::generators::Together;
use crate::load::launch::{Here, Launch};
use crate::load::machine_disturbance::{Look, disturbances};
use crate::load::pairs::processes_apart;
use crate::load::progress::LoadProgress;
use crate::load::stages;
use crate::load::started_servers;
use crate::load::turns::{connections_kept, turns};
use crate::session::Session;

/// What a load gave, and of whom.
pub(super) struct Loaded {
    pub(super) outcome: Option<Outcome>,
    /// The numbers of the targets that were under load.
    pub(super) there: Vec<usize>,
    /// Why a target wasn't, or not to the end.
    pub(super) failures: Vec<Option<String>>,
    /// Standard errors against the first that no number of rounds takes away, by target under load.
    pub(super) between_processes: Vec<f64>,
    /// It ended before its end, without anybody having asked for it.
    pub(super) cut_short: bool,
    /// Of each target under load, where the rate grew.
    pub(super) stages: Vec<Vec<LoadStage>>,
    /// What servers cost that were followed, by target that was named.
    pub(super) followed: Vec<Option<LoadFollowed>>,
}

impl Loaded {
    /// Names of the targets that were under load; a control has its target's.
    pub(super) fn names(&self, asked: &Checked) -> Vec<String> {
        self.there.iter().map(|at| asked.names[at % asked.names.len()].clone()).collect()
    }

    /// Together with what was measured before.
    pub(super) fn after(self, before: KeptLoad, plan: &mut Plan) -> Self {
        plan.blocks = before.planned;
        let mut outcome = before.outcome;
        outcome.append(self.outcome.unwrap_or_default());
        outcome.blocks = again::joined(outcome.blocks);
        Self { outcome: Some(outcome), ..self }
    }
}

/// Puts servers under load that run already, from several generators.
pub(super) fn by_generators(
    load: &HttpLoad,
    launch: Option<&mut dyn Launch>,
    asked: &Checked,
    plan: &mut Plan,
    view: &mut LoadView,
    session: &Session<'_>,
) -> Result<Loaded, Error> {
    let mut here;
    let launch = match launch {
        Some(launch) => launch,
        None => {
            here = Here::new()?;
            &mut here
        }
    };
    let is_here = launch.is_here();
    let together = Together::gather(load, asked, launch, session)?;
    let (mut loaded, found) = found(asked, session);
    if found.is_empty() {
        together.end();
        return Ok(loaded);
    }
    let mut together = together.on(loaded.there.clone());
    let alone = alone(&found);
    let look = is_here.then(Look::now);
    view.warnings = look.as_ref().map(Look::disturbances).unwrap_or_default();
    plan.targets = found.len();
    if let Some(ladder) = &asked.ladder {
        let (outcome, stages) = stages::run(ladder, plan, &mut together, asked, session)?;
        (loaded.outcome, loaded.stages) = (Some(outcome), stages);
    } else {
        view.warnings.extend(connections_kept(plan));
        let (turns, warm_up) = turns(plan, asked, &mut together, session)?;
        together.forget();
        (plan.blocks, view.block_s) = blocks(plan.targets, asked.amount, warm_up, turns, asked.seed);
        loaded.outcome = Some(driven(plan, &mut together, session)?);
        loaded.between_processes = between(&alone, look.as_ref());
    }
    let (generators, warnings) = together.told(asked.pace);
    view.generators = generators;
    view.warnings.extend(warnings);
    together.end();
    Ok(loaded)
}

/// Asks all targets once: those that answer, with where.
fn found(asked: &Checked, session: &Session<'_>) -> (Loaded, Vec<(Target, Address)>) {
    let probes: Vec<Result<Probe, String>> =
        asked.targets.iter().zip(&asked.names).map(|(target, name)| find(target, name, asked, session)).collect();
    let probe_of = |at: usize| &probes[at % probes.len()];
    let there: Vec<usize> = (0..asked.targets.len()).filter(|&at| probe_of(at).is_ok()).collect();
    let failures = probes.iter().map(|probe| probe.as_ref().err().cloned()).collect();
    let found: Vec<_> = there
        .iter()
        .filter_map(|&at| Some((asked.targets[at].clone(), probe_of(at).as_ref().ok()?.address.clone())))
        .collect();
    let loaded = Loaded {
        outcome: None,
        there,
        failures,
        between_processes: Vec::new(),
        cut_short: false,
        stages: Vec::new(),
        followed: Vec::new(),
    };
    (loaded, found)
}

/// Which targets answer at another address than the first: what answers at the same one is the same process, or the same lot of them.
fn alone(found: &[(Target, Address)]) -> Vec<bool> {
    found.iter().map(|(_, address)| *address != found[0].1).collect()
}

fn between(alone: &[bool], look: Option<&Look>) -> Vec<f64> {
    // Who begins to work in the middle of the load is seen at its end.
    let taken = match look {
        Some(look) if alone.contains(&true) => look.taken().max(Look::now().taken()),
        _ => 0.0,
    };
    alone.iter().map(|alone| if *alone { processes_apart(taken) } else { 0.0 }).collect()
}

fn driven(plan: &Plan, drive: &mut dyn Drive, session: &Session<'_>) -> Result<Outcome, Error> {
    let mut progress = LoadProgress::new(plan.blocks.len(), "requests", session);
    let outcome = drive.drive(plan, session, &mut |state| {
        progress.show(state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
    });
    progress.clear();
    outcome
}

/// Puts servers under load that run already.
pub(super) fn running(
    asked: &Checked,
    left: Option<Vec<Block>>,
    plan: &mut Plan,
    view: &mut LoadView,
    session: &Session<'_>,
) -> Result<Loaded, Error> {
    let (mut loaded, found) = found(asked, session);
    if found.is_empty() {
        return Ok(loaded);
    }
    let alone = alone(&found);
    let mut clients = HttpClients::new(&found, &asked.requests, &asked.tls, asked.connections).map_err(Error::usage)?;
    let look = Look::now();
    view.warnings = look.disturbances();
    plan.targets = found.len();
    if let Some(ladder) = &asked.ladder {
        let (outcome, stages) = stages::run(ladder, plan, &mut clients, asked, session)?;
        (loaded.outcome, loaded.stages) = (Some(outcome), stages);
        return Ok(loaded);
    }
    view.warnings.extend(connections_kept(plan));
    let (turns, warm_up) = turns(plan, asked, &mut clients, session)?;
    (plan.blocks, view.block_s) = blocks(plan.targets, asked.amount, warm_up, turns, asked.seed);
    if let Some(left) = left {
        plan.blocks = unmeasured_before(left, asked.warm_up);
    }
    let outcome = driven(plan, &mut clients, session)?;
    loaded.between_processes = between(&alone, Some(&look));
    if !asked.pid.is_empty() && !session.is_stopped() {
        loaded.followed = followed(plan, (&clients, &loaded.there), &outcome, asked, session)?;
    }
    loaded.outcome = Some(outcome);
    Ok(loaded)
}

/// Starts servers and puts them under load.
pub(super) fn begun(
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

fn find(target: &Target, name: &str, asked: &Checked, session: &Session<'_>) -> Result<Probe, String> {
    match probe((target, asked.socket.as_deref()), &asked.requests[0], &asked.tls, asked.connections, asked.timeout) {
        Ok(probe) => {
            if let Err(failure) = &probe.answer {
                session.notice(format!("{name}: {}", first_failed(failure, asked.connections.follow)));
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

/// How the request failed that looks for a target, with what to do where a redirect is in the way.
fn first_failed(failure: &Failure, follows: bool) -> String {
    let status = failure.status.map_or(String::new(), |status| format!(" (status {status})"));
    let detail = if failure.detail.is_empty() { String::new() } else { format!(": {}", failure.detail) };
    let remedy = match failure.kind == kind::STATUS_3XX && !follows {
        true => "; --follow follows redirects, --expect 2xx,3xx takes them for answers",
        false => "",
    };
    format!("the first request failed: {}{status}{detail}; going on, and counting{remedy}", failure.kind)
}
