//! Comparisons under load: two targets take turns in blocks, one block each a round, in random order.
//!
//! Operations within a block share its moment and aren't independent; rounds are the unit of evidence. Each gives the log-ratio of
//! a figure (throughput, a percentile) of its two blocks. Because the order within a round is drawn by lot, the sign of the log-ratio
//! of identical targets is a fair coin in every round, whatever the machine did and however its noise hangs together over
//! time (Fisher, "The Design of Experiments", 1935, §21): identical targets are safe from autocorrelation by design. Where targets
//! differ it could still make intervals too narrow, so they are widened by what is seen of it.
//!
//! The number of rounds is fixed before anything is seen, so there is one look, and no second, fresh measurement. In its place a
//! difference has to be seen in either half of the rounds by itself, and Holm's procedure runs over all figures of all candidates.
//!
//! The location of the log-ratios is their 20 % trimmed mean, which a busy neighbour in some rounds doesn't move; nor does a target that
//! stands still in some rounds, and that is the target's own. So a verdict has to hold for all rounds together as well: for the ratio of
//! the sums, or of the percentiles of everything that was measured. Where it doesn't, nothing is decided, and it is said.

use crate::summary::Estimate;
use crate::{autocorrelation, student};

use super::decision::{Confirmation, Grounds};
use super::detectable::minimum_detectable_effect;
use super::evidence::LEAST_STANDARD_ERROR;
use super::judgement::Judgement;
use super::live::{CONFIDENCE, POWER};
use super::multiplicity::FAMILY_WISE_ERROR;
use super::{Comparison, Rule, Trimmed, Verdict, holm, warnings};
use crate::warning::Warning;

/// Student's t with h − 1 degrees of freedom makes the 20 % trimmed mean's intervals a little narrow: over normal values one look
/// at 8 to 30 rounds misses the truth in 1.1 to 1.4 % where 1 % is stated (20,000 to 40,000 simulated each).
const WIDENING: f64 = 1.08;
/// Fewer rounds than this say little.
const FEW_ROUNDS: usize = 8;
/// What the p-value of either half must not exceed.
const SEEN_IN_HALF: f64 = 0.05;

/// One figure of two targets.
#[derive(Debug, Clone, Default)]
pub struct BlockFigure {
    /// Its log-ratio (candidate over base) in each round, in order. Ratios above 1 are [`Verdict::Slower`]: give ratios of times, or of
    /// the inverse of a throughput.
    pub rounds: Vec<f64>,
    /// The log-ratio of all rounds together: of the sums, or of the percentiles of all; not finite where there is none.
    pub pooled: f64,
    /// Rounds that have no ratio, since in one of its blocks nothing succeeded, or too little. They aren't left out by chance, so a
    /// comparison that has any decides nothing.
    pub silent: usize,
    /// Why nothing is decided of it, whatever the rounds show.
    pub obstacle: Option<Warning>,
    /// A standard error (of the log-ratio) that more rounds don't take away: of what was drawn once for all of them, as how the memory of
    /// processes is laid out. 0 where there is nothing such.
    pub between_processes: f64,
}

/// Comparisons of figures.
///
/// All together are one family: with identical targets the probability that any is called different is at most 1 %.
pub fn compare_blocks(figures: &[BlockFigure], rule: &Rule) -> Vec<Comparison> {
    let located: Vec<Option<Location>> =
        figures.iter().map(|figure| Location::of(&figure.rounds, figure.between_processes)).collect();
    let p_values: Vec<f64> =
        located.iter().map(|found| found.map_or(1.0, |found| found.two_sided(rule.margin))).collect();
    let adjusted = holm(&p_values);
    figures
        .iter()
        .zip(located)
        .zip(adjusted)
        .map(|((figure, found), p_value)| compare(figure, found, p_value, rule))
        .collect()
}

