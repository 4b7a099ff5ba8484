//! Loads on HTTP servers.

use std::time::SystemTime;

use tare_load::kept::KeptLoad;
use tare_load::log::Logged;
use tare_load::plan::{Outcome, Plan};
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_request::Side;
use tare_results::{LoadComparison, LoadTarget, LoadView};
use tare_statistics::WarningCode;
use tare_statistics::comparison::Rule;

use crate::error::Error;
use crate::load::again::{self, NewOrResumed};
use crate::load::asked::{HttpLoad, LoadRan};
use crate::load::blocks::Amount;
use crate::load::checked::Checked;
use crate::load::command;
use crate::load::compared::{TargetPair, TargetTurns, comparisons, of_a_turn};
use crate::load::ending::ended;
use crate::load::gate::judge;
use crate::load::http_view;
use crate::load::ineffective;
use crate::load::keep::{Keep, Keeper};
use crate::load::launch::Launch;
use crate::load::limits;
use crate::load::loaded::{Loaded, begun, by_generators, running};
use crate::load::pairs::{self, pairs};
use crate::load::stages;
use crate::prepare::lock;
use crate::session::Session;

impl Session<'_> {
    /// Puts HTTP servers under load.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, or it is stopped before anything is measured.
    pub fn load_http(&self, load: &HttpLoad, keep: Option<Keep<'_>>) -> Result<LoadRan, Error> {
        load_http(load, &[], NewOrResumed::New(keep), None, self)
    }

    /// As [`load_http`](Self::load_http), by generators that `launch` starts.
    ///
    /// # Errors
    ///
    /// As there; and where generators can't be had.
    pub fn load_http_from(
        &self,
        load: &HttpLoad,
        keep: Option<Keep<'_>>,
        launch: &mut dyn Launch,
    ) -> Result<LoadRan, Error> {
        load_http(load, &[], NewOrResumed::New(keep), Some(launch), self)
    }
}

/// `sides`: the revisions in which servers are started.
pub(super) fn load_http(
    arguments: &HttpLoad,
    sides: &[Side],
    which: NewOrResumed<'_>,
    launch: Option<&mut dyn Launch>,
    session: &Session<'_>,
) -> Result<LoadRan, Error> {
    let mut asked = Checked::of(arguments, sides)?;
    ineffective::of_http(arguments, &asked).into_iter().for_each(|told| session.notice(told));
    // Where generators of other machines send, this one only waits.
    let is_here = launch.as_ref().is_none_or(|launch| launch.is_here());
    let _lock = if is_here { Some(lock::take("`tare load http`", session)?) } else { None };
    let started = SystemTime::now();
    let Recorded { keeper, before, mut plan, mut view } = record(arguments, sides, &asked, which)?;
    let (mut loaded, keeper) = measured(&asked, (keeper, before), &mut plan, &mut view, (arguments, launch, session))?;
    let outcome = loaded.outcome.take().filter(|outcome| !outcome.series.is_empty());
    view.targets = shown(arguments, &asked, &plan, &loaded, outcome.as_ref());
    let mut is_kept = true;
    if let Some(outcome) = &outcome {
        let names = loaded.names(&asked);
        judged(arguments, &asked, (&plan, &loaded, outcome, &names), &mut view);
        if let Some(log) = asked.log.take() {
            let logged = logged(&asked, &loaded, outcome, &names);
            is_kept = log.keep(started, &logged, session);
        }
    }
    let gated = judge(&arguments.judged.fail_on, &mut view);
    let outcome = in_order(outcome.unwrap_or_default(), &loaded.there);
    let kept = KeptLoad { planned: plan.blocks, outcome, ..KeptLoad::default() };
    let is_kept = keeper.end(&view, &kept, session) && is_kept;
    let failed = !is_kept || loaded.cut_short;
    let can_resume = arguments.generators.is_none()
        && asked.ladder.is_none()
        && view.interrupted
        && !view.run.is_empty()
        && sides.is_empty();
    Ok(LoadRan { can_resume, ..ended(view, gated, failed) })
}

/// From here on it is stored; what there was before is known.
struct Recorded {
    keeper: Keeper,
    before: Option<KeptLoad>,
    plan: Plan,
    view: LoadView,
}

/// Says in the store that the load is under way, or takes from it what was measured of one that is resumed.
fn record(arguments: &HttpLoad, sides: &[Side], asked: &Checked, place: NewOrResumed<'_>) -> Result<Recorded, Error> {
    // Servers of revisions are asked for by another command, which has more to say.
    let again = sides.is_empty().then(|| command::of_http(arguments, asked.seed));
    let mut view = LoadView { seed: Some(asked.seed), again, ..LoadView::default() };
    let plan = Plan {
        targets: asked.targets.len(),
        connections: asked.count,
        threads: asked.threads,
        pace: asked.pace,
        timeout: asked.timeout,
        seed: asked.seed,
        blocks: Vec::new(),
    };
    let kind = if sides.is_empty() { HttpLoad::KIND } else { HttpLoad::SERVED };
    let (keeper, before) = match place {
        NewOrResumed::New(keep) => (Keeper::begin(keep, &(kind, arguments), &mut view)?, None),
        NewOrResumed::Again(again) => {
            (view.run, view.tags) = (again.run, again.tags);
            (again.keeper, Some(again.kept))
        }
    };
    Ok(Recorded { keeper, before, plan, view })
}

