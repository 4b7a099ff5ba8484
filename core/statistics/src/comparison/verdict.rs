use tare_samples::{About, Proof, USUAL_SAME};

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Rule;
use super::live::CONFIDENCE;
use crate::summary::Estimate;
use crate::warning::Warning;

/// What is said of a candidate, seen from its base, against a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Slower by more than the margin. Where launches take turns, a second, fresh measurement sees a difference the same way.
    Slower,
    /// The same of faster.
    Faster,
    /// No difference is seen that matters, and none is hidden that is larger than [`Comparison::within`].
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
    /// The second measurement saw a difference the same way by itself, and all pairs show one even if neighbours go together.
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
    /// The bound of `same`: what the verdict is about differs by no more than this fraction, the farther end of its interval. Only beside [`Verdict::Same`]. What earlier versions
    /// called `mean_bound` said this of expected costs.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "mean_bound")]
    pub within: Option<f64>,
    /// What shows that nothing differs; only beside [`Verdict::Unchanged`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// What is known to differ that the case executes or reads, a clause: why it was measured. `None` where nothing is known to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
    /// What the verdict is about.
    #[serde(default)]
    pub about: About,
    /// Which ratio the verdict rests on: that of expected costs; or that of typical calls, where they show a difference more sharply, or are what it is about.
    #[serde(default)]
    pub rests_on: About,
    /// Confidence of the interval, a fraction: 0.99.
    pub confidence: f64,
    /// What is said.
    pub verdict: Verdict,
    /// Differences up to this fraction don't matter.
    pub margin: f64,
    /// The largest bound of `same` that was asked for, a fraction.
    #[serde(default = "usual_same")]
    pub same: f64,
    /// The smallest effect (a fraction) that would have been called with a probability of 80 %, at the spread that was
    /// found and with as many pairs. `None` where the spread isn't known, or no effect would have been called.
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

fn usual_same() -> f64 {
    USUAL_SAME
}

impl Comparison {
    /// What was asked of its intervals.
    pub fn rule(&self) -> Rule {
        Rule::new(self.about, self.margin, self.same)
    }

    /// Without a ratio, and so without a verdict; `warnings` say why.
    pub fn without_ratio(rule: &Rule, warnings: Vec<Warning>) -> Self {
        let Rule { about, margin, same } = *rule;
        Self {
            ratio: None,
            typical: None,
            within: None,
            proof: None,
            differs: None,
            about,
            rests_on: about,
            confidence: CONFIDENCE,
            verdict: Verdict::Inconclusive,
            margin,
            same,
            minimum_detectable_effect: None,
            pairs: 0,
            flag: None,
            confirmed: false,
            warnings,
        }
    }

    /// Of a case that was proven to be unchanged, and so wasn't measured.
    pub fn unchanged(proof: Proof, rule: &Rule) -> Self {
        Self { verdict: Verdict::Unchanged, proof: Some(proof), ..Self::without_ratio(rule, Vec::new()) }
    }

    /// The ratio that the verdict is about, with its interval: what a gate asks for.
    pub fn asked(&self) -> Option<Estimate> {
        match self.about {
            About::Time => self.ratio,
            About::Typical => self.typical.or(self.ratio),
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
}

#[cfg(test)]
mod tests {
    use tare_samples::{About, USUAL_SAME};

    use super::{Comparison, Rule, Verdict};
    use crate::summary::Estimate;

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

    #[test]
    fn the_margin_itself_is_within_the_margin() {
        let of = |low: f64, high: f64| Verdict::of(&Estimate { estimate: 1.0, low, high }, 0.25);
        assert_eq!(of(0.8, 1.25), Verdict::Same);
        assert_eq!((of(1.25, 1.5), of(0.5, 0.8)), (Verdict::Inconclusive, Verdict::Inconclusive));
    }

    #[test]
    fn typical_calls_differ_where_their_interval_lies_beside_that_of_the_mean() {
        let interval = |low: f64, high: f64| Some(Estimate { estimate: f64::midpoint(low, high), low, high });
        let of = |low, high| {
            let ratio = interval(1.0, 1.1);
            let typical = interval(low, high);
            Comparison { ratio, typical, ..Comparison::without_ratio(&Rule::default(), Vec::new()) }.differing_typical()
        };
        assert_eq!((of(0.8, 0.9), of(1.2, 1.3)), (interval(0.8, 0.9), interval(1.2, 1.3)));
        // One point in common is enough.
        assert_eq!((of(0.9, 1.0), of(1.1, 1.2), of(1.02, 1.03)), (None, None, None));
    }

    #[test]
    fn what_a_gate_asks_for_is_what_the_verdict_is_about() {
        let [time, typical] = [1.1, 1.2].map(|estimate| Estimate { estimate, low: estimate, high: estimate });
        let of = |about, typical| {
            let rule = Rule { about, ..Rule::default() };
            Comparison { ratio: Some(time), typical, ..Comparison::without_ratio(&rule, Vec::new()) }.asked()
        };
        assert_eq!((of(About::Time, Some(typical)), of(About::Typical, Some(typical))), (Some(time), Some(typical)));
        assert_eq!(of(About::Typical, None), Some(time));
    }

    #[test]
    fn a_comparison_of_a_version_that_kept_no_bound_had_the_usual_one() {
        let known = Comparison::without_ratio(&Rule::default(), Vec::new());
        let mut document = serde_json::to_value(&known).unwrap();
        document.as_object_mut().unwrap().remove("same");
        assert_eq!(serde_json::from_value::<Comparison>(document).unwrap().same, USUAL_SAME);
    }
}
