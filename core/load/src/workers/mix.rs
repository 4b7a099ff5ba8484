//! What a worker does next, and when: drawn here from the seed, so that every language's workers do the same.

use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

use crate::schedule::{Arrivals, Schedule};

/// Entries of a pattern, where the weights allow it.
const PATTERN: usize = 1000;
/// Gaps of an open loop that are drawn before they come again, and the fewest: workers have to read them while the start is near.
const GAPS: u64 = 20_000;
const FEWEST_GAPS: u64 = 100;

/// Numbers of operations in the parts that their weights (one of them above 0) ask for, in an order by lot. Each operation with a weight
/// has one entry at least; the parts are exact where the weights' sum divides 1,000, and within half an entry elsewhere.
pub fn pattern(weights: &[(u64, u64)], seed: u64, stream: u64) -> Vec<u64> {
    let weighed: Vec<(u64, u64)> = weights.iter().copied().filter(|(_, weight)| *weight > 0).collect();
    if let [(only, _)] = weighed[..] {
        return vec![only];
    }
    let sum: u128 = weighed.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let mut parts: Vec<(u64, usize, u128)> = weighed
        .iter()
        .map(|&(operation, weight)| {
            let exact = u128::from(weight) * PATTERN as u128;
            (operation, (exact / sum.max(1)) as usize, exact % sum.max(1))
        })
        .collect();
    // What is left over goes to the largest remainders (Hamilton's method).
    let mut left = PATTERN.saturating_sub(parts.iter().map(|part| part.1).sum());
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by_key(|&at| std::cmp::Reverse(parts[at].2));
    for at in by_remainder {
        if left > 0 && parts[at].2 > 0 {
            parts[at].1 += 1;
            left -= 1;
        }
    }
    let mut pattern: Vec<u64> =
        parts.iter().flat_map(|&(operation, count, _)| std::iter::repeat_n(operation, count.max(1))).collect();
    pattern.shuffle(&mut Pcg64::new(u128::from(seed), u128::from(stream)));
    pattern
}

/// The gaps of one worker's open loop, for about `operations` of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gaps {
    /// Nanoseconds from the start to the first intended beginning.
    pub first: u64,
    /// Nanoseconds from each to the next, over again.
    pub gaps: Vec<u64>,
}

impl Gaps {
    /// Those of worker `share` of `of` at `rate` operations a second of all together.
    pub fn new(arrivals: Arrivals, rate: f64, (share, of): (u32, u32), seed: u64, operations: u64) -> Self {
        let count = operations.clamp(FEWEST_GAPS, GAPS) as usize;
        let starts: Vec<u64> = Schedule::new(arrivals, rate, share, of, seed).take(count + 1).collect();
        let mut gaps: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if gaps.iter().all(|gap| *gap == 0) {
            gaps = vec![1];
        }
        Self { first: starts[0], gaps }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gaps, pattern};
    use crate::schedule::Arrivals;

    fn counts(pattern: &[u64], of: u64) -> usize {
        pattern.iter().filter(|operation| **operation == of).count()
    }

    #[test]
    fn the_mix_is_exact_and_its_order_by_lot() {
        let nine_to_one = pattern(&[(0, 9), (1, 1)], 7, 0);
        assert_eq!((nine_to_one.len(), counts(&nine_to_one, 0), counts(&nine_to_one, 1)), (1000, 900, 100));
        assert_eq!(nine_to_one, pattern(&[(0, 9), (1, 1)], 7, 0));
        assert_ne!(nine_to_one, pattern(&[(0, 9), (1, 1)], 7, 1));
        let thirds = pattern(&[(0, 1), (1, 1), (2, 1)], 7, 0);
        assert_eq!(thirds.len(), 1000);
        assert!((0..3).all(|operation| (333..=334).contains(&counts(&thirds, operation))));
    }

    #[test]
    fn no_weight_is_never_done_and_a_small_one_is() {
        assert_eq!(pattern(&[(0, 0), (3, 5), (4, 0)], 1, 0), [3]);
        let rare = pattern(&[(0, 1_000_000), (1, 1)], 1, 0);
        assert_eq!(counts(&rare, 1), 1);
    }

    #[test]
    fn constant_gaps_of_all_workers_interleave_and_do_not_drift() {
        let gaps = Gaps::new(Arrivals::Constant, 3.0, (1, 2), 1, 1000);
        assert_eq!(gaps.first, 333_333_333);
        assert_eq!(gaps.gaps.len(), 1000);
        // Two thirds of a second each, to the nanosecond over all of them.
        assert!(gaps.gaps.iter().sum::<u64>().abs_diff(666_666_666_667) <= 1);
    }

    #[test]
    fn a_short_block_has_few_gaps_to_read() {
        let of = |operations| Gaps::new(Arrivals::Poisson, 1000.0, (0, 64), 1, operations).gaps.len();
        assert_eq!([5, 187, 1_000_000].map(of), [100, 187, 20_000]);
    }

    #[test]
    fn a_rate_beyond_the_clock_still_moves_on() {
        let gaps = Gaps::new(Arrivals::Constant, 1e12, (0, 1), 1, 10);
        assert!(gaps.gaps.iter().any(|gap| *gap > 0));
    }
}