fn compare(figure: &BlockFigure, found: Option<Location>, p_value: f64, rule: &Rule) -> Comparison {
    let rounds = figure.rounds.as_slice();
    let level = 1.0 - CONFIDENCE;
    let ratio = found.map(|found| {
        let half = student::quantile(1.0 - level / 2.0, found.freedom) * found.error;
        Estimate { estimate: found.mean.exp(), low: (found.mean - half).exp(), high: (found.mean + half).exp() }
    });
    let seen = ratio.as_ref().map(|ratio| Judgement::of_ratio(rule, ratio));
    let verdict = seen.map_or(Verdict::Inconclusive, |seen| seen.verdict);
    let obstacle = if let Some(obstacle) = &figure.obstacle {
        Some(obstacle.clone())
    } else if figure.silent > 0 {
        Some(warnings::silent_rounds(figure.silent, rounds.len() + figure.silent))
    } else if rounds.len() < FEW_ROUNDS {
        Some(warnings::few_rounds(rounds.len(), FEW_ROUNDS))
    } else {
        (!seen.is_none_or(|seen| agrees(&seen, figure.pooled)))
            .then(|| warnings::rounds_disagree(verdict, figure.pooled))
    };
    let halves = rounds.split_at(rounds.len() / 2);
    let is_seen = |half: &[f64]| {
        Location::of(half, figure.between_processes)
            .is_some_and(|found| found.one_sided(verdict, rule.margin) <= SEEN_IN_HALF)
    };
    let confirmed = p_value <= FAMILY_WISE_ERROR && is_seen(halves.0) && is_seen(halves.1);
    let doubt = (obstacle.is_none() && !confirmed).then(|| warnings::not_in_both_halves(verdict));
    let effect = found.map(|found| minimum_detectable_effect(found.error, found.freedom, level, rule.margin, POWER));
    let comparison = Comparison {
        ratio,
        minimum_detectable_effect: effect.filter(|effect| effect.is_finite()),
        pairs: rounds.len() as u32,
        ..Comparison::without_ratio(rule, Vec::new())
    };
    let obstacles: Vec<Warning> = obstacle.into_iter().collect();
    let Some(seen) = seen else { return Comparison { warnings: obstacles, ..comparison } };
    let doubts = doubt.into_iter().collect();
    comparison.decided(&seen, Grounds { obstacles, doubts, ..Grounds::of(Confirmation::Given) })
}

/// Whether all rounds together say so too.
fn agrees(seen: &Judgement, pooled: f64) -> bool {
    match seen.verdict {
        Verdict::Slower => pooled > 0.0,
        Verdict::Faster => pooled < 0.0,
        Verdict::Same => seen.within.is_some_and(|within| pooled.abs() <= within.ln_1p()),
        Verdict::Inconclusive | Verdict::Unchanged => true,
    }
}

/// Where the log-ratios lie, and how well that is known.
#[derive(Debug, Clone, Copy)]
struct Location {
    mean: f64,
    error: f64,
    freedom: f64,
}

impl Location {
    fn of(rounds: &[f64], between_processes: f64) -> Option<Self> {
        let found = Trimmed::of(rounds)?;
        let error =
            (WIDENING * found.standard_error * inflation(rounds)).max(LEAST_STANDARD_ERROR).hypot(between_processes);
        (found.freedom > 0.0 && error.is_finite()).then_some(Self { mean: found.mean, error, freedom: found.freedom })
    }

    fn one_sided(&self, towards: Verdict, margin: f64) -> f64 {
        let signed = if towards == Verdict::Faster { -self.mean } else { self.mean };
        student::cdf(-(signed - margin.ln_1p()) / self.error, self.freedom)
    }

    fn two_sided(&self, margin: f64) -> f64 {
        let towards = if self.mean < 0.0 { Verdict::Faster } else { Verdict::Slower };
        (2.0 * self.one_sided(towards, margin)).min(1.0)
    }
}

/// By what the standard error grows for neighbours that go together. 1 where they don't clearly, the standard error of their
/// autocorrelation being 1/√n: the lot that is drawn in each round keeps identical targets safe without it.
fn inflation(rounds: &[f64]) -> f64 {
    match autocorrelation::lag_one(rounds) {
        Some(r) if rounds.len() >= FEW_ROUNDS && r > 2.0 / (rounds.len() as f64).sqrt() => {
            autocorrelation::inflation(r)
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests;
