//! Change points: where the level of a sequence moves.

use crate::quantile::{mean, select_median};

/// Fewest values between two change points of [`change_points`].
pub const SHORTEST_SEGMENT: usize = 4;

/// The penalty of a change, in ln n of the sequence's long-run variance. The Bayesian information criterion's is 2 for
/// a change in level, a place and a mean; more pays for choosing the best place of many.
const PENALTY: f64 = 4.0;

/// Blocks that a long sequence is cut into: the search is quadratic where nothing changes.
const BLOCKS: usize = 1000;

/// The change points of a sequence in the order of measuring: the indices, ascending, at which a new level begins;
/// empty where there is but one level, or fewer than two segments' worth of values.
///
/// [`pelt`] on the ranks of the values (ties share their mean rank), so that a spike weighs no more than any other high
/// value and the unit is no matter. The penalty is 4 ln n times the long-run variance σ²(1 + ρ)/(1 − ρ) of a
/// first-order autoregression (Chakar, Lebarbier, Lévy-Leduc & Robin, "A robust approach for estimating change-points
/// in the mean of an AR(1) process", Bernoulli 23(2), 2017): without it, noise that lingers is taken for levels. As
/// there, σ² and ρ come from differences over one and two steps, which level changes hardly touch. More than 1,000
/// values are cut into at most that many blocks of equal length, the last of which may be longer, and their medians
/// searched: changes are then placed to a block.
pub fn change_points(values: &[f64]) -> Vec<usize> {
    let block = values.len().div_ceil(BLOCKS).max(1);
    if block == 1 {
        return changes_of_level(values);
    }
    let levels: Vec<f64> = values.chunks_exact(block).filter_map(|chunk| select_median(&mut chunk.to_vec())).collect();
    changes_of_level(&levels).into_iter().map(|change| change * block).collect()
}

fn changes_of_level(values: &[f64]) -> Vec<usize> {
    let n = values.len();
    if n < 2 * SHORTEST_SEGMENT {
        return Vec::new();
    }
    let ranks = mid_ranks(values);
    let (one, two) = (semivariance(&ranks, 1), semivariance(&ranks, 2));
    if one == 0.0 {
        return Vec::new();
    }
    // Of few values the correlation can't be known well, and is easily taken too low; two standard errors on top.
    let correlation = (two / one - 1.0 + 2.0 / (n as f64).sqrt()).clamp(0.0, 0.9);
    let long_run = one * (1.0 + correlation) / (1.0 - correlation).powi(2);
    pelt(&ranks, PENALTY * (n as f64).ln() * long_run, SHORTEST_SEGMENT)
}

/// Half the mean squared difference over `lag` steps.
fn semivariance(values: &[f64], lag: usize) -> f64 {
    let squares: Vec<f64> = values.iter().zip(&values[lag..]).map(|(a, b)| (b - a) * (b - a) / 2.0).collect();
    mean(&squares).unwrap_or(0.0)
}

/// Ranks from 1; equal values share the mean of theirs.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let ties = order[from..].iter().take_while(|&&index| values[index] == values[order[from]]).count().max(1);
        let shared = from as f64 + (ties + 1) as f64 / 2.0;
        for &index in &order[from..from + ties] {
            ranks[index] = shared;
        }
        from += ties;
    }
    ranks
}

/// The segmentation that minimises the sum of squared deviations from the segments' means plus `penalty` for each
/// change, among those whose segments have at least `shortest` values: PELT (Killick, Fearnhead & Eckley, "Optimal
/// detection of changepoints with a linear computational cost", JASA 107, 2012, §3). `penalty` is in the square of the
/// values' unit and at least 0; `shortest` of 0 counts as 1. Returns the ascending indices at which new segments begin,
/// 0 left out.
pub fn pelt(values: &[f64], penalty: f64, shortest: usize) -> Vec<usize> {
    let (n, shortest) = (values.len(), shortest.max(1));
    if n < 2 * shortest {
        return Vec::new();
    }
    let cost = SquaredError::new(values);
    // best[t]: the least cost of the first t values; last[t]: where its last segment begins.
    let mut best = vec![f64::INFINITY; n + 1];
    let mut last = vec![0; n + 1];
    best[0] = -penalty;
    let mut candidates: Vec<Candidate> = Vec::new();
    for end in shortest..=n {
        let start = end - shortest;
        if best[start].is_finite() {
            candidates.push(Candidate { start, until: usize::MAX, total: 0.0 });
        }
        for candidate in &mut candidates {
            candidate.total = best[candidate.start] + cost.of_segment(candidate.start, end);
            if candidate.total + penalty < best[end] {
                (best[end], last[end]) = (candidate.total + penalty, candidate.start);
            }
        }
        // A start that is beaten by a change here stays beaten, but only for ends that leave room for a segment after
        // here.
        for candidate in &mut candidates {
            if candidate.total > best[end] {
                candidate.until = candidate.until.min(end + shortest);
            }
        }
        candidates.retain(|candidate| candidate.until > end + 1);
    }
    let mut changes = Vec::new();
    let mut end = last[n];
    while end > 0 {
        changes.push(end);
        end = last[end];
    }
    changes.reverse();
    changes
}

