use tare_samples::{About, Proof};

use std::fmt;

use serde::{Deserialize, Serialize};

use super::live::CONFIDENCE;
use super::multiplicity::FAMILY_WISE_ERROR;
use super::warnings::{self, LAYOUT_AT_MOST};
use crate::summary::Estimate;
use crate::warning::{Warning, WarningCode};

/// What is said of a candidate, seen from its base, against a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Slower by more than the margin, and a second, fresh measurement sees a difference the same way.
    Slower,
    /// Faster by more than the margin, and a second, fresh measurement sees a difference the same way.
    Faster,
    /// No difference that matters: expected costs differ by less than the margin; or typical calls do, and expected costs by less than the mean bound.
    Same,
    /// Nothing that the case executes or reads differs between the sides: this was proven, and nothing was measured.
    Unchanged,
    /// What was measured doesn't show which of these it is. People read `undecided`.
    Inconclusive,
}

impl Verdict {
    /// `slower`, `faster`, `same`, `unchanged`, `inconclusive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Unchanged => "unchanged",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// Where an interval of the ratio lies against `margin`, a fraction of 0 or more. The margin is symmetric on the
    /// logarithmic scale: from 1 / (1 + margin) to 1 + margin.
    pub fn of(ratio: &Estimate, margin: f64) -> Self {
        let (slower, faster) = (1.0 + margin, 1.0 / (1.0 + margin));
        if ratio.low > slower {
            Self::Slower
        } else if ratio.high < faster {
            Self::Faster
        } else if ratio.low >= faster && ratio.high <= slower {
            Self::Same
        } else {
            Self::Inconclusive
        }
    }

    /// `slower` or `faster`.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::Slower | Self::Faster)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a difference that the first measurement saw fared in the second, fresh one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Flag {
    /// What the first measurement said: [`Verdict::Slower`] or [`Verdict::Faster`].
    pub first: Verdict,
    /// Launch pairs of the second measurement.
    pub pairs: u32,
    /// P-value of both measurements together, for a difference beyond the margin in the direction of `first`, after Holm over all
    /// cases of the suite.
    pub p_value: f64,
    /// What it takes to judge it beside the cases of a larger suite; `None` in documents of versions that didn't keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
}

/// What is claimed of a case before the suite is asked, and by what right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// P-value of the second measurement alone; it may exceed 1.
    pub second: f64,
    /// What all pairs say.
    pub seen: Verdict,
    /// The second measurement saw a difference the same way by itself.
    pub seen_again: bool,
    /// By how much builds differ by their places, a standard deviation of the log-ratio; 0 where they don't.
    pub layout: f64,
}

/// A candidate against its base. All ratios are candidate over base of the tared time per call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The ratio of expected costs with its interval, above 0; `None` where it is undefined, and a warning says why.
    pub ratio: Option<Estimate>,
    /// The ratio of typical calls, which the subject's own rare, slow moments and the machine's don't move; `None` where only one ratio is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<Estimate>,
    /// How far expected costs may lie apart, a fraction; only beside [`Verdict::Same`] of a verdict about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_bound: Option<f64>,
    /// The bound of `same`: expected costs differ by no more than this fraction. Only beside [`Verdict::Same`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// What shows that nothing differs; only beside [`Verdict::Unchanged`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// What the verdict is about.
    #[serde(default)]
    pub about: About,
    /// Which ratio the verdict rests on: that of typical calls, where expected costs agree with it, or that of expected costs.
    #[serde(default)]
    pub rests_on: About,
    /// Confidence of the interval, a fraction: 0.99.
    pub confidence: f64,
    /// What is said.
    pub verdict: Verdict,
    /// Differences up to this fraction don't matter.
    pub margin: f64,
    /// The smallest effect (a fraction) that would have been called with a probability of 80 %, at the spread that was
    /// found and with as many pairs. `None` where the spread isn't known.
    pub minimum_detectable_effect: Option<f64>,
    /// Launch pairs, those of the second measurement included. For stored runs the launches of the smaller run.
    pub pairs: u32,
    /// The second, fresh measurement; `None` where none was called for.
    pub flag: Option<Flag>,
    /// A difference that was called was seen in both measurements.
    pub confirmed: bool,
    /// What the reader should know before believing it: codes `base-below-resolution`, `candidate-below-resolution`, `few-pairs`,
    /// `interrupted`, `not-confirmed`, `machines-differ`, `policies-differ`, `little-history`, `base-skipped`, `candidate-skipped`, …
    pub warnings: Vec<Warning>,
}

impl Comparison {
    /// Of a case that was proven to be unchanged, and so wasn't measured.
    pub fn unchanged(proof: Proof, about: About, margin: f64) -> Self {
        Self {
            ratio: None,
            typical: None,
            mean_bound: None,
            within: None,
            proof: Some(proof),
            about,
            rests_on: about,
            confidence: CONFIDENCE,
            verdict: Verdict::Unchanged,
            margin,
            minimum_detectable_effect: None,
            pairs: 0,
            flag: None,
            confirmed: false,
            warnings: Vec::new(),
        }
    }

    /// The ratio that the verdict rests on, with its interval.
    pub fn shown(&self) -> Option<Estimate> {
        match self.rests_on {
            About::Time => self.ratio,
            About::Typical => self.typical.or(self.ratio),
        }
    }

    /// The ratio of typical calls where it differs from that of expected costs by more than their intervals.
    pub fn differing_typical(&self) -> Option<Estimate> {
        let (time, typical) = (self.ratio?, self.typical?);
        (typical.high < time.low || typical.low > time.high).then_some(typical)
    }

