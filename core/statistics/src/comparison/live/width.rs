//! How wide the interval of a live comparison will be, whatever it says: who shares out time by it alone doesn't touch the error rates.

use tare_samples::About;

use super::{ERROR, Live};
use crate::comparison::evidence::{Basis, Evidence, locate};
use crate::summary::Estimate;
use crate::{normal, student};

/// What a late look may spend of the error, about.
const LATE: f64 = ERROR / 4.0;

/// Half the width that an interval of many pairs would have if it had as much to go by as there are pairs now, over what it may be: 1 or less where it is narrow enough. What few
/// pairs and early looks widen it by has no part in it, nor where it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Widths {
    /// Over what it may be for identical code to be called the same, and to pass a gate that states a percentage.
    pub decided: f64,
    /// Over what it may be for more launches not to be worth their time.
    pub sharp: f64,
}

impl Live {
    /// The standard deviation of what pairs say of the ratio that the verdict is about (a logarithm): the standard error of their mean times the root of their number. `None` where it
    /// isn't known yet.
    pub fn deviation(&self) -> Option<f64> {
        let basis = if self.question.rule.about == About::Typical { Basis::Typical } else { Basis::Time };
        let found = locate(&self.pairs, basis)?;
        Some(found.standard_error * (self.pairs.len() as f64).sqrt())
    }

    /// How wide its intervals are. `None` where nothing is known of them yet.
    pub fn widths(&self) -> Option<Widths> {
        let freedom = self.pairs.len().checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
        let evidence = Evidence::of(&self.pairs, LATE)?;
        let rule = &self.question.rule;
        let of_many = normal::quantile(1.0 - LATE / 2.0) / student::quantile(1.0 - LATE / 2.0, freedom);
        let over = |estimate: Estimate, bound: f64| of_many * (estimate.high / estimate.low).ln() / 2.0 / bound.ln_1p();
        let asked = self.question.gate.map_or(rule.same, |gate| gate.min(rule.same));
        let decided = over(evidence.about(rule.about)?, asked);
        let sharp = match (rule.about, evidence.typical) {
            (_, None) => over(evidence.time, rule.margin),
            (About::Typical, Some(typical)) => over(typical, rule.margin),
            (About::Time, Some(typical)) => over(typical, rule.margin).max(over(evidence.time, rule.agreeing())),
        };
        (decided.is_finite() && sharp.is_finite()).then_some(Widths { decided, sharp })
    }
}
