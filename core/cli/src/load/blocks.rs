//! Blocks: which target is under load when, and what the rounds say of the targets.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::driver::{Block, BlockResult};
use tare_load::histogram::PERCENTILES;
use tare_report::LoadComparison;
use tare_statistics::Estimate;
use tare_statistics::comparison::compare_blocks;

/// A target's go: long enough for some thousand requests, short beside the moods of a machine.
const BLOCK: Duration = Duration::from_millis(250);
/// The beginning of a go, in which the caches are still the other target's. Not counted.
const SETTLING: Duration = Duration::from_millis(25);
/// Rounds where the number of requests was fixed.
const ROUNDS_OF_REQUESTS: u64 = 40;
/// A percentile is compared where at least so many requests of a block lie beyond it.
const LEAST_BEYOND: f64 = 5.0;

/// How much load.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    Duration(Duration),
    Requests(u64),
}

/// The blocks for some targets, and how long one is where they take turns.
pub(crate) fn blocks(targets: usize, amount: Amount, warm_up: Duration, seed: u64) -> (Vec<Block>, Option<f64>) {
    let plain = Block { target: 0, round: 0, length: None, operations: None, settling: Duration::ZERO, measured: true };
    let mut blocks = Vec::new();
    if !warm_up.is_zero() {
        blocks.extend((0..targets).map(|target| Block { target, length: Some(warm_up), measured: false, ..plain }));
    }
    if targets == 1 {
        blocks.push(match amount {
            Amount::Duration(length) => Block { length: Some(length), ..plain },
            Amount::Requests(requests) => Block { operations: Some(requests), ..plain },
        });
        return (blocks, None);
    }
    let (rounds, block, length) = match amount {
        Amount::Duration(duration) => {
            let rounds = duration.div_duration_f64(BLOCK).round().max(1.0);
            let length = duration.div_f64(rounds);
            let settling = SETTLING.min(length / 10);
            (rounds as u64, Block { length: Some(length + settling), settling, ..plain }, Some(length.as_secs_f64()))
        }
        Amount::Requests(requests) => (requests.min(ROUNDS_OF_REQUESTS), plain, None),
    };
    let mut order: Vec<usize> = (0..targets).collect();
    let mut rng = SmallRng::seed_from_u64(seed);
    for round in 0..rounds {
        order.shuffle(&mut rng);
        let operations = match amount {
            Amount::Duration(_) => None,
            Amount::Requests(requests) => Some(requests / rounds + u64::from(round < requests % rounds)),
        };
        blocks.extend(order.iter().map(|&target| Block { target, round: round as u32, operations, ..block }));
    }
    (blocks, length)
}

/// Every target against the first, figure by figure, from the log-ratios of the rounds in which both had their block.
pub(crate) fn comparisons(names: &[String], results: &[BlockResult], margin: f64) -> Vec<LoadComparison> {
    let rounds = results.iter().map(|result| result.block.round + 1).max().unwrap_or(0);
    let of = |target: usize, round: u32| {
        results.iter().find(|result| result.block.target == target && result.block.round == round)
    };
    let mut labels = Vec::new();
    let mut figures: Vec<Vec<f64>> = Vec::new();
    for candidate in 1..names.len() {
        let pairs: Vec<(&BlockResult, &BlockResult)> =
            (0..rounds).filter_map(|round| Some((of(0, round)?, of(candidate, round)?))).collect();
        labels.push((candidate, "throughput".to_owned()));
        // As a time: the inverse of the throughput.
        figures.push(log_ratios(&pairs, |result| Some(1.0 / result.throughput())));
        for (name, percentile) in PERCENTILES {
            let beyond = |result: &BlockResult| {
                result.total.latencies.count() as f64 * (1.0 - percentile / 100.0) >= LEAST_BEYOND
            };
            let enough = pairs.iter().filter(|(base, candidate)| beyond(base) && beyond(candidate)).count();
            // A percentile that only the quicker blocks can tell would be chosen by what it says.
            if enough * 10 < pairs.len() * 9 || pairs.is_empty() {
                continue;
            }
            labels.push((candidate, format!("latency.{name}")));
            figures.push(log_ratios(&pairs, |result| {
                result.total.latencies.percentile(percentile).map(|value| value as f64)
            }));
        }
    }
    let figures: Vec<&[f64]> = figures.iter().map(Vec::as_slice).collect();
    labels
        .into_iter()
        .zip(compare_blocks(&figures, margin))
        .map(|((candidate, metric), mut comparison)| {
            if metric == "throughput" {
                comparison.ratio = comparison.ratio.map(|time| Estimate {
                    estimate: 1.0 / time.estimate,
                    low: 1.0 / time.high,
                    high: 1.0 / time.low,
                });
            }
            LoadComparison { base: names[0].clone(), candidate: names[candidate].clone(), metric, comparison }
        })
        .collect()
}

fn log_ratios(pairs: &[(&BlockResult, &BlockResult)], figure: impl Fn(&BlockResult) -> Option<f64>) -> Vec<f64> {
    pairs
        .iter()
        .filter_map(|(base, candidate)| Some((figure(candidate)? / figure(base)?).ln()))
        .filter(|ratio| ratio.is_finite())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Amount, blocks};

    #[test]
    fn every_target_has_one_block_a_round_in_an_order_by_lot() {
        let (planned, block) = blocks(3, Amount::Duration(Duration::from_secs(10)), Duration::from_secs(1), 5);
        assert_eq!(block, Some(0.25));
        let (warm_up, measured) = planned.split_at(3);
        assert!(warm_up.iter().all(|block| !block.measured));
        assert_eq!(measured.len(), 120);
        let mut orders = std::collections::BTreeSet::new();
        for round in measured.chunks(3) {
            let mut order: Vec<usize> = round.iter().map(|block| block.target).collect();
            orders.insert(order.clone());
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2]);
        }
        assert_eq!(orders.len(), 6, "all orders occur");
        assert_eq!(planned, blocks(3, Amount::Duration(Duration::from_secs(10)), Duration::from_secs(1), 5).0);
    }

    #[test]
    fn requests_are_dealt_out_over_the_rounds() {
        for requests in [1, 39, 100, 12_345] {
            let (planned, _) = blocks(2, Amount::Requests(requests), Duration::ZERO, 1);
            for target in 0..2 {
                let of_target = planned.iter().filter(|block| block.target == target);
                assert_eq!(of_target.map(|block| block.operations.unwrap()).sum::<u64>(), requests);
            }
        }
    }
}
