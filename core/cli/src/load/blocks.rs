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

/// What one log-ratio is of: long enough for some thousand requests.
const ROUND: Duration = Duration::from_millis(250);
/// The shortest go of a target, and how many of the longer latencies of a request it is to last: short beside the moods of a machine, long
/// beside what is under way when it ends.
const SHORTEST_TURN: Duration = Duration::from_millis(25);
const LATENCIES_OF_A_TURN: u32 = 50;
/// The part of a go that isn't counted: its beginning, in which caches are still the other target's and connections not yet busy.
const SETTLING: u32 = 10;
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

/// How targets take turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turns {
    /// A go of one target is meant to last so long.
    length: Duration,
    /// Connections are made anew in each round.
    renewed: bool,
}

impl Turns {
    /// One go of each target in a round.
    pub(crate) const WHOLE_ROUNDS: Self = Self { length: ROUND, renewed: false };

    /// As short as requests allow that take `latency` under load.
    pub(crate) fn lasting(self, latency: Duration) -> Self {
        let length = latency.saturating_mul(LATENCIES_OF_A_TURN).clamp(SHORTEST_TURN, ROUND);
        Self { length, ..self }
    }

    /// With connections that are made anew in each round: where one stays with a server's thread, or with a CPU, which one is drawn by lot again.
    pub(crate) fn renewed(self) -> Self {
        Self { renewed: true, ..self }
    }
}

const PLAIN: Block = Block {
    target: 0,
    round: 0,
    length: None,
    operations: None,
    settling: Duration::ZERO,
    measured: true,
    renewed: false,
};

/// A block of `length` for each target, by which it warms up, and which are counted, so that something is known of them.
pub(crate) fn warm_up(targets: usize, length: Duration) -> Vec<Block> {
    (0..targets).map(|target| Block { target, length: Some(length), ..PLAIN }).collect()
}

/// The blocks for some targets, and how long one is where they take turns.
pub(crate) fn blocks(
    targets: usize,
    amount: Amount,
    warm_up: Duration,
    turns: Turns,
    seed: u64,
) -> (Vec<Block>, Option<f64>) {
    let mut blocks = Vec::new();
    if !warm_up.is_zero() {
        blocks.extend(self::warm_up(targets, warm_up).into_iter().map(|block| Block { measured: false, ..block }));
    }
    if targets == 1 {
        blocks.push(match amount {
            Amount::Duration(length) => Block { length: Some(length), ..PLAIN },
            Amount::Requests(requests) => Block { operations: Some(requests), ..PLAIN },
        });
        return (blocks, None);
    }
    let (rounds, each, block, length) = match amount {
        Amount::Duration(duration) => {
            let rounds = duration.div_duration_f64(ROUND).round().max(1.0);
            let each = ROUND.div_duration_f64(turns.length).round().max(1.0);
            let length = duration.div_f64(rounds * each);
            let settling = length / SETTLING;
            let block = Block { length: Some(length + settling), settling, ..PLAIN };
            (rounds as u64, each as u64, block, Some(length.as_secs_f64()))
        }
        Amount::Requests(requests) => (requests.min(ROUNDS_OF_REQUESTS), 1, PLAIN, None),
    };
    let mut order: Vec<usize> = (0..targets).collect();
    let mut rng = SmallRng::seed_from_u64(seed);
    for round in 0..rounds {
        let operations = match amount {
            Amount::Duration(_) => None,
            Amount::Requests(requests) => Some(requests / rounds + u64::from(round < requests % rounds)),
        };
        for turn in 0..each {
            order.shuffle(&mut rng);
            let renewed = turns.renewed && turn == 0 && round > 0;
            let block = Block { round: round as u32, operations, renewed, ..block };
            blocks.extend(order.iter().map(|&target| Block { target, ..block }));
        }
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

    use super::{Amount, Turns, blocks};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_target_has_one_block_a_round_in_an_order_by_lot() {
        let plan = || blocks(3, Amount::Duration(10 * SECOND), SECOND, Turns::WHOLE_ROUNDS, 5);
        let (planned, block) = plan();
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
        assert!(measured.iter().all(|block| !block.renewed));
        assert_eq!(planned, plan().0);
    }

    #[test]
    fn turns_are_as_short_as_latencies_allow_and_each_order_is_by_lot() {
        let ms = Duration::from_millis;
        for (latency, each) in
            [(ms(0), 10), (Duration::from_micros(500), 10), (ms(1), 5), (ms(2), 3), (ms(5), 1), (SECOND, 1)]
        {
            let turns = Turns::WHOLE_ROUNDS.lasting(latency).renewed();
            let (planned, block) = blocks(2, Amount::Duration(4 * SECOND), Duration::ZERO, turns, 7);
            assert_eq!(planned.len(), 2 * 16 * each, "{latency:?}");
            assert!((block.unwrap() * each as f64 - 0.25).abs() < 1e-9, "{latency:?}: {block:?}");
            for (number, pair) in planned.chunks(2).enumerate() {
                assert_eq!(pair[0].target + pair[1].target, 1);
                assert!(pair.iter().all(|block| block.round as usize == number / each));
                assert!(pair.iter().all(|block| block.renewed == (number >= each && number % each == 0)));
            }
            let first = planned.chunks(2).filter(|pair| pair[0].target == 0).count();
            let pairs = (16 * each) as f64;
            // Four standard deviations of a fair coin.
            assert!((first as f64 - pairs / 2.0).abs() <= 2.0 * pairs.sqrt(), "{first} of {pairs}");
            let counted: Duration = planned.iter().filter_map(|block| Some(block.length? - block.settling)).sum();
            assert!((counted.as_secs_f64() - 8.0).abs() < 1e-6, "{counted:?}");
        }
    }

    #[test]
    fn requests_are_dealt_out_over_the_rounds() {
        for requests in [1, 39, 100, 12_345] {
            let (planned, _) = blocks(2, Amount::Requests(requests), Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
            for target in 0..2 {
                let of_target = planned.iter().filter(|block| block.target == target);
                assert_eq!(of_target.map(|block| block.operations.unwrap()).sum::<u64>(), requests);
            }
        }
    }
}
