//! The comparisons of a group while it is measured: which of its variants still have to be launched, and what is said of
//! their pairs.

use tare_plan::{MachineCode, Pair, Planned, Settings};
use tare_samples::Launch;
use tare_statistics::comparison::{Live, PairRatio, Question, Side, State, Undefined, pair_ratio};

use crate::lane::Lane;
use crate::schedule::most_pairs;

/// How two builds of the same compiled code differ for reasons that no launch draws anew, a standard deviation of the log-ratio: where the linker
/// puts it (docs/decisions/0023). Sorts and other code that lives by branch prediction differ by more.
const BUILDS: f64 = 0.003;

/// Whether the two were compiled apart: other sources, as those of two revisions, or another compiler.
fn are_other_builds(base: &Planned, candidate: &Planned) -> bool {
    let (one, other) = (&base.variant.runtime, &candidate.variant.runtime);
    tare_languages::of_name(&one.language).is_built()
        && one.language == other.language
        && (base.sources != candidate.sources || one.version != other.version)
}

/// A pair of the group's lanes on its way to a verdict.
pub(crate) struct Contest {
    pub(crate) pair: Pair,
    pub(crate) live: Live,
}

impl Contest {
    pub(crate) fn new(pair: Pair, lanes: &[Lane<'_>], settings: &Settings) -> Self {
        let question = Question {
            margin: settings.margin,
            fixed_pairs: settings.launches,
            most_pairs: most_pairs(settings),
            control: pair.control,
            about: settings.about,
            mean_bound: settings.mean_bound,
            apart: match pair.code {
                MachineCode::Unknown if are_other_builds(lanes[pair.base].planned, lanes[pair.candidate].planned) => {
                    BUILDS
                }
                _ => 0.0,
            },
            moved: match pair.code {
                MachineCode::Moved { base, candidate } => Some((base, candidate)),
                MachineCode::Unknown | MachineCode::Same => None,
            },
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
    let [of, against] = [base, candidate].map(|lane| &lane.planned.variant);
    let (ours, theirs) = (&of.runtime, &against.runtime);
    let alike = of.case.is_same(&against.case)
        && ours.language == theirs.language
        && ours.version == theirs.version
        && ours.facts == theirs.facts;
    let side = |lane: &'_ Lane<'_>| lane.planned.variant.runtime.correction;
    pair_ratio(
        &Side { launch: of_base, calibration: &base.calibration, correction: side(base) },
        &Side { launch: of_candidate, calibration: &candidate.calibration, correction: side(candidate) },
        alike,
    )
}
