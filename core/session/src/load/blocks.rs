//! Blocks: which target is under load when.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::plan::{Block, next_targets};

/// The shortest round. The ratio of two targets is taken once in each round, so it has to be long enough for some thousand requests.
const SHORTEST_ROUND: Duration = Duration::from_millis(250);
/// The shortest turn of a target, and how many requests of each connection a turn should hold. Turns are short beside the times in which a machine changes its speed, and long beside
/// the requests that are under way when they end.
const SHORTEST_TURN: Duration = Duration::from_millis(25);
const LATENCIES_OF_A_TURN: u32 = 25;
/// How many arrivals a turn should hold in an open loop.
const ARRIVALS_OF_A_TURN: f64 = 20.0;
/// One part in this many of a turn isn't counted: its beginning, when caches still hold what the other target needs, and not all connections are busy.
const SETTLING: u32 = 10;
/// Rounds that a duration is divided into, at the most, and at the least where requests take long.
const ROUNDS: u32 = 40;
const LEAST_ROUNDS: u32 = 10;
/// A round of workers that are launched anew, at the least: several times what launching them takes.
const SHORTEST_ROUND_OF_LAUNCHES: Duration = Duration::from_millis(500);
/// Of more workers than this launching takes so long that it is done in fewer rounds.
const MANY_WORKERS: u32 = 16;
/// Load on workers that were launched anew, before they are measured.
const LONGEST_WARM_UP_OF_A_ROUND: Duration = Duration::from_millis(100);
/// Rounds where the number of requests was fixed.
const ROUNDS_OF_REQUESTS: u64 = 40;
/// How much load.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    Duration(Duration),
    Requests(u64),
}

/// What is drawn anew in each round.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Renewed {
    Nothing,
    Connections,
    /// Connections, in so many parts of the load at the most: making them takes too long for each round.
    ConnectionsOfParts(u32),
    /// Workers are launched anew, and are under load for this long before they are measured.
    Workers {
        warm_up: Duration,
        /// Rounds, at the most.
        rounds: u32,
    },
}

/// How targets take turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turns {
    /// How long a turn of one target should be; `None`: as long as a round.
    least: Option<Duration>,
    renewed: Renewed,
}

impl Turns {
    /// Each target has one turn in a round.
    pub(crate) const WHOLE_ROUNDS: Self = Self { least: None, renewed: Renewed::Nothing };

    /// Turns for a closed loop whose requests take `latency` on average.
    pub(crate) fn of_latency(self, latency: Duration) -> Self {
        Self { least: Some(latency.saturating_mul(LATENCIES_OF_A_TURN).max(SHORTEST_TURN)), ..self }
    }

    /// Turns for an open loop of `rate` (1/s). They are no shorter than a round, since queues take time to reach their length.
    pub(crate) fn of_rate(self, rate: f64) -> Self {
        let length = Duration::try_from_secs_f64(ARRIVALS_OF_A_TURN / rate).unwrap_or(Duration::MAX);
        Self { least: Some(length.max(SHORTEST_ROUND)), ..self }
    }

    /// How many rounds of how many turns each a duration is divided into.
    fn divide(self, duration: Duration) -> (u32, u32) {
        if let Renewed::Workers { rounds, .. } = self.renewed {
            let most = duration.div_duration_f64(SHORTEST_ROUND_OF_LAUNCHES) as u32;
            return (most.clamp(LEAST_ROUNDS, rounds), 1);
        }
        let round = SHORTEST_ROUND.max(duration / ROUNDS);
        let turn = self.least.unwrap_or(round);
        let each = round.div_duration_f64(turn).round().max(1.0);
        let round = if turn > round { turn.min((duration / LEAST_ROUNDS).max(round)) } else { round };
        (duration.div_duration_f64(round).round().max(1.0) as u32, each as u32)
    }

    /// With connections that are made anew in each round: where one stays with a server's thread, or with a CPU, which one is drawn by lot again.
    pub(crate) fn renewed(self) -> Self {
        Self { renewed: Renewed::Connections, ..self }
    }