struct Candidate {
    start: usize,
    /// The first end for which it needn't be tried any more.
    until: usize,
    /// Least cost up to the current end with the last segment from here, the change itself not counted.
    total: f64,
}

/// Sum of squared deviations from the mean of any stretch, from prefix sums.
struct SquaredError {
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl SquaredError {
    fn new(values: &[f64]) -> Self {
        // Centred, so that the squares don't drown the deviations.
        let centre = mean(values).unwrap_or(0.0);
        let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
        let (mut sum, mut square) = (0.0, 0.0);
        for value in values {
            sum += value - centre;
            square += (value - centre) * (value - centre);
            sums.push(sum);
            squares.push(square);
        }
        Self { sums, squares }
    }

    fn of_segment(&self, from: usize, to: usize) -> f64 {
        let sum = self.sums[to] - self.sums[from];
        (self.squares[to] - self.squares[from] - sum * sum / (to - from) as f64).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total(values: &[f64], changes: &[usize], penalty: f64) -> f64 {
        let cost = SquaredError::new(values);
        let bounds: Vec<usize> = [0].iter().chain(changes).chain(&[values.len()]).copied().collect();
        bounds.windows(2).map(|pair| cost.of_segment(pair[0], pair[1])).sum::<f64>() + penalty * changes.len() as f64
    }

    /// The least cost over every segmentation, by trying each.
    fn least(values: &[f64], penalty: f64, shortest: usize) -> f64 {
        let cost = SquaredError::new(values);
        let mut best = vec![f64::INFINITY; values.len() + 1];
        best[0] = -penalty;
        for end in 1..=values.len() {
            for start in 0..end {
                if end - start >= shortest {
                    best[end] = best[end].min(best[start] + cost.of_segment(start, end) + penalty);
                }
            }
        }
        best[values.len()]
    }

    proptest! {
        #[test]
        fn pruning_loses_no_segmentation(
            values in prop::collection::vec(0.0f64..10.0, 8..60), penalty in 0.0f64..60.0, shortest in 1usize..4,
        ) {
            let changes = pelt(&values, penalty, shortest);
            prop_assert!((total(&values, &changes, penalty) - least(&values, penalty, shortest)).abs() < 1e-6);
            let bounds: Vec<usize> = [0].iter().chain(&changes).chain(&[values.len()]).copied().collect();
            prop_assert!(bounds.windows(2).all(|pair| pair[1] - pair[0] >= shortest));
        }
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let values: Vec<f64> =
            (0..100).map(|i| if i < 37 { 12.0 } else { 10.0 } + (f64::from(i) * 0.618).fract()).collect();
        assert_eq!(change_points(&values), [37]);
        let noiseless: Vec<f64> = (0..100).map(|i| if i < 37 { 12.0 } else { 10.0 }).collect();
        assert_eq!(change_points(&noiseless), [37]);
    }

    #[test]
    fn a_step_in_a_long_sequence_is_found_to_its_block() {
        let values: Vec<f64> =
            (0..100_050).map(|i| if i < 30_000 { 12.0 } else { 10.0 } + (f64::from(i) * 0.618).fract()).collect();
        let changes = change_points(&values);
        assert!(changes.len() == 1 && changes[0].abs_diff(30_000) <= 101, "{changes:?}");
    }

    #[test]
    fn nothing_changes_in_equal_or_few_values() {
        assert!(change_points(&[5.0; 50]).is_empty());
        assert!(change_points(&[]).is_empty());
        assert!(change_points(&[1.0, 9.0, 1.0, 9.0]).is_empty());
        assert!(pelt(&[], 1.0, 0).is_empty());
    }

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(mid_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
    }
}
