//! How wide the interval of a live comparison will be, whatever it says: who shares out time by it alone doesn't touch the error rates.

use tare_samples::About;

use super::{ERROR, Live};
use crate::comparison::evidence::Evidence;
use crate::summary::Estimate;
use crate::{normal, student};

/// What a late look may spend of the error, about.
const LATE: f64 = ERROR / 4.0;

impl Live {
    /// Half the width that an interval of many pairs would have if it had as much to go by as there are pairs now, over what it may be for identical code to
    /// be called the same: 1 or less where that can happen. What few pairs and early looks widen it by has no part in it, nor where it lies. `None`
    /// where nothing is known of it yet.
    pub fn width_over_margin(&self) -> Option<f64> {
        let freedom = self.pairs.len().checked_sub(1).filter(|&freedom| freedom > 0)? as f64;
        let evidence = Evidence::of(&self.pairs, LATE)?;
        let of_many = normal::quantile(1.0 - LATE / 2.0) / student::quantile(1.0 - LATE / 2.0, freedom);
        let half = |estimate: Estimate| of_many * (estimate.high / estimate.low).ln() / 2.0;
        let in_margins = |estimate: Estimate| half(estimate) / self.question.margin.ln_1p();
        let width = match (self.question.about, evidence.typical) {
            (About::Typical, typical) => in_margins(typical?),
            (About::Time, None) => in_margins(evidence.time),
            (About::Time, Some(typical)) => {
                in_margins(typical).max(half(evidence.bounding) / self.question.mean_bound.ln_1p())
            }
        };
        width.is_finite().then_some(width)
    }
}
