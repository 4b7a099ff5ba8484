//! Groups of targets that take turns, whose operations workers do: one group after the other.

use std::path::Path;

use tare_load::kept::{KeptLoad, KeptTeam};
use tare_load::plan::BlockResult;
use tare_load::series::Series;
use tare_load::workers::{self, Outcome, TeamPlan};
use tare_results::{LoadTarget, LoadView};

use crate::error::Error;
use crate::load::again::{gone_on, left_of_team};
use crate::load::asked::WorkersLoad;
use crate::load::blocks::{Turns, blocks, unmeasured_before};
use crate::load::groups::Group;
use crate::load::hire::Hire;
use crate::load::progress::LoadProgress;
use crate::load::workers_view;
use crate::session::Session;

/// More workers take too long to be launched anew in each round.
pub(super) const RELAUNCHED_WORKERS: u32 = 64;

/// What the groups gave, as far as they came.
#[derive(Default)]
pub(super) struct Measured<'a> {
    /// Blocks of each that can be compared.
    pub(super) whole: Vec<(&'a Group<'a>, Vec<BlockResult>)>,
    /// By the names of targets that were asked for.
    pub(super) logged: Vec<(String, Series)>,
    pub(super) kept: KeptLoad,
}

impl<'a> Measured<'a> {
    /// Groups of several targets.
    pub(super) fn compared(&self) -> impl Iterator<Item = &(&'a Group<'a>, Vec<BlockResult>)> {
        self.whole.iter().filter(|(group, _)| group.names.len() > 1)
    }
}

/// Puts one group after the other under load. `before`: what the first of them did until they were interrupted; empty for a load that begins.
pub(super) fn measured<'a>(
    arguments: &WorkersLoad,
    (groups, before): (&'a [Group<'a>], Vec<KeptTeam>),
    seed: u64,
    view: &mut LoadView,
    session: &Session<'_>,
) -> Result<Measured<'a>, Error> {
    let mut measured = Measured::default();
    let mut before = before.into_iter();
    for group in groups {
        let (plan, block_s) = plan(arguments, group, seed);
        let mut team = team(arguments, plan.clone(), (group, before.next()), session)?;
        let number_before = view.targets.len();
        measured.kept.teams.push(team.clone());
        let blocks = take(view, (&plan, block_s), group, &mut team.outcome);
        for result in blocks.iter().filter(|result| result.block.target < group.asked) {
            let mut result = result.clone();
            result.block.target += number_before;
            measured.kept.outcome.blocks.push(result);
        }
        measured.whole.push((group, blocks));
        let series = team.outcome.targets.into_iter().map(|target| target.series).take(group.asked);
        measured.logged.extend(group.names.iter().cloned().zip(series));
        if view.interrupted {
            break;
        }
    }
    if !view.interrupted {
        measured.kept.teams.clear();
    }
    measured.kept.outcome.series = measured.logged.iter().map(|(_, series)| series.clone()).collect();
    Ok(measured)
}

/// What a group is to do, and what it did, all of it or what it hadn't done before.
fn team(
    arguments: &WorkersLoad,
    mut plan: TeamPlan,
    (group, before): (&Group<'_>, Option<KeptTeam>),
    session: &Session<'_>,
) -> Result<KeptTeam, Error> {
    let targets = plan.targets.clone();
    let Some(mut before) = before else {
        let planned = plan.blocks.clone();
        let outcome = run(arguments, &plan, group, session)?;
        return Ok(KeptTeam { targets, planned, outcome });
    };
    let left = if before.outcome.interrupted { left_of_team(&mut before, plan.workers) } else { Vec::new() };
    if left.is_empty() {
        return Ok(before);
    }
    let warm_up = arguments.paced.warm_up(arguments.operations) + arguments.ramp;
    plan.blocks = unmeasured_before(left, warm_up);
    plan.begun = before.outcome.targets.iter().map(|target| target.begun.clone()).collect();
    let planned = before.planned.clone();
    let after = run(arguments, &plan, group, session)?;
    Ok(KeptTeam { targets, planned, outcome: gone_on(before, after) })
}

fn plan(arguments: &WorkersLoad, group: &Group<'_>, seed: u64) -> (TeamPlan, Option<f64>) {
    let amount = arguments.paced.amount(arguments.operations);
    let warm_up = arguments.paced.warm_up(arguments.operations);
    let turns = match arguments.workers <= RELAUNCHED_WORKERS {
        true => Turns::WHOLE_ROUNDS.relaunched(warm_up, arguments.workers),
        false => Turns::WHOLE_ROUNDS,
    };
    let (blocks, block_s) = blocks(group.targets.len(), amount, warm_up + arguments.ramp, turns, seed);
    let plan = TeamPlan {
        targets: group.targets.clone(),
        workers: arguments.workers,
        blocks,
        pace: arguments.paced.pace(),
        ramp: arguments.ramp,
        timeout: arguments.timeout,
        seed,
        begun: Vec::new(),
    };
    (plan, block_s)
}

fn run(arguments: &WorkersLoad, plan: &TeamPlan, group: &Group<'_>, session: &Session<'_>) -> Result<Outcome, Error> {
    let hire = Hire { suites: group.suites.clone(), timeout: arguments.timeout, seed: plan.seed };
    let mut progress = LoadProgress::new(plan.blocks.len(), "operations", session);
    let available = tare_machine::available_memory(Path::new("/"));
    let outcome = workers::run(plan, &hire, available, session.stop_flag(), &mut |state| {
        let series: Vec<&Series> = state.targets.iter().map(|target| &target.series).collect();
        progress.show(state.block, state.elapsed, &series);
    });
    progress.clear();
    outcome.map_err(Error::usage)
}

/// Adds what a group gave, and gives back the blocks that can be compared.
fn take(
    view: &mut LoadView,
    (plan, block_s): (&TeamPlan, Option<f64>),
    group: &Group<'_>,
    outcome: &mut Outcome,
) -> Vec<BlockResult> {
    let seen: Vec<LoadTarget> = (0..group.asked)
        .map(|number| workers_view::target(&group.names[number], group.suites[number], number, plan, outcome))
        .collect();
    view.targets.extend(seen);
    view.block_s = view.block_s.or(block_s);
    view.interrupted |= outcome.interrupted;
    // Where workers were missing, or did nothing but fail, another load is measured.
    let blocks = std::mem::take(&mut outcome.blocks).into_iter();
    blocks.zip(&outcome.whole).filter(|(_, whole)| **whole).map(|(block, _)| block).collect()
}
