//! How far two runs of equal code lie apart, on the logarithmic scale.

use super::history::{Model, Pooled};
use super::points::Run;
use super::{FAMILY_WISE_ERROR, LITTLE_HISTORY, PRIOR_DEGREES_OF_FREEDOM, PRIOR_DEVIATION};
use crate::{normal, student};

/// Kernels of a run this much further (on the logarithmic scale) from the history's than those of any of its runs halve what
/// the history is worth: it hasn't seen how well they follow the case there.
const UNSEEN_SPEED: f64 = 0.05;

/// Standard deviation of what a case does beside its kernels there, as a share of that distance: the most that was measured, 5 %
/// where they moved by 16 %.
const UNSEEN_SHARE: f64 = 0.3;

/// Standard deviation of how far apart two states of a machine are supposed to be, where a history hasn't shown but one: hosts of a
/// class have been met that are 8 % apart.
const UNSEEN_STATE: f64 = 0.09;

/// Of the probability of a false alarm, what may come of a state that the history hasn't shown. The rest is that of scatter. With 0.8 instead of
/// a half, two states 8 % apart that hold for 12 runs on average raise alarms in 2.1 % of comparisons after 30 runs of a quiet machine.
const UNSEEN_STATE_ERROR: f64 = FAMILY_WISE_ERROR / 2.0;

/// Two runs of equal code: their scatter, and how far their levels may lie apart.
pub(super) struct Spread {
    /// Standard deviation of the difference, levels left out.
    pub(super) deviation: f64,
    pub(super) degrees_of_freedom: f64,
    /// Between the levels that the history has shown.
    between_levels: f64,
    /// Runs of the history.
    runs: usize,
}

impl Spread {
    pub(super) fn of(base: &Run, candidate: &Run, history: &Model) -> Self {
        let weights = &history.weights.values;
        let (of_base, of_candidate) = (Pooled::of(base, weights), Pooled::of(candidate, weights));
        let pooled = history.launches.and(of_base).and(of_candidate);
        // A short history is hardly believed anyway.
        let beyond =
            if history.runs < LITTLE_HISTORY { 0.0 } else { history.beyond(base).max(history.beyond(candidate)) };
        let seen = history.degrees_of_freedom / (1.0 + (beyond / UNSEEN_SPEED).powi(2));
        let degrees_of_freedom = PRIOR_DEGREES_OF_FREEDOM + seen;
        // A run that scatters more than others is taken at its word; few launches that happen to agree are not.
        let of_run = |run: &Run, own: Pooled| {
            let within = run.of_location(own.variance().max(pooled.variance()));
            let supposed = PRIOR_DEVIATION * PRIOR_DEVIATION + within;
            // The history's scatter holds that of launches already, as far as its own launches scattered.
            let found = history.variance + (within - history.within).max(0.0);
            // What was seen widens the prior, and the prior never narrows what was seen.
            ((PRIOR_DEGREES_OF_FREEDOM * supposed + seen * found) / degrees_of_freedom).max(found)
        };
        let of_both = of_run(base, of_base) + of_run(candidate, of_candidate);
        let deviation = of_both.sqrt().hypot(UNSEEN_SHARE * beyond);
        Self { deviation, degrees_of_freedom, between_levels: history.between_levels, runs: history.runs }
    }

    /// Half the interval at 1 − `level`: the largest of three.
    ///
    /// - Student's, of runs on one level.
    /// - Where the history has levels that come back: the distance of the farthest two, and a one-sided Student's beyond them. Runs on
    ///   different levels err to one side, and no more than half of all pairs are such.
    /// - A state that the history hasn't shown. See [`unseen_state`].
    pub(super) fn reach(&self, level: f64) -> f64 {
        let student = |probability: f64| student::quantile(1.0 - probability, self.degrees_of_freedom) * self.deviation;
        let on_levels = if self.between_levels > 0.0 { self.between_levels + student(level) } else { 0.0 };
        student(level / 2.0).max(on_levels).max(unseen_state(self.runs, self.deviation))
    }
}

/// How far a run may lie off because the machine is in a state that `runs` others haven't shown.
///
/// A machine that holds each state for d runs on average shows one state in n runs and another in the next with the probability
/// (1 − 1/d)^(n−1)/d, at most 1/(e n) whatever d is. As far as that is more than [`UNSEEN_STATE_ERROR`], states are supposed to lie
/// apart by a Gaussian of [`UNSEEN_STATE`], beside `deviation`. From 73 runs on it is 0. A switch of the machine is one event for
/// all cases of a comparison, so it counts once, whatever their number.
fn unseen_state(runs: usize, deviation: f64) -> f64 {
    let probability = 1.0 / (std::f64::consts::E * (runs + 1) as f64);
    let share = UNSEEN_STATE_ERROR / probability;
    if share >= 1.0 { 0.0 } else { normal::quantile(1.0 - share / 2.0) * UNSEEN_STATE.hypot(deviation) }
}

#[cfg(test)]
mod tests {
    use super::unseen_state;

    #[test]
    fn a_state_that_was_not_shown_counts_for_less_with_each_run() {
        let reach: Vec<f64> = (0..100).map(|runs| unseen_state(runs, 0.02)).collect();
        assert!(reach.windows(2).all(|pair| pair[1] <= pair[0]), "{reach:?}");
        assert!(
            reach[8] > 0.12 && reach[8] < 0.15 && reach[16] > 0.1 && reach[30] < 0.08 && reach[73] == 0.0,
            "{reach:?}"
        );
    }
}
