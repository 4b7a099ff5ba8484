//! The order of compared cases, the same in each report.

use std::cmp::Ordering;

use tare_results::ComparisonView;
use tare_statistics::comparison::Verdict;

use crate::wording;

/// Where a case stands: what differs, what is undecided, the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Slower,
    Faster,
    /// Its interval excludes that there is no difference, and yet nothing is called.
    Seeming,
    Undecided,
    Rest,
}

impl Place {
    pub(crate) fn of(pair: &ComparisonView) -> Self {
        match pair.comparison.verdict {
            Verdict::Slower => Self::Slower,
            Verdict::Faster => Self::Faster,
            Verdict::Same | Verdict::Unchanged => Self::Rest,
            Verdict::Inconclusive if wording::seems_to_differ(&pair.comparison) => Self::Seeming,
            Verdict::Inconclusive => Self::Undecided,
        }
    }

    /// Rows of one heading stand together among those that say alike: what differs, what is undecided, the rest.
    pub(crate) fn block(self) -> u8 {
        match self {
            Self::Slower | Self::Faster => 0,
            Self::Seeming | Self::Undecided => 1,
            Self::Rest => 2,
        }
    }
}

/// What differs first, the largest change before the others; then what is undecided, what seems to differ first; then the rest. What stands alike keeps its order.
pub(crate) fn ordered<'a>(pairs: impl IntoIterator<Item = &'a ComparisonView>) -> Vec<(Place, &'a ComparisonView)> {
    let mut placed: Vec<(Place, &ComparisonView)> = pairs.into_iter().map(|pair| (Place::of(pair), pair)).collect();
    let size = |pair: &ComparisonView| wording::ratio(pair.comparison.shown()).map_or(0.0, |r| r.estimate.ln().abs());
    placed.sort_by(|(a, one), (b, other)| {
        let by_size = || if *a < Place::Undecided { size(other).total_cmp(&size(one)) } else { Ordering::Equal };
        a.cmp(b).then_with(by_size)
    });
    placed
}
