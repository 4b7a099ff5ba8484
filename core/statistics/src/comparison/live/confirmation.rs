//! What a difference has to withstand beside the looks: neighbours that go together, and builds of the same code that differ; and how large it would
//! have had to be.

use tare_samples::About;

use super::{DEPENDENT, ERROR, Live, SEEN_AGAIN, power};
use crate::comparison::Comparison;
use crate::comparison::evidence::{Basis, Evidence, dilution, locate, sameness};
use crate::comparison::location::{Location, Neighbours};
use crate::comparison::overlap::Overlap;
use crate::comparison::warnings::Unconfirmed;
use crate::student;

/// The largest ratio that the place of the same code within a line of the cache may make; × 1.88 has been seen (docs/decisions/0031).
const LARGEST_BY_PLACE: f64 = 2.25;

impl Live {
    /// Whether code that is the same has moved, and the interval at this level holds a ratio that this may make.
    pub(super) fn may_be_its_place(&self, level: f64) -> bool {
        self.question.moved.is_some()
            && Evidence::of(&self.pairs, level)
                .is_some_and(|seen| seen.time.low < LARGEST_BY_PLACE && seen.time.high > 1.0 / LARGEST_BY_PLACE)
    }

    /// What a flag rests on, or what it would.
    fn basis(&self) -> Basis {
        self.second.map_or(self.flagged_by, |second| second.basis)
    }

    /// The two-sided p-value of no difference but what two builds of the same code have; 0 where that is nothing.
    pub(super) fn p_value_of_builds(&self) -> f64 {
        if self.question.between_builds <= 0.0 {
            return 0.0;
        }
        locate(&self.pairs, self.basis())
            .map_or(1.0, |found| sameness(&found.beside(self.question.between_builds), Overlap::of(&self.pairs)))
    }

    /// Whether there is a difference even if neighbouring pairs go together as much as they allow.
    pub(super) fn holds_dependent(&self) -> bool {
        locate(&self.pairs, self.basis())
            .is_some_and(|found| sameness(&found.dependent(), Overlap::of(&self.pairs)) <= DEPENDENT)
    }

    /// Launch pairs of a second measurement which confirm, as likely as not, what all pairs so far show: at `level`, as in [`Self::begin_second`]. As many as it may make where that
    /// isn't to be expected.
    pub fn pairs_to_confirm(&self, level: f64) -> u32 {
        let looks = self.question.second_looks();
        let most = looks.last().copied().unwrap_or(0);
        let Some(found) = locate(&self.pairs, self.basis()) else { return most };
        let first = self.second.map_or(self.pairs.len(), |second| second.defined);
        let deviation = found.standard_error * (self.pairs.len() as f64).sqrt();
        let p_value = |pairs: usize, beyond: f64, inflation: f64| {
            let error = inflation * deviation / (pairs as f64).sqrt();
            student::cdf(-(found.mean.abs() - beyond) / error, Location::freedom(pairs))
        };
        let confirms = |look: u32| {
            let (fresh, all, tries) = (look as usize, first + look as usize, looks.len() as f64);
            tries * p_value(fresh, self.question.rule.margin.ln_1p(), 1.0) <= level
                && tries * p_value(fresh, 0.0, 1.0) <= SEEN_AGAIN
                && 2.0 * p_value(all, 0.0, Neighbours::of(all, 0.0).possible) <= DEPENDENT
        };
        looks.iter().copied().find(|&look| confirms(look)).unwrap_or(most)
    }

    /// The smallest difference that would have been called four times in five, as a fraction; `None` where none would. It takes
    /// milliseconds to work out: 3 after 20 fixed pairs, 21 after 40 pairs with all their looks.
    pub fn minimum_detectable_effect(&self, found: &Comparison) -> Option<f64> {
        found.ratio?;
        if self.question.moved.is_some() {
            // However large, it isn't called.
            return None;
        }
        // Typical calls would have shown it more sharply, where they agree with expected costs.
        let by_typical = match self.question.rule.about {
            About::Typical => true,
            About::Time => Evidence::of(&self.pairs, self.level()).is_some_and(|e| e.typical.is_some() && e.agrees()),
        };
        let by_time = !by_typical || found.rests_on == About::Time && found.verdict.is_difference();
        let basis = if by_time { Basis::Time } else { Basis::Typical };
        let located = locate(&self.pairs, basis)?;
        let log_ratio = Overlap::of(&self.pairs).needed(self.detectable(&located));
        let effect = log_ratio.exp_m1() / (1.0 - dilution(&self.pairs));
        effect.is_finite().then_some(effect)
    }

    /// The smallest log-ratio that would have been called four times in five.
    fn detectable(&self, found: &Location) -> f64 {
        let first_pairs = self.second.map_or(self.made(), |second| second.from as u32);
        let scatter = found.standard_error * (self.pairs.len() as f64).sqrt();
        power::detectable(&power::EffectQuestion {
            question: &self.question,
            first_pairs,
            family: self.family,
            scatter,
        })
    }

    /// Why a flagged difference isn't called.
    pub(super) fn unconfirmed(&self) -> Unconfirmed {
        if self.second.is_none_or(|second| second.seen_again > SEEN_AGAIN) {
            Unconfirmed::NotSeenAgain
        } else if !self.holds_dependent() {
            Unconfirmed::Dependent
        } else if self.p_value_of_builds() > ERROR {
            Unconfirmed::Builds { between_builds: self.question.between_builds }
        } else {
            Unconfirmed::Margin
        }
    }
}
