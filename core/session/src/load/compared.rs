//! What the rounds say of targets that took turns.

use tare_load::histogram::{Latencies, PERCENTILES};
use tare_load::plan::BlockResult;
use tare_results::LoadComparison;
use tare_statistics::comparison::{BlockFigure, Rule, compare_blocks};
use tare_statistics::{Estimate, Warning, WarningCode};

/// A percentile is compared where at least so many requests of a round lie beyond it.
const LEAST_BEYOND: f64 = 5.0;
/// The fewest operations of each connection (or worker) in a turn that is compared. With fewer, the operations that are cut at the turn's beginning and end weigh too much, and differently
/// for each target.
const LEAST_OF_A_TURN: f64 = 5.0;

/// A percentile of the latency isn't compared where a larger part of the requests failed, or more than lie beyond it: those that failed have no latency, and might
/// have had all the long ones.
const MOST_FAILED: f64 = 0.05;

/// Targets that took turns.
pub(crate) struct TargetTurns<'a> {
    /// Their names.
    pub(crate) names: &'a [String],
    /// Every target's rounds.
    pub(crate) results: &'a [BlockResult],
    /// Operations that each connection (or worker) did in a turn, of the target that did the fewest; infinite where turns don't matter.
    pub(crate) of_a_turn: f64,
    /// Which are compared.
    pub(crate) pairs: Vec<TargetPair>,
}

/// Two targets that are compared, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TargetPair {
    pub(crate) base: usize,
    pub(crate) candidate: usize,
    /// The part of the standard error of their log-ratio that more rounds don't make smaller, since it was drawn once for all rounds.
    pub(crate) between_processes: f64,
    /// The same target twice.
    pub(crate) control: bool,
}

