//! How wide the interval of a live comparison is, whatever it says: who shares out time by it alone doesn't touch the error rates.

use tare_samples::About;

use super::Live;
use crate::Estimate;
use crate::comparison::evidence::Evidence;

impl Live {
    /// Half the width of the interval over what it may be for identical code to be called the same: 1 or less where that can happen. `None` where there
    /// is no interval yet. Where the interval lies has no part in it.
    pub fn width_over_margin(&self) -> Option<f64> {
        let evidence = Evidence::of(&self.pairs, self.level())?;
        let half = |estimate: Estimate| (estimate.high / estimate.low).ln() / 2.0;
        let typical = half(evidence.typical) / self.question.margin.ln_1p();
        let width = match self.question.about {
            About::Typical => typical,
            About::Time => typical.max(half(evidence.time) / self.question.mean_bound.ln_1p()),
        };
        width.is_finite().then_some(width)
    }
}
