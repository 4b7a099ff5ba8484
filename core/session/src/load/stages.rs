//! A rate that grows in stages: up to which the target holds.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::plan::{Block, Outcome, Plan};
use tare_load::schedule::Pace;
use tare_results::{LoadKnee, LoadStage, PercentileLimit};

use crate::error::Error;
use crate::load::blocks::unmeasured_before;
use crate::load::checked::Checked;
use crate::load::drive::Drive;
use crate::load::gate::LoadGate;
use crate::load::http_view::latency;
use crate::load::progress::LoadProgress;
use crate::load::values::RateLadder;
use crate::session::Session;

/// The part of a stage that isn't counted: its beginning, in which the queue is still that of the rate before.
const SETTLING: u32 = 10;
/// More failures than this part of all, and a target doesn't hold.
const FAILED: f64 = 0.01;
const MISSED: f64 = 0.01;
const CHANCE: f64 = 3.0;

/// Puts all targets under one rate after the other, in random order; gives the stages of each.
pub(super) fn run(
    ladder: &RateLadder,
    plan: &mut Plan,
    clients: &mut dyn Drive,
    asked: &Checked,
    session: &Session<'_>,
) -> Result<(Outcome, Vec<Vec<LoadStage>>), Error> {
    let (rates, each) = (&ladder.rates, ladder.each);
    let arrivals = match asked.pace {
        Pace::Open { arrivals, .. } => arrivals,
        Pace::Closed => tare_load::schedule::Arrivals::Constant,
    };
    let mut rng = SmallRng::seed_from_u64(asked.seed);
    let mut order: Vec<usize> = (0..plan.targets).collect();
    let mut stages: Vec<Vec<LoadStage>> = vec![Vec::new(); plan.targets];
    let mut all = Outcome::default();
    let mut planned = Vec::new();
    let mut progress = LoadProgress::new(rates.len() * plan.targets, "requests", session);
    for (number, &rate) in rates.iter().enumerate() {
        order.shuffle(&mut rng);
        let settling = each / SETTLING;
        let block = |target: &usize| Block {
            target: *target,
            round: number as u32,
            length: Some(each + settling),
            operations: None,
            settling,
            measured: true,
            renewed: false,
        };
        let measured: Vec<Block> = order.iter().map(block).collect();
        plan.pace = Pace::Open { rate, arrivals };
        plan.seed = asked.seed.wrapping_add((number as u64) << 32);
        let warming = if number == 0 { asked.warm_up } else { Duration::ZERO };
        plan.blocks = unmeasured_before(measured.clone(), warming);
        planned.extend(measured);
        let outcome = clients.drive(plan, session, &mut |state| {
            let series = state.series.iter().collect::<Vec<_>>();
            progress.show(number * plan.targets + state.block, state.elapsed, &series);
        })?;
        for (target, stages) in stages.iter_mut().enumerate() {
            stages.extend(stage(&outcome, target, rate));
        }
        all.append(outcome);
        if session.is_stopped() {
            break;
        }
    }
    progress.clear();
    plan.blocks = planned;
    Ok((all, stages))
}

fn stage(outcome: &Outcome, target: usize, rate: f64) -> Option<LoadStage> {
    let mut own = outcome.blocks.iter().filter(|result| result.block.target == target);
    let result = own.next()?;
    let (throughput, seconds) = (result.throughput(), result.window.as_secs_f64());
    let total = &outcome.series.get(target)?.total;
    Some(LoadStage {
        rate,
        throughput,
        failed: total.failures.total(),
        late: total.late,
        dropped: total.dropped,
        kept: keeps_up(throughput + total.failures.total() as f64 / seconds, rate, seconds),
        latency: latency(&total.latencies),
    })
}

/// What ended is as much as was due, but for a hundredth and for chance (three standard deviations of a Poisson count). A request that began late and was
/// done all the same is no sign of it: its wait is in the latencies.
fn keeps_up(ended: f64, rate: f64, seconds: f64) -> bool {
    let due = rate * seconds;
    ended * seconds >= due * (1.0 - MISSED) - CHANCE * due.sqrt()
}