    /// Judges a claim anew beside the cases of a larger suite. `adjusted`: of [`adjusted_p_values`](super::adjusted_p_values) over all of them, which isn't
    /// above that of a part, where all others were taken for cases that show nothing: so a difference may become one that is called, never the reverse.
    pub fn claim_again(&mut self, adjusted: f64) {
        let Some((flag, claim)) = self.flag.as_mut().and_then(|flag| flag.claim.map(|claim| (flag, claim))) else {
            return;
        };
        flag.p_value = adjusted.min(1.0);
        let holds = claim.seen_again
            && flag.p_value <= FAMILY_WISE_ERROR
            && flag.first == claim.seen
            && claim.seen.is_difference();
        // What the base showed against itself isn't undone by other cases.
        if !holds || self.confirmed || self.warnings.iter().any(|warning| warning.is(WarningCode::ControlDiffers)) {
            return;
        }
        (self.verdict, self.confirmed) = (claim.seen, true);
        self.warnings.retain(|warning| !warning.is(WarningCode::NotConfirmed));
        if self.shown().is_some_and(|shown| shown.estimate.ln().abs() < LAYOUT_AT_MOST * claim.layout) {
            self.warnings.push(warnings::layout(claim.layout));
        }
    }

    /// Takes back a difference: the control beside it, the same code on both sides, looked different too.
    pub fn refute(&mut self) {
        if self.verdict.is_difference() {
            self.leave_open(warnings::control_differs(self.verdict));
        }
    }

    /// Leaves open what was decided, for a reason that the interval doesn't show: `why` tells it.
    pub fn leave_open(&mut self, why: Warning) {
        self.warnings.push(why);
        (self.verdict, self.confirmed, self.mean_bound) = (Verdict::Inconclusive, false, None);
    }
}

#[cfg(test)]
mod tests {
    use super::{About, Claim, Comparison, FAMILY_WISE_ERROR, Flag, Verdict};
    use crate::comparison::adjusted_p_values;
    use crate::summary::Estimate;
    use crate::warning::{Warning, WarningCode};

    fn flagged() -> Comparison {
        let ratio = Estimate { estimate: 1.03, low: 1.02, high: 1.04 };
        let claim = Claim { second: 0.04, seen: Verdict::Slower, seen_again: true, layout: 0.06 };
        Comparison {
            ratio: Some(ratio),
            typical: None,
            within: None,
            proof: None,
            mean_bound: None,
            about: About::Time,
            rests_on: About::Time,
            confidence: 0.99,
            verdict: Verdict::Inconclusive,
            margin: 0.005,
            minimum_detectable_effect: None,
            pairs: 20,
            flag: Some(Flag { first: Verdict::Slower, pairs: 10, p_value: 0.02, claim: Some(claim) }),
            confirmed: false,
            warnings: vec![Warning {
                code: WarningCode::NotConfirmed.into(),
                message: String::new(),
                remedy: String::new(),
            }],
        }
    }

    #[test]
    fn a_claim_that_a_part_could_not_make_is_made_beside_what_the_others_show() {
        // Fifty cases: of 49 the part knows nothing.
        let mut alone = vec![None; 50];
        alone[0] = Some(0.04);
        assert!(adjusted_p_values(&alone)[0] > FAMILY_WISE_ERROR);
        let mut compared = flagged();
        compared.claim_again(adjusted_p_values(&alone)[0]);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Inconclusive, false));
        // Thirty of them are slower beyond doubt: twenty are left that it stands beside.
        let mut whole = alone.clone();
        whole[1..31].fill(Some(1e-9));
        compared.claim_again(adjusted_p_values(&whole)[0]);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Slower, true));
        let codes = |code| compared.warnings.iter().any(|warning| warning.is(code));
        assert!(!codes(WarningCode::NotConfirmed) && codes(WarningCode::Layout), "{:?}", compared.warnings);
    }

    #[test]
    fn what_a_control_took_back_stays_taken_back() {
        let mut compared = Comparison { verdict: Verdict::Slower, confirmed: true, ..flagged() };
        compared.refute();
        compared.claim_again(0.0001);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Inconclusive, false));
        let mut unseen = flagged();
        unseen.flag.as_mut().unwrap().claim.as_mut().unwrap().seen_again = false;
        unseen.claim_again(0.0001);
        assert_eq!(unseen.verdict, Verdict::Inconclusive);
    }

    #[test]
    fn an_interval_has_to_lie_wholly_on_one_side() {
        let of = |low: f64, high: f64| Verdict::of(&Estimate { estimate: f64::midpoint(low, high), low, high }, 0.005);
        assert_eq!(of(1.006, 1.02), Verdict::Slower);
        assert_eq!(of(1.004, 1.02), Verdict::Inconclusive);
        assert_eq!(of(0.98, 0.994), Verdict::Faster);
        assert_eq!(of(0.98, 0.996), Verdict::Inconclusive);
        assert_eq!(of(0.996, 1.004), Verdict::Same);
        assert_eq!(of(0.98, 1.02), Verdict::Inconclusive);
    }

    #[test]
    fn swapping_base_and_candidate_swaps_the_verdict() {
        for (low, high) in [(1.0051, 1.3), (1.001, 1.3), (0.9951, 1.0049), (0.7, 0.995)] {
            let there = Verdict::of(&Estimate { estimate: 1.0, low, high }, 0.005);
            let back = Verdict::of(&Estimate { estimate: 1.0, low: 1.0 / high, high: 1.0 / low }, 0.005);
            let swapped = match there {
                Verdict::Slower => Verdict::Faster,
                Verdict::Faster => Verdict::Slower,
                other => other,
            };
            assert_eq!(back, swapped, "{low} {high}");
        }
    }
}
