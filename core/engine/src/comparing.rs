//! The comparisons of a group while it is measured: which of its variants still have to be launched, and what is said of
//! their pairs.

use tare_plan::{Pair, Settings};
use tare_samples::Launch;
use tare_statistics::comparison::{Live, PairRatio, Question, Side, State, Undefined, pair_ratio};

use crate::lane::Lane;
use crate::schedule::most_pairs;

/// A pair of the group's lanes on its way to a verdict.
pub(crate) struct Contest {
    pub(crate) pair: Pair,
    pub(crate) live: Live,
}

impl Contest {
    pub(crate) fn new(pair: Pair, settings: &Settings) -> Self {
        let question = Question {
            margin: settings.margin,
            fixed_pairs: settings.launches,
            most_pairs: most_pairs(settings),
            control: pair.control,
        };
        Self { pair, live: Live::new(question) }
    }

    /// Whether more launches of both of its lanes are wanted, and can be made.
    pub(crate) fn is_open(&self, lanes: &[Lane<'_>]) -> bool {
        self.live.state() == State::Open && lanes[self.pair.base].is_live() && lanes[self.pair.candidate].is_live()
    }

    /// Takes what the launches of one number say; nothing where one of the two is missing.
    pub(crate) fn take(&mut self, lanes: &[Lane<'_>], ordinal: u32) {
        let of = |lane: &Lane<'_>| lane.launches.iter().rposition(|launch| launch.ordinal == ordinal);
        let (base, candidate) = (&lanes[self.pair.base], &lanes[self.pair.candidate]);
        if let (Some(of_base), Some(of_candidate)) = (of(base), of(candidate)) {
            self.live.push(ratio(base, &base.launches[of_base], candidate, &candidate.launches[of_candidate]));
        }
    }
}

fn ratio(
    base: &Lane<'_>,
    of_base: &Launch,
    candidate: &Lane<'_>,
    of_candidate: &Launch,
) -> Result<PairRatio, Undefined> {
    let side = |lane: &'_ Lane<'_>| lane.planned.variant.runtime.correction;
    pair_ratio(
        &Side { launch: of_base, calibration: &base.calibration, correction: side(base) },
        &Side { launch: of_candidate, calibration: &candidate.calibration, correction: side(candidate) },
    )
}
