//! From intervals to what they say: a verdict is about expected costs, and typical calls may show a difference more sharply where nothing speaks against it.

use tare_samples::{About, USUAL_MARGIN, USUAL_SAME};

use crate::summary::Estimate;
use crate::warning::Warning;

use super::evidence::{Basis, Evidence};
use super::{Verdict, warnings};

/// Where typical calls decide, expected costs have to agree: they don't reach so far on the other side of no difference, and where a measurement ends early since typical calls
/// are the same, they lie within it.
const AGREEING: f64 = 0.02;

/// What is asked of intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// What a verdict is about.
    pub about: About,
    /// Differences up to this fraction don't matter: ratios from 1 / (1 + margin) to 1 + margin. Above 0.
    pub margin: f64,
    /// The bound of `same`: an interval that shows no difference and lies within it, as within the margin, is the same. At least the margin.
    pub same: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self::new(About::default(), USUAL_MARGIN, USUAL_SAME)
    }
}

/// Why nothing is decided though something could be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// Typical calls and expected costs differ otherwise, and the latter aren't known well enough.
    MeansDiffer,
    /// Typical calls show this difference, and expected costs may lie far on the other side.
    MeansUnbounded(Verdict),
}

impl Open {
    pub(super) fn told(self, evidence: &Evidence) -> Warning {
        match self {
            Self::MeansDiffer => warnings::means_differ(evidence),
            Self::MeansUnbounded(typical) => warnings::mean_uncertain(typical, &evidence.time, AGREEING),
        }
    }
}

/// What intervals say, and which of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    pub(super) basis: Basis,
    /// How far the ratio may lie from 1, a fraction; only of `same`.
    pub(super) within: Option<f64>,
    pub(super) open: Option<Open>,
}

impl Rule {
    /// A bound within the margin would ask nothing: what lies within the margin is the same.
    pub fn new(about: About, margin: f64, same: f64) -> Self {
        Self { about, margin, same: same.max(margin) }
    }

    /// What a single interval says of the ratio that the verdict is about, and how far it may lie from 1 where it says `same`.
    ///
    /// `same` needs an interval that shows no difference, since it holds 1 or lies within the margin, and that lies within the bound. One that excludes 1 and reaches beyond the
    /// margin shows that there is a difference, and not that it matters: it is neither.
    pub fn of(&self, ratio: &Estimate) -> (Verdict, Option<f64>) {
        if ratio.low <= 0.0 {
            return (Verdict::of(ratio, self.margin), None);
        }
        let reach = ratio.high.max(1.0 / ratio.low) - 1.0;
        // The margin's own verdict: an end of an interval at the margin lies within it.
        match Verdict::of(ratio, self.margin) {
            Verdict::Same => (Verdict::Same, Some(reach)),
            Verdict::Inconclusive if ratio.holds(1.0) && reach <= self.same => (Verdict::Same, Some(reach)),
            seen => (seen, None),
        }
    }

    /// What the evidence says.
    ///
    /// - Expected costs that lie wholly beyond the margin decide, whatever typical calls show.
    /// - Typical calls that lie beyond it decide where the two agree: the interval of what lies between them holds 1, and expected costs don't reach far
    ///   on the other side.
    /// - Whether there is none is for expected costs alone to say ([`Self::of`]).
    pub(super) fn judge(&self, evidence: &Evidence) -> Judgement {
        let say = |verdict, basis, within, open| Judgement { verdict, basis, within, open };
        if self.about == About::Typical {
            let (verdict, within) = evidence.typical.map_or((Verdict::Inconclusive, None), |typical| self.of(&typical));
            return say(verdict, Basis::Typical, within, None);
        }
        let (time, within) = self.of(&evidence.time);
        let typical = evidence.typical.map(|typical| Verdict::of(&typical, self.margin));
        let Some(typical) = typical.filter(|_| !time.is_difference()) else {
            return say(time, Basis::Time, within, None);
        };
        if !evidence.agrees() {
            let open = (time == Verdict::Inconclusive).then_some(Open::MeansDiffer);
            return say(time, Basis::Time, within, open);
        }
        let opposed = match typical {
            Verdict::Slower => evidence.time.low <= 1.0 / (1.0 + AGREEING),
            Verdict::Faster => evidence.time.high >= 1.0 + AGREEING,
            _ => return say(time, Basis::Time, within, None),
        };
        match opposed {
            true => say(Verdict::Inconclusive, Basis::Time, None, Some(Open::MeansUnbounded(typical))),
            false => say(typical, Basis::Typical, None, None),
        }
    }

    /// Within which expected costs have to lie where typical calls are the same, for a measurement to end early.
    pub(super) fn agreeing(&self) -> f64 {
        AGREEING.min(self.same)
    }

    /// Whether `same` is known so well that more launches wouldn't be worth their time: typical calls lie within the margin, and expected costs agree; or these
    /// lie within it themselves.
    pub(super) fn is_sharp(&self, evidence: &Evidence) -> bool {
        let is_within = |ratio: &Estimate, bound| Verdict::of(ratio, bound) == Verdict::Same;
        let typical = evidence.typical.is_some_and(|typical| is_within(&typical, self.margin));
        match self.about {
            About::Typical => typical,
            About::Time => {
                is_within(&evidence.time, self.margin)
                    || typical && evidence.agrees() && is_within(&evidence.time, self.agreeing())
            }
        }
    }
}

impl Judgement {
    /// Where there are no intervals.
    pub(super) fn nothing() -> Self {
        Self { verdict: Verdict::Inconclusive, basis: Basis::Time, within: None, open: None }
    }

    /// Where only one ratio is known, or decides.
    pub(super) fn of_ratio(rule: &Rule, ratio: &Estimate) -> Self {
        let (verdict, within) = rule.of(ratio);
        let basis = if rule.about == About::Typical { Basis::Typical } else { Basis::Time };
        Self { verdict, basis, within, open: None }
    }
}

#[cfg(test)]
#[path = "judgement/tests.rs"]
mod tests;