    /// With connections that are made anew in each of so many parts, which count as one round each.
    pub(crate) fn renewed_in(self, parts: u32) -> Self {
        Self { renewed: Renewed::ConnectionsOfParts(parts), ..self }
    }

    /// With workers that are launched anew in each round: how memory is laid out, and which of a server's threads a connection stays with, is drawn again.
    pub(crate) fn relaunched(self, warm_up: Duration, workers: u32) -> Self {
        let rounds = if workers > MANY_WORKERS { LEAST_ROUNDS } else { ROUNDS };
        Self { renewed: Renewed::Workers { warm_up: warm_up.min(LONGEST_WARM_UP_OF_A_ROUND), rounds }, ..self }
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

/// `blocks` with warm-ups before them: one of `length` for each target, of which nothing is counted. They come in the order of the targets' first blocks, since whoever is warmed up
/// last has the warmer caches. Without warm-ups where `length` is 0.
pub(crate) fn unmeasured_before(blocks: Vec<Block>, length: Duration) -> Vec<Block> {
    let order = if length.is_zero() { Vec::new() } else { next_targets(&blocks) };
    let warming = order.into_iter().map(|target| Block { target, length: Some(length), measured: false, ..PLAIN });
    warming.chain(blocks).collect()
}

/// The blocks for some targets, and how long one is where they take turns.
pub(crate) fn blocks(
    targets: usize,
    amount: Amount,
    warm_up: Duration,
    turns: Turns,
    seed: u64,
) -> (Vec<Block>, Option<f64>) {
    if targets == 1 {
        let only = match amount {
            Amount::Duration(length) => Block { length: Some(length), ..PLAIN },
            Amount::Requests(requests) => Block { operations: Some(requests), ..PLAIN },
        };
        return (unmeasured_before(vec![only], warm_up), None);
    }
    let mut blocks = Vec::new();
    let (rounds, each, block, length) = match amount {
        Amount::Duration(duration) => {
            let (rounds, each) = turns.divide(duration);
            let length = duration / (rounds * each);
            let settling = length / SETTLING;
            let block = Block { length: Some(length + settling), settling, ..PLAIN };
            (u64::from(rounds), each, block, Some(length.as_secs_f64()))
        }
        Amount::Requests(requests) => {
            let most = match turns.renewed {
                Renewed::Workers { .. } => u64::from(LEAST_ROUNDS),
                Renewed::Nothing | Renewed::Connections | Renewed::ConnectionsOfParts(_) => ROUNDS_OF_REQUESTS,
            };
            (requests.min(most), 1, PLAIN, None)
        }
    };
    let mut order: Vec<usize> = (0..targets).collect();
    let mut rng = SmallRng::seed_from_u64(seed);
    for round in 0..rounds {
        let operations = match amount {
            Amount::Duration(_) => None,
            Amount::Requests(requests) => Some(requests / rounds + u64::from(round < requests % rounds)),
        };
        // Who connects first has the server's lowest descriptors: in a round of several turns each order once, else by lot.
        let mut first: Vec<usize> = order.clone();
        first.shuffle(&mut rng);
        for turn in 0..each {
            let halved = each > 1 && turn == each / 2;
            let each_round = matches!(turns.renewed, Renewed::Connections | Renewed::Workers { .. });
            let renewed = each_round && ((turn == 0 && round > 0) || halved);
            if halved {
                first.reverse();
            }
            let leads = turn == 0 || halved;
            if leads {
                order.clone_from(&first)
            } else {
                order.shuffle(&mut rng)
            }
            let block = Block { round: round as u32, operations, ..block };
            let renewed_at = |at: usize| renewed && at == 0;
            let warming = match turns.renewed {
                Renewed::Workers { warm_up, .. } if renewed && !warm_up.is_zero() => Some(warm_up),
                _ => None,
            };
            if warming.is_some() {
                let before = Block { round: round as u32, length: warming, measured: false, ..PLAIN };
                blocks.extend(order.iter().enumerate().map(|(at, &target)| Block {
                    target,
                    renewed: renewed_at(at),
                    ..before
                }));
            }
            let renewed_at = |at: usize| warming.is_none() && renewed_at(at);
            blocks.extend(order.iter().enumerate().map(|(at, &target)| Block {
                target,
                renewed: renewed_at(at),
                ..block
            }));
        }
    }
    if let Renewed::ConnectionsOfParts(parts) = turns.renewed {
        let mut parts = self::parts(blocks, parts);
        parts.iter_mut().skip(1).for_each(|part| part[0].renewed = true);
        return (unmeasured_before(parts.into_iter().flatten().collect(), warm_up), length);
    }
    (unmeasured_before(blocks, warm_up), length)
}

/// Rounds in so many parts of about the same number at the most, each of which counts as one round: what was drawn for it is in all of it.
pub(crate) fn parts(blocks: Vec<Block>, most: u32) -> Vec<Vec<Block>> {
    let rounds = blocks.iter().map(|block| block.round + 1).max().unwrap_or(0);
    let count = rounds.min(most);
    let mut parts: Vec<Vec<Block>> = vec![Vec::new(); count as usize];
    for block in blocks {
        let part = block.round * count / rounds;
        parts[part as usize].push(Block { round: part, ..block });
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Amount, Block, Turns, blocks, parts};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_target_has_one_block_a_round_in_an_order_by_lot() {
        let plan = || blocks(3, Amount::Duration(10 * SECOND), SECOND, Turns::WHOLE_ROUNDS, 5);
        let (planned, block) = plan();
        assert_eq!(block, Some(0.25));
        let (warm_up, measured) = planned.split_at(3);
        assert!(warm_up.iter().all(|block| !block.measured));
        let targets = |blocks: &[Block]| blocks.iter().map(|block| block.target).collect::<Vec<_>>();
        assert_eq!(targets(warm_up), targets(&measured[..3]), "who comes first is warmed up first");
        assert_ne!(targets(warm_up), [0, 1, 2], "by lot, with this seed");
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
        // A latency, the rounds of 4 s, the turns of each.
        for (latency, rounds, each) in [
            (ms(0), 16, 10),
            (ms(1), 16, 10),
            (ms(2), 16, 5),
            (ms(4), 16, 3),
            (ms(10), 16, 1),
            (ms(12), 13, 1),
            (ms(20), 10, 1),
            (Duration::MAX, 10, 1),
        ] {
            let turns = Turns::WHOLE_ROUNDS.of_latency(latency).renewed();
            let (planned, block) = blocks(2, Amount::Duration(4 * SECOND), Duration::ZERO, turns, 7);
            assert_eq!(planned.len(), 2 * rounds * each, "{latency:?}");
            let length = 4.0 / (rounds * each) as f64;
            assert!((block.unwrap() - length).abs() < 1e-6, "{latency:?}: {block:?}");
            for (number, pair) in planned.chunks(2).enumerate() {
                assert_eq!(pair[0].target + pair[1].target, 1);
                assert!(pair.iter().all(|block| block.round as usize == number / each));
                let halved = each > 1 && number % each == each / 2;
                let renewed = (number >= each && number % each == 0) || halved;
                assert_eq!((pair[0].renewed, pair[1].renewed), (renewed, false));
                // In either half of a round another one comes, and connects, first.
                if halved {
                    let first = &planned[2 * (number - number % each)];
                    assert_ne!(first.target, pair[0].target);
                }
            }
            let first = planned.chunks(2).filter(|pair| pair[0].target == 0).count();
            let pairs = (rounds * each) as f64;
            // Four standard deviations of a fair coin.
            assert!((first as f64 - pairs / 2.0).abs() <= 2.0 * pairs.sqrt(), "{first} of {pairs}");
            let counted: Duration = planned.iter().filter_map(|block| Some(block.length? - block.settling)).sum();
            assert!((counted.as_secs_f64() - 8.0).abs() < 1e-6, "{counted:?}");
        }
    }

    #[test]
    fn forty_rounds_are_twenty_parts() {
        let (all, _) = blocks(2, Amount::Duration(10 * SECOND), Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
        let parts = parts(all.clone(), 20);
        assert_eq!(parts.len(), 20);
        for (number, part) in parts.iter().enumerate() {
            assert!(part.len() == 4 && part.iter().all(|block| block.round as usize == number), "{part:?}");
        }
        let targets = |blocks: &[tare_load::plan::Block]| blocks.iter().map(|block| block.target).collect::<Vec<_>>();
        assert_eq!(targets(&parts.concat()), targets(&all));
    }

    #[test]
    fn many_connections_are_made_anew_in_each_part_but_the_first() {
        for amount in [Amount::Duration(10 * SECOND), Amount::Requests(1000)] {
            let (planned, _) = blocks(2, amount, SECOND, Turns::WHOLE_ROUNDS.renewed_in(10), 5);
            let (before, measured) = planned.split_at(2);
            assert!(before.iter().all(|block| !block.measured && !block.renewed));
            let renewed: Vec<u32> = measured.iter().filter(|block| block.renewed).map(|block| block.round).collect();
            assert_eq!(renewed, (1..10).collect::<Vec<_>>(), "{amount:?}");
            assert_eq!(measured.last().unwrap().round, 9, "a part counts as a round");
        }
    }

    #[test]
    fn workers_are_launched_anew_in_every_round_but_the_first() {
        let ms = Duration::from_millis;
        // A duration, how many workers, the rounds.
        for (duration, workers, rounds) in
            [(10 * SECOND, 4, 20), (SECOND, 4, 10), (60 * SECOND, 4, 40), (60 * SECOND, 17, 10)]
        {
            let turns = Turns::WHOLE_ROUNDS.relaunched(ms(500), workers);
            let (planned, length) = blocks(2, Amount::Duration(duration), ms(500), turns, 3);
            assert_eq!(length, Some(duration.as_secs_f64() / rounds as f64));
            let (first, later) = planned.split_at(4);
            assert!(first.iter().all(|block| !block.renewed), "what was launched for the warm-up does the first round");
            assert_eq!(later.len(), 4 * (rounds - 1));
            for round in later.chunks(4) {
                let targets: Vec<usize> = round.iter().map(|block| block.target).collect();
                assert!(targets[..2] == targets[2..] && targets[0] != targets[1]);
                assert_eq!(round.iter().map(|block| block.renewed).collect::<Vec<_>>(), [true, false, false, false]);
                assert_eq!(round.iter().map(|block| block.measured).collect::<Vec<_>>(), [false, false, true, true]);
                assert!(round.iter().all(|block| block.round == round[0].round) && round[0].length == Some(ms(100)));
            }
        }
        // A number of operations has no warm-up.
        let turns = Turns::WHOLE_ROUNDS.relaunched(Duration::ZERO, 4);
        let (planned, _) = blocks(2, Amount::Requests(1000), Duration::ZERO, turns, 3);
        assert_eq!(planned.len(), 20);
        assert!(planned.iter().all(|block| block.measured));
        assert!(planned.chunks(2).all(|pair| pair[0].renewed == (pair[0].round > 0) && !pair[1].renewed));
    }

    #[test]
    fn turns_hold_arrivals_enough_and_long_loads_have_long_rounds() {
        let rounds =
            |turns: Turns, duration| blocks(2, Amount::Duration(duration), Duration::ZERO, turns, 1).0.len() / 2;
        let open = |rate| Turns::WHOLE_ROUNDS.of_rate(rate);
        assert_eq!(rounds(open(1000.0), 10 * SECOND), 40);
        assert_eq!(rounds(open(40.0), 10 * SECOND), 20);
        assert_eq!(rounds(open(2.0), 10 * SECOND), 10);
        assert_eq!(rounds(open(1e-9), 10 * SECOND), 10);
        assert_eq!(rounds(open(2.0), 200 * SECOND), 20);
        assert_eq!(rounds(Turns::WHOLE_ROUNDS, 10 * SECOND), 40);
        assert_eq!(rounds(Turns::WHOLE_ROUNDS, 600 * SECOND), 40);
        assert_eq!(rounds(Turns::WHOLE_ROUNDS, Duration::from_millis(1)), 1);
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
