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

use crate::{Estimate, autocorrelation, student};

use super::detectable::minimum_detectable_effect;
use super::live::{CONFIDENCE, FAMILY_WISE_ERROR, LEAST_STANDARD_ERROR, POWER, WIDENING};
use super::{Comparison, Trimmed, Verdict, holm, warnings};

/// Fewer rounds than this say little.
const FEW_ROUNDS: usize = 8;
/// What the p-value of either half must not exceed.
const SEEN_IN_HALF: f64 = 0.05;

/// Comparisons of figures from the log-ratios (candidate over base) of each round in order. Ratios above 1 are [`Verdict::Slower`]:
/// give ratios of times, or of the inverse of a throughput. `margin` is a fraction above 0.
///
/// All together are one family: with identical targets the probability that any is called different is at most 1 %.
pub fn compare_blocks(figures: &[&[f64]], margin: f64) -> Vec<Comparison> {
    let located: Vec<Option<Location>> = figures.iter().map(|rounds| Location::of(rounds)).collect();
    let p_values: Vec<f64> = located.iter().map(|found| found.map_or(1.0, |found| found.two_sided(margin))).collect();
    let adjusted = holm(&p_values);
    figures
        .iter()
        .zip(located)
        .zip(adjusted)
        .map(|((rounds, found), p_value)| compare(rounds, found, p_value, margin))
        .collect()
}

fn compare(rounds: &[f64], found: Option<Location>, p_value: f64, margin: f64) -> Comparison {
    let pairs = rounds.len() as u32;
    let level = 1.0 - CONFIDENCE;
    let ratio = found.map(|found| {
        let half = student::quantile(1.0 - level / 2.0, found.freedom) * found.error;
        Estimate { estimate: found.mean.exp(), low: (found.mean - half).exp(), high: (found.mean + half).exp() }
    });
    let mut verdict = ratio.as_ref().map_or(Verdict::Inconclusive, |ratio| Verdict::of(ratio, margin));
    let mut told = Vec::new();
    if rounds.len() < FEW_ROUNDS {
        verdict = Verdict::Inconclusive;
        told.push(warnings::few_rounds(rounds.len(), FEW_ROUNDS));
    } else if verdict.is_difference() {
        let halves = rounds.split_at(rounds.len() / 2);
        let seen =
            |half: &[f64]| Location::of(half).is_some_and(|found| found.one_sided(verdict, margin) <= SEEN_IN_HALF);
        if p_value > FAMILY_WISE_ERROR || !seen(halves.0) || !seen(halves.1) {
            told.push(warnings::not_in_both_halves(verdict));
            verdict = Verdict::Inconclusive;
        }
    }
    let effect = found.map(|found| minimum_detectable_effect(found.error, found.freedom, level, margin, POWER));
    Comparison {
        ratio,
        confidence: CONFIDENCE,
        verdict,
        margin,
        minimum_detectable_effect: effect.filter(|effect| effect.is_finite()),
        pairs,
        flag: None,
        confirmed: verdict.is_difference(),
        warnings: told,
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
    fn of(rounds: &[f64]) -> Option<Self> {
        let found = Trimmed::of(rounds)?;
        let error = (WIDENING * found.standard_error * inflation(rounds)).max(LEAST_STANDARD_ERROR);
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
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::{Verdict, compare_blocks};

    /// Blocks of two targets on a machine whose speed wanders (an autoregressive process, r = 0.9, 5 %), with noise of their own (3 %) and now
    /// and then a block that is far off; the order of each round is drawn by lot. The candidate takes `effect` longer.
    fn rounds(rng: &mut Pcg64, count: usize, effect: f64) -> Vec<f64> {
        let mut gaussian = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let draws: Vec<[f64; 6]> = (0..count).map(|_| std::array::from_fn(|_| gaussian())).collect();
        let mut speed = 0.0;
        draws
            .iter()
            .map(|draw| {
                let block = |speed: &mut f64, wander: f64, own: f64, far: f64| {
                    *speed = 0.9 * *speed + 0.05 * (1.0f64 - 0.81).sqrt() * wander;
                    *speed + 0.03 * own + if far > 2.0 { 0.5 } else { 0.0 }
                };
                let first = block(&mut speed, draw[0], draw[1], draw[2]);
                let second = block(&mut speed, draw[3], draw[4], draw[5]);
                let candidate_first = draw[1].to_bits() & 1 == 0;
                effect.ln_1p() + if candidate_first { first - second } else { second - first }
            })
            .collect()
    }

    /// What a report compares: five figures that mostly go together.
    fn figures(rng: &mut Pcg64, count: usize, effect: f64) -> Vec<Vec<f64>> {
        let common = rounds(rng, count, effect);
        (0..5)
            .map(|_| {
                let own = rounds(rng, count, 0.0);
                common.iter().zip(own).map(|(common, own)| common + 0.3 * own).collect()
            })
            .collect()
    }

    fn differing(effect: f64, count: usize, runs: usize) -> (usize, usize) {
        let mut rng = Pcg64::seed_from_u64(11);
        let (mut any, mut first) = (0, 0);
        for _ in 0..runs {
            let figures = figures(&mut rng, count, effect);
            let figures: Vec<&[f64]> = figures.iter().map(Vec::as_slice).collect();
            let compared = compare_blocks(&figures, 0.005);
            any += usize::from(compared.iter().any(|comparison| comparison.verdict.is_difference()));
            first += usize::from(compared[0].verdict == Verdict::Slower);
        }
        (any, first)
    }

    #[test]
    fn identical_targets_are_not_called_different() {
        for count in [8, 20, 60] {
            let (any, _) = differing(0.0, count, 2000);
            println!("{count} rounds: {any} of 2000");
            assert!(any <= 10, "{count} rounds: {any} of 2000 runs, and 1 % were 20");
        }
    }

    #[test]
    fn a_target_that_is_5_percent_slower_is_found() {
        let (_, found) = differing(0.05, 60, 400);
        println!("{found} of 400");
        assert!(found >= 380, "{found} of 400");
    }

    #[test]
    fn few_rounds_decide_nothing() {
        let compared = compare_blocks(&[&[0.5; 7], &[], &[0.1]], 0.005);
        assert!(compared.iter().all(|comparison| comparison.verdict == Verdict::Inconclusive));
        assert_eq!(compared[0].warnings[0].code, "few-rounds");
        assert!(compared[1].ratio.is_none());
    }

    #[test]
    fn a_difference_of_one_half_is_none() {
        let lopsided: Vec<f64> = (0..40).map(|i| if i < 20 { 0.0 } else { 0.5 } + 1e-3 * f64::from(i % 3)).collect();
        let compared = compare_blocks(&[&lopsided], 0.005);
        assert_eq!(compared[0].verdict, Verdict::Inconclusive);
    }
}