/// Pairs of targets, figure by figure, from the log-ratios of the rounds in which both had their turns. All figures of all groups are one
/// family, and those of controls are another: with controls or without, the verdicts are the same.
pub(crate) fn comparisons(groups: &[TargetTurns<'_>], rule: &Rule) -> Vec<LoadComparison> {
    [false, true].into_iter().flat_map(|control| family(groups, control, rule)).collect()
}

fn family(groups: &[TargetTurns<'_>], control: bool, rule: &Rule) -> Vec<LoadComparison> {
    let labelled: Vec<(&TargetTurns<'_>, &TargetPair, String, BlockFigure)> = groups
        .iter()
        .flat_map(|group| group.pairs.iter().filter(|pair| pair.control == control).map(move |pair| (group, pair)))
        .flat_map(|(group, pair)| {
            figures(group, pair).into_iter().map(move |(metric, figure)| {
                let obstacle = (group.of_a_turn < LEAST_OF_A_TURN).then(|| short_turns(group.of_a_turn));
                let obstacle = obstacle.or(figure.obstacle.clone());
                let figure = BlockFigure { between_processes: pair.between_processes, obstacle, ..figure };
                (group, pair, metric, figure)
            })
        })
        .collect();
    let figures: Vec<BlockFigure> = labelled.iter().map(|(.., figure)| figure.clone()).collect();
    labelled
        .into_iter()
        .zip(compare_blocks(&figures, rule))
        .map(|((group, pair, metric, _), mut comparison)| {
            if metric == "throughput" {
                comparison.ratio = comparison.ratio.map(|time| Estimate {
                    estimate: 1.0 / time.estimate,
                    low: 1.0 / time.high,
                    high: 1.0 / time.low,
                });
            }
            let [base, candidate] = [pair.base, pair.candidate].map(|target| group.names[target].clone());
            LoadComparison { base, candidate, metric, control, comparison }
        })
        .collect()
}

fn short_turns(of_a_turn: f64) -> Warning {
    if of_a_turn == 0.0 {
        return Warning {
            code: WarningCode::ShortTurns.into(),
            message: "too few operations succeeded for a comparison".to_owned(),
            remedy: "read the failures of each target".to_owned(),
        };
    }
    Warning {
        code: WarningCode::ShortTurns.into(),
        message: format!(
            "a turn held {of_a_turn:.1} operations of each connection or worker, too few to compare turns"
        ),
        remedy: "measure longer (--duration): turns grow with it".to_owned(),
    }
}

/// Why a latency isn't compared that `percent` of the requests don't exceed, if too many failed.
fn too_many_failed(group: &TargetTurns<'_>, pair: &TargetPair, percent: f64) -> Option<Warning> {
    let share = |target: usize| {
        let rounds = group.results.iter().filter(|result| result.block.target == target);
        let (failed, succeeded) = rounds.fold((0, 0), |(failed, succeeded), result| {
            (failed + result.total.failed, succeeded + result.total.latencies.count())
        });
        (target, failed as f64 / (failed + succeeded).max(1) as f64)
    };
    let most = MOST_FAILED.min(1.0 - percent / 100.0);
    let shares = [share(pair.base), share(pair.candidate)];
    let (target, share) = shares.into_iter().filter(|(_, share)| *share > most).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Warning {
        code: WarningCode::Failures.into(),
        message: format!(
            "{:.2} % of the requests of {} failed and have no latency, so this percentile can't be compared",
            100.0 * share,
            group.names[target]
        ),
        remedy: "read the failures of each target, and repair their cause".to_owned(),
    })
}

fn figures(group: &TargetTurns<'_>, pair: &TargetPair) -> Vec<(String, BlockFigure)> {
    let rounds = group.results.iter().map(|result| result.block.round + 1).max().unwrap_or(0);
    let of = |target: usize, round: u32| {
        group.results.iter().find(|result| result.block.target == target && result.block.round == round)
    };
    let pairs: Vec<(&BlockResult, &BlockResult)> =
        (0..rounds).filter_map(|round| Some((of(pair.base, round)?, of(pair.candidate, round)?))).collect();
    let (base, candidate) = (all(pairs.iter().map(|pair| pair.0)), all(pairs.iter().map(|pair| pair.1)));
    // As a time: the inverse of the throughput.
    let pooled = (base.0 / candidate.0).ln();
    let mut figures = vec![("throughput".to_owned(), figure(&pairs, pooled, |result| Some(1.0 / result.throughput())))];
    for (name, percentile) in PERCENTILES {
        let beyond =
            |result: &BlockResult| result.total.latencies.count() as f64 * (1.0 - percentile / 100.0) >= LEAST_BEYOND;
        let enough = pairs.iter().filter(|(base, candidate)| beyond(base) && beyond(candidate)).count();
        // A percentile that only the quicker blocks can tell would be chosen by what it says.
        if enough * 10 < pairs.len() * 9 || pairs.is_empty() {
            continue;
        }
        let at = |latencies: &Latencies| latencies.percentile(percentile).map(|value| value as f64);
        let pooled = at(&candidate.1).zip(at(&base.1)).map_or(f64::NAN, |(candidate, base)| (candidate / base).ln());
        let of = |result: &BlockResult| result.total.latencies.percentile(percentile).map(|value| value as f64);
        let obstacle = too_many_failed(group, pair, percentile);
        figures.push((format!("latency.{name}"), BlockFigure { obstacle, ..figure(&pairs, pooled, of) }));
    }
    figures
}

/// Throughput and latencies of all rounds of a target together.
fn all<'a>(rounds: impl Iterator<Item = &'a BlockResult>) -> (f64, Latencies) {
    let (mut successes, mut seconds, mut latencies) = (0.0, 0.0, Latencies::new());
    for result in rounds {
        successes += result.in_window;
        seconds += result.window.as_secs_f64();
        result.total.latencies.add_to(&mut latencies);
    }
    (successes / seconds, latencies)
}

fn figure(
    pairs: &[(&BlockResult, &BlockResult)],
    pooled: f64,
    of: impl Fn(&BlockResult) -> Option<f64>,
) -> BlockFigure {
    let ratio = |(base, candidate): &(&BlockResult, &BlockResult)| Some((of(candidate)? / of(base)?).ln());
    let rounds: Vec<f64> = pairs.iter().filter_map(ratio).filter(|ratio| ratio.is_finite()).collect();
    let silent = pairs.len() - rounds.len();
    BlockFigure { rounds, pooled, silent, ..BlockFigure::default() }
}

/// Operations that each of `connections` did in a turn, of the target that did the fewest.
pub(crate) fn of_a_turn(results: &[BlockResult], turns: &[tare_load::plan::Block], connections: u32) -> f64 {
    let targets = results.iter().map(|result| result.block.target + 1).max().unwrap_or(0);
    let last = results.iter().map(|result| result.block.round).max();
    (0..targets)
        .map(|target| {
            let all: f64 =
                results.iter().filter(|result| result.block.target == target).map(|result| result.in_window).sum();
            // Of a load that was stopped, those that there were.
            let turns = turns
                .iter()
                .filter(|block| block.target == target && block.measured && Some(block.round) <= last)
                .count();
            all / turns as f64 / f64::from(connections)
        })
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::histogram::Latencies;
    use tare_load::plan::{Block, BlockResult};
    use tare_load::series::Stretch;
    use tare_statistics::comparison::Verdict;

    use super::{Rule, TargetPair, TargetTurns, comparisons, of_a_turn};
    use crate::load::blocks::{Amount, Turns, blocks};

    /// Forty rounds of two targets, the second of which does a tenth less.
    fn results(plan: &[Block]) -> Vec<BlockResult> {
        let result = |block: &Block| BlockResult {
            block: *block,
            total: Stretch::default(),
            in_window: if block.target == 0 { 1000.0 } else { 900.0 },
            window: Duration::from_millis(250),
        };
        plan.iter().map(result).collect()
    }

    /// The candidate answers a tenth of the requests with an error, and those that it answers well are quicker.
    #[test]
    fn a_latency_is_not_called_where_a_side_fails_often() {
        let amount = Amount::Duration(Duration::from_secs(10));
        let (plan, _) = blocks(2, amount, Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
        let mut results = results(&plan);
        let mut verdicts = |failed: u64| {
            for result in &mut results {
                result.total = Stretch::default();
                let mut latencies = Latencies::new();
                latencies.record_n(if result.block.target == 0 { 2_000_000 } else { 1_000_000 }, 1000);
                result.total.latencies = latencies.into();
                result.total.failed = if result.block.target == 1 { failed } else { 0 };
            }
            let names = ["a".to_owned(), "b".to_owned()];
            let pairs = vec![TargetPair { base: 0, candidate: 1, between_processes: 0.0, control: false }];
            let found = comparisons(
                &[TargetTurns { names: &names, results: &results, of_a_turn: 1000.0, pairs }],
                &Rule::default(),
            );
            let of = |metric: &str| found.iter().find(|one| one.metric == metric).unwrap().comparison.clone();
            let warned = |metric: &str| of(metric).warnings.first().map(|warning| warning.code.clone());
            ["throughput", "latency.p50", "latency.p99"].map(|metric| (of(metric).verdict, warned(metric)))
        };
        let open = || (Verdict::Inconclusive, Some("failures".to_owned()));
        assert_eq!(verdicts(0), [(Verdict::Slower, None), (Verdict::Faster, None), (Verdict::Faster, None)]);
        assert_eq!(verdicts(20), [(Verdict::Slower, None), (Verdict::Faster, None), open()]);
        assert_eq!(verdicts(100), [(Verdict::Slower, None), open(), open()]);
    }

    #[test]
    fn turns_that_hold_too_few_requests_decide_nothing() {
        let amount = Amount::Duration(Duration::from_secs(10));
        let (plan, _) = blocks(2, amount, Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
        let results = results(&plan);
        let names = ["a".to_owned(), "b".to_owned()];
        let verdict = |connections: u32, results: &[BlockResult]| {
            let of_a_turn = of_a_turn(results, &plan, connections);
            let pairs = vec![TargetPair { base: 0, candidate: 1, between_processes: 0.0, control: false }];
            let found = comparisons(&[TargetTurns { names: &names, results, of_a_turn, pairs }], &Rule::default())
                .swap_remove(0)
                .comparison;
            (found.verdict, found.warnings.first().map(|warning| warning.code.clone()))
        };
        assert_eq!(verdict(100, &results), (Verdict::Slower, None));
        assert_eq!(verdict(180, &results), (Verdict::Slower, None));
        assert_eq!(verdict(181, &results), (Verdict::Inconclusive, Some("short-turns".to_owned())));
        // Stopped after half of the rounds: as many in each turn.
        assert_eq!(verdict(180, &results[..40]), (Verdict::Slower, None));
    }
}
