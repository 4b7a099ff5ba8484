//! What launch pairs show at a level: how far typical calls, and expected costs, lie apart.

use std::borrow::Cow;

use tare_samples::About;

use crate::summary::Estimate;
use crate::{quantile, student};

use super::location::Location;
use super::means::MeanRatio;
use super::overlap::Overlap;
use super::{PairRatio, Verdict};

/// Launches of a pair differ by at least this much for reasons that a handful of them may not show (a logarithm).
pub(super) const LEAST_STANDARD_ERROR: f64 = 1e-5;

/// Typical calls that only some of the pairs know are taken from so many at least.
const LEAST_SPARED: usize = 6;

/// Which of the two a claim rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// The robust location of what undisturbed calls take.
    Typical,
    /// The expected cost.
    Time,
}

/// Everything that is asked of the pairs before a verdict. Ratios are candidate over base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// Ratio of typical calls; `None` where too few pairs have any that weren't interrupted.
    pub(super) typical: Option<Estimate>,
    /// Ratio of expected costs.
    pub(super) time: Estimate,
    /// Expected costs over typical calls: what lies between the two ratios.
    pub(super) time_over_typical: Estimate,
}

impl Evidence {
    /// Intervals at `level`. `None` where the pairs have no spread, or one that has no end.
    pub(super) fn of(pairs: &[PairRatio], level: f64) -> Option<Self> {
        let expected = locate(pairs, Basis::Time)?;
        let time = interval(&expected, pairs, level)?;
        let typical = match locate(pairs, Basis::Typical) {
            Some(found) => Some(interval(&found, pairs, level)?),
            None => None,
        };
        let known = typical.and_then(|_| spared(pairs)).and_then(|known| Location::influences(&known));
        let time_over_typical = match (MeanRatio::of(pairs), known) {
            (Some(means), Some(influences)) => {
                let of_spared = pairs.iter().zip(&means.influences).filter(|(pair, _)| pair.spared);
                let differences: Vec<f64> = of_spared.zip(&influences).map(|((_, mean), of)| mean - of).collect();
                let error = quantile::standard_error(&differences).unwrap_or(0.0).max(LEAST_STANDARD_ERROR);
                let freedom = differences.len() as f64 - 1.0;
                plain(quantile::mean(&differences)?, student::quantile(1.0 - level / 2.0, freedom) * error)?
            }
            _ => Estimate { estimate: 1.0, low: 1.0, high: 1.0 },
        };
        Some(Self { typical, time, time_over_typical })
    }

    /// Whether typical calls and expected costs show the same, as far as can be seen.
    pub(super) fn agrees(&self) -> bool {
        self.time_over_typical.holds(1.0)
    }

    /// The interval of the ratio that a verdict is about.
    pub(super) fn about(&self, about: About) -> Option<Estimate> {
        match about {
            About::Time => Some(self.time),
            About::Typical => self.typical,
        }
    }
}

/// Location and standard error of the log-ratios; `None` for fewer than two pairs. Pairs of which only log-ratios are known say the same of
/// expected costs as of typical calls.
pub(super) fn locate(pairs: &[PairRatio], basis: Basis) -> Option<Location> {
    let found = match (basis, MeanRatio::of(pairs)) {
        (Basis::Time, Some(means)) => means.location,
        _ => Location::of(&spared(pairs)?)?,
    };
    Some(Location { standard_error: found.standard_error.max(LEAST_STANDARD_ERROR), ..found })
}

/// The pairs of which typical calls are known: all, or some where these are enough to say something.
fn spared(pairs: &[PairRatio]) -> Option<Cow<'_, [PairRatio]>> {
    if pairs.iter().all(|pair| pair.spared) {
        return Some(Cow::Borrowed(pairs));
    }
    let known: Vec<PairRatio> = pairs.iter().filter(|pair| pair.spared).cloned().collect();
    (known.len() >= LEAST_SPARED).then_some(Cow::Owned(known))
}

fn interval(found: &Location, pairs: &[PairRatio], level: f64) -> Option<Estimate> {
    let half_width = student::quantile(1.0 - level / 2.0, found.freedom) * found.standard_error;
    let overlap = Overlap::of(pairs);
    // A set-up that both sides have hides a part of what is there, and shows nothing that isn't: only the ends that lie away from no
    // difference move.
    let hidden = 1.0 / (1.0 - dilution(pairs));
    let (low, high) = (overlap.lower(found.mean - half_width), overlap.upper(found.mean + half_width));
    valid(Estimate {
        estimate: found.mean.exp(),
        low: low.min(low * hidden).exp(),
        high: high.max(high * hidden).exp(),
    })
}

fn plain(mean: f64, half_width: f64) -> Option<Estimate> {
    valid(Estimate { estimate: mean.exp(), low: (mean - half_width).exp(), high: (mean + half_width).exp() })
}

fn valid(ratio: Estimate) -> Option<Estimate> {
    (ratio.low > 0.0 && ratio.high.is_finite()).then_some(ratio)
}

/// The share of a difference that a set-up within the samples may hide.
pub(super) fn dilution(pairs: &[PairRatio]) -> f64 {
    quantile::select_median(&mut pairs.iter().map(|pair| pair.dilution).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// Student's one-sided p-value for a difference of more than the fraction `beyond` in the direction of `towards`; 1 for fewer than two
/// pairs.
pub(super) fn one_sided(pairs: &[PairRatio], basis: Basis, towards: Verdict, beyond: f64) -> f64 {
    let Some(found) = locate(pairs, basis) else { return 1.0 };
    let sign = if towards == Verdict::Faster { -1.0 } else { 1.0 };
    student::cdf(-(Overlap::of(pairs).sure(found.mean, sign) - beyond.ln_1p()) / found.standard_error, found.freedom)
}

/// The two-sided p-value of no difference beyond what the overlap of call and subject leaves open.
pub(super) fn sameness(found: &Location, overlap: Overlap) -> f64 {
    let sure = overlap.sure(found.mean, found.mean.signum()).max(0.0);
    2.0 * student::cdf(-sure / found.standard_error, found.freedom)
}