/// The percentile that is to stay below a limit, of the first gate that says so.
pub(super) fn limit(gates: &[LoadGate]) -> Option<PercentileLimit> {
    gates.iter().find_map(|gate| match gate {
        LoadGate::Latency(name, most) => Some(PercentileLimit {
            percentile: (*name).to_owned(),
            most_ns: u64::try_from(most.as_nanos()).unwrap_or(u64::MAX),
        }),
        _ => None,
    })
}

/// Up to which rate a target held, in the order of its stages.
pub(super) fn knee(stages: &[LoadStage], limit: Option<PercentileLimit>) -> LoadKnee {
    let of = |stage: &LoadStage, name: &str| stage.latency.as_ref().and_then(|latency| latency.percentile(name));
    let passes = |stage: &LoadStage| {
        limit.as_ref().is_some_and(|limit| of(stage, &limit.percentile).is_none_or(|found| found > limit.most_ns))
    };
    let holds = |stage: &&LoadStage| {
        let all = stage.failed + (stage.throughput.max(0.0)).round() as u64;
        stage.kept && !passes(stage) && stage.failed as f64 <= FAILED * all.max(1) as f64
    };
    let rate = stages.iter().take_while(holds).last().map(|stage| stage.rate);
    let passes_at = limit.as_ref().and_then(|limit| {
        let first = stages.iter().position(passes)?;
        let (below, above) = (stages.get(first.checked_sub(1)?)?, stages.get(first)?);
        let (low, high) = (of(below, &limit.percentile)? as f64, of(above, &limit.percentile)? as f64);
        // On logarithmic scales a latency before the knee and one after it lie on a line, as good as any.
        let part = ((limit.most_ns as f64).ln() - low.ln()) / (high.ln() - low.ln());
        let at = below.rate.ln() + part * (above.rate.ln() - below.rate.ln());
        Some(at.exp()).filter(|rate| rate.is_finite())
    });
    LoadKnee { rate, limit, passes_at }
}

#[cfg(test)]
mod tests {
    use tare_results::LoadLatency;

    use super::*;

    fn stage(rate: f64, p99: u64, kept: bool) -> LoadStage {
        let latency = LoadLatency { percentiles: vec![("p99".to_owned(), p99)], ..LoadLatency::default() };
        LoadStage { rate, throughput: rate, kept, latency: Some(latency), ..LoadStage::default() }
    }

    #[test]
    fn the_knee_is_the_last_rate_that_was_kept_within_the_limit() {
        let stages = [
            stage(100.0, 1_000, true),
            stage(200.0, 2_000, true),
            stage(400.0, 200_000, true),
            stage(800.0, 900_000, false),
        ];
        let free = knee(&stages, None);
        assert_eq!((free.rate, free.passes_at), (Some(400.0), None));
        let limited = knee(&stages, Some(("p99".to_owned(), 20_000).into()));
        assert_eq!(limited.rate, Some(200.0));
        // Half of the way from 2 to 200 µs, on logarithmic scales.
        let at = limited.passes_at.unwrap();
        assert!((at - 200.0 * 2.0f64.sqrt()).abs() < 0.01, "{at}");
        let hopeless = knee(&stages, Some(("p99".to_owned(), 500).into()));
        assert_eq!((hopeless.rate, hopeless.passes_at), (None, None));
        assert_eq!(knee(&stages, Some(("p99".to_owned(), 1_000_000).into())).rate, Some(400.0), "the rate wasn't kept");
        let failing = [LoadStage { failed: 50, ..stage(100.0, 1_000, true) }];
        assert_eq!(knee(&failing, None).rate, None);
    }

    #[test]
    fn a_rate_is_kept_up_with_when_hardly_anything_of_it_is_missing() {
        assert!(keeps_up(1000.0, 1000.0, 5.0) && keeps_up(985.0, 1000.0, 5.0), "chance");
        assert!(!keeps_up(940.0, 1000.0, 5.0) && !keeps_up(7710.0, 9380.0, 1.0));
        assert!(keeps_up(0.5, 1.0, 2.0), "of two requests one may come later");
    }

    #[test]
    fn the_limit_is_that_of_the_gate() {
        let gates = [LoadGate::Failures(0.0), LoadGate::parse("p99.9=50ms").unwrap()];
        assert_eq!(limit(&gates), Some(("p99.9".to_owned(), 50_000_000).into()));
        assert_eq!(limit(&gates[..1]), None);
    }
}
