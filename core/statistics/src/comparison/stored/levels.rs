//! Levels in a history: a change of the code moves the time for good, a machine's moods don't.

use super::points::median_of;
use crate::changepoint::{SHORTEST_SEGMENT, pelt};

/// Penalty of a change, in ln n of the noise's variance: as the crate's [`crate::changepoint::change_points`].
const PENALTY: f64 = 4.0;

/// A change of level is this many standard deviations of the runs about their levels, or it's none.
///
/// Drift is a row of small steps: cut there, it would vanish from the spread between runs. Simulated, 30 runs with 1.5 %
/// scatter of their own: a random walk of 1 % a run is cut in 2 % of histories, a step of 10 % in over 80 %, one of 30 % in all.
const ABRUPT: f64 = 4.0;

/// Indices at which a new level begins, ascending; empty for fewer than two segments of [`SHORTEST_SEGMENT`] runs.
///
/// [`pelt`] on the values themselves, not on ranks: a step of many standard deviations says more than its rank, and a
/// history is short. Noise is the median absolute successive difference, which a few steps hardly touch (Chakar et al.,
/// Bernoulli 23(2), 2017, §2). Then the least abrupt change is taken back until all are abrupt: medians of the four
/// runs on either side differ by [`ABRUPT`] standard deviations.
pub(super) fn changes_of_level(values: &[f64]) -> Vec<usize> {
    let noise = successive_noise(values);
    if noise == 0.0 {
        return Vec::new();
    }
    let penalty = PENALTY * (values.len() as f64).ln() * noise * noise;
    let mut changes = pelt(values, penalty, SHORTEST_SEGMENT);
    while !changes.is_empty() {
        let scatter = noise.max(scatter_about_levels(values, &changes));
        let least = (0..changes.len())
            .map(|index| (index, step_at(values, changes[index])))
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        match least {
            Some((index, step)) if step < ABRUPT * scatter => changes.remove(index),
            _ => break,
        };
    }
    changes
}

/// The segment that each value lies in, from 0.
pub(super) fn segment_of(count: usize, changes: &[usize]) -> Vec<usize> {
    (0..count).map(|index| changes.partition_point(|&change| change <= index)).collect()
}

/// Standard deviation of independent Gaussian values from the median absolute difference of neighbours, which is
/// 0.6745·√2 of it.
fn successive_noise(values: &[f64]) -> f64 {
    median_of(values.windows(2).map(|pair| (pair[1] - pair[0]).abs())) / (0.674_489_750_196_081_7 * 2f64.sqrt())
}

fn step_at(values: &[f64], change: usize) -> f64 {
    let before = &values[change.saturating_sub(SHORTEST_SEGMENT)..change];
    let after = &values[change..(change + SHORTEST_SEGMENT).min(values.len())];
    (median_of(after.iter().copied()) - median_of(before.iter().copied())).abs()
}

/// Standard deviation of Gaussian values about the medians of their levels, from the median absolute one.
pub(super) fn scatter_about_levels(values: &[f64], changes: &[usize]) -> f64 {
    let bounds: Vec<usize> = [0].into_iter().chain(changes.iter().copied()).chain([values.len()]).collect();
    let deviations = bounds.windows(2).flat_map(|bound| {
        let segment = &values[bound[0]..bound[1]];
        let level = median_of(segment.iter().copied());
        segment.iter().map(move |value| (value - level).abs())
    });
    median_of(deviations) / 0.674_489_750_196_081_7
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise of a standard deviation near 0.015, the same each time.
    fn noise(index: usize) -> f64 {
        ((index as f64 * 0.618_033_988_749_895).fract() - 0.5) * 0.015 * 12f64.sqrt()
    }

    #[test]
    fn a_step_is_a_change_and_a_slope_is_none() {
        let step: Vec<f64> = (0..30).map(|i| noise(i) + if i < 13 { 0.0 } else { 0.26 }).collect();
        assert_eq!(changes_of_level(&step), [13]);
        let slope: Vec<f64> = (0..30).map(|i| noise(i) + 0.01 * i as f64).collect();
        assert_eq!(changes_of_level(&slope), [0; 0]);
        let level: Vec<f64> = (0..30).map(noise).collect();
        assert_eq!(changes_of_level(&level), [0; 0]);
    }

    #[test]
    fn one_run_apart_is_no_level() {
        let values: Vec<f64> = (0..30).map(|i| noise(i) + if i == 20 { 0.26 } else { 0.0 }).collect();
        assert_eq!(changes_of_level(&values), [0; 0]);
    }

    #[test]
    fn few_or_equal_runs_have_one_level() {
        assert_eq!(changes_of_level(&[]), [0; 0]);
        assert_eq!(changes_of_level(&[1.0, 2.0]), [0; 0]);
        assert_eq!(changes_of_level(&[3.0; 20]), [0; 0]);
    }

    #[test]
    fn segments_are_numbered_from_the_changes() {
        assert_eq!(segment_of(6, &[2, 5]), [0, 0, 1, 1, 1, 2]);
        assert_eq!(segment_of(2, &[]), [0, 0]);
    }
}