/// Puts the targets under load. Where that can't be done a new load never was, and one that is resumed stays as it is stored.
fn measured(
    asked: &Checked,
    (keeper, mut before): (Keeper, Option<KeptLoad>),
    plan: &mut Plan,
    view: &mut LoadView,
    (arguments, launch, session): (&HttpLoad, Option<&mut dyn Launch>, &Session<'_>),
) -> Result<(Loaded, Keeper), Error> {
    let left = before.as_mut().map(|kept| again::left(kept, asked.targets.len()));
    let loaded = match asked.starts.is_empty() {
        true if arguments.generators.is_some() => by_generators(arguments, launch, asked, plan, view, session),
        true => running(asked, left, plan, view, session),
        false => begun(asked, left, plan, view, session),
    };
    match (loaded, before) {
        (Ok(loaded), None) => Ok((loaded, keeper)),
        (Ok(loaded), Some(before)) if loaded.there.len() == asked.targets.len() => {
            Ok((loaded.after(before, plan), keeper))
        }
        (Ok(_), Some(_)) => Err(Error::failed(
            "not all targets answer, so the load can't be resumed; the store keeps the results so far",
        )),
        (Err(error), Some(_)) => Err(error),
        (Err(error), None) => {
            keeper.give_up();
            Err(error)
        }
    }
}

/// The targets that were named, as the report has them.
fn shown(
    arguments: &HttpLoad,
    asked: &Checked,
    plan: &Plan,
    loaded: &Loaded,
    outcome: Option<&Outcome>,
) -> Vec<LoadTarget> {
    let mut shown: Vec<LoadTarget> = asked
        .names
        .iter()
        .zip(&loaded.failures)
        .map(|(name, failure)| LoadTarget { name: name.clone(), failure: failure.clone(), ..LoadTarget::default() })
        .collect();
    let Some(outcome) = outcome else { return shown };
    for (number, &at) in loaded.there.iter().enumerate().filter(|(_, at)| **at < asked.names.len()) {
        let failure = shown[at].failure.take();
        shown[at] = http_view::target(&asked.names[at], number, plan, outcome, &asked.targets[at], asked);
        shown[at].warnings.extend(failure.map(pairs::server_ended));
        shown[at].followed = loaded.followed.get(at).cloned().flatten();
        if let Some(stages) = loaded.stages.get(number) {
            shown[at].knee = Some(stages::knee(stages, stages::limit(&arguments.judged.fail_on)));
            shown[at].stages.clone_from(stages);
            // Each stage says so of itself.
            shown[at].warnings.retain(|warning| !warning.is(WarningCode::RateNotKept));
        }
    }
    if let Some((base, candidates)) = shown.split_first_mut() {
        for candidate in candidates {
            candidate.warnings.extend(limits::answers(base, candidate));
        }
    }
    shown
}

/// Compares the targets, and says what is to be known of all of them.
fn judged(
    arguments: &HttpLoad,
    asked: &Checked,
    (plan, loaded, outcome, names): (&Plan, &Loaded, &Outcome, &[String]),
    view: &mut LoadView,
) {
    let found = match loaded.stages.is_empty() {
        true => pairs(&loaded.there, asked.names.len(), &loaded.between_processes),
        // What a target does at one rate is not to be mixed with what it does at another.
        false => Vec::new(),
    };
    let between_processes = found.iter().map(|pair| pair.between_processes).fold(0.0, f64::max);
    view.warnings.extend((between_processes > 0.0).then(|| pairs::one_process_each(between_processes)));
    let rule = arguments.judged.rule();
    view.comparisons = compared(asked, plan, outcome, names, (found, loaded.cut_short), &rule);
    view.warnings.extend(pairs::controls_differ(&view.comparisons));
    if asked.pace == Pace::Closed && view.generators.is_empty() {
        view.warnings.extend(limits::client(&outcome.effort, asked.threads));
    }
    view.warnings.extend(limits::connecting(&outcome.effort));
    view.interrupted = outcome.interrupted;
}

/// What the histogram log has: those that were named.
fn logged<'a>(asked: &Checked, loaded: &Loaded, outcome: &'a Outcome, names: &'a [String]) -> Vec<Logged<'a>> {
    let all = outcome.series.iter().zip(names).zip(&loaded.there);
    all.filter(|(_, at)| **at < asked.names.len())
        .map(|((series, name), _)| Logged { tag: (asked.names.len() > 1).then_some(name), series })
        .collect()
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

/// The rounds of targets that took turns.
fn compared(
    asked: &Checked,
    plan: &Plan,
    outcome: &Outcome,
    names: &[String],
    (pairs, cut_short): (Vec<TargetPair>, bool),
    rule: &Rule,
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
    comparisons(&[TargetTurns { names, results, of_a_turn, pairs }], rule)
}
