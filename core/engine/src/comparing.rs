//! The comparisons of a group while it is measured: which of its variants still have to be launched, and what is said of
//! their pairs.

use tare_plan::{Layouts, MachineCode, Pair, Planned, Settings};
use tare_samples::{Launch, Variant};
use tare_statistics::comparison::{
    FAMILY_WISE_ERROR, Live, PairRatio, PairSide, Question, Rule, State, Undefined, pair_ratio, session_level,
};

use crate::budget::most_pairs;
use crate::variant_run::VariantRun;

/// By how much builds differ whatever the places of their functions, a standard deviation of the log-ratio (docs/decisions/0063).
const BUILDS: f64 = 0.003;
/// The same of programs whose machine code is the same and lies at the same places within lines of the cache: what it
/// calls lies elsewhere in memory, and so may its data (docs/decisions/0031).
const SAME_CODE: f64 = 0.01;

/// Whether launches draw where the functions of a program lie.
fn is_drawn(planned: &Planned) -> bool {
    matches!(planned.layouts, Layouts::Links(_))
}

/// How two builds of the same code may differ for reasons that are the same in all of their launches, as standard
/// deviations of the log-ratio. Both are 0 where base and candidate are one build, or where nothing is called since the
/// same code has moved.
#[derive(Debug, PartialEq)]
struct BuildDifference {
    /// What builds always differ by.
    always: f64,
    /// By where the linker put their functions.
    layout: f64,
}

fn build_difference(code: MachineCode, base: &Planned, candidate: &Planned) -> BuildDifference {
    let (one, other) = (&base.variant.runtime, &candidate.variant.runtime);
    let language = tare_languages::of_name(&one.language);
    // Compiled apart: other sources, as those of two revisions, or another compiler.
    let are_other_builds = language.is_built()
        && one.language == other.language
        && (base.sources != candidate.sources || one.version != other.version);
    let are_drawn = is_drawn(base) && is_drawn(candidate);
    let (always, layout) = match code {
        // The interval has in it what their layouts are worth.
        _ if are_other_builds && are_drawn => (BUILDS, 0.0),
        MachineCode::Unknown if are_other_builds => (BUILDS, language.builds_differ_by),
        MachineCode::InPlace => (BUILDS, 0.0),
        MachineCode::Same => (SAME_CODE, 0.0),
        _ => (0.0, 0.0),
    };
    BuildDifference { always, layout }
}

/// What the two sides of a pair draw of layouts: as many links, where both are linked; those of the other where a side can't be.
fn layouts(base: &Planned, candidate: &Planned) -> Layouts {
    match (base.layouts, candidate.layouts) {
        (of_base @ Layouts::Links(_), _) => of_base,
        (_, of_candidate) => of_candidate,
    }
}

/// A pair of the group's variants on its way to a verdict.
pub(crate) struct LivePair {
    pub(crate) pair: Pair,
    pub(crate) live: Live,
}

impl LivePair {
    pub(crate) fn new(pair: Pair, variants: &[VariantRun<'_>], settings: &Settings) -> Self {
        let (base, candidate) = (variants[pair.base].planned, variants[pair.candidate].planned);
        let BuildDifference { always, layout } = build_difference(pair.code, base, candidate);
        let are_drawn = is_drawn(base) && is_drawn(candidate);
        let question = Question {
            rule: Rule::new(settings.about, settings.margin, settings.same),
            gate: pair.gate,
            fixed_pairs: settings.launches,
            most_pairs: most_pairs(settings),
            control: pair.control,
            between_builds: always,
            layout,
            moved: match pair.code {
                MachineCode::Moved { base, candidate } if !are_drawn => Some((base, candidate)),
                _ => None,
            },
            error: settings.session.map_or(FAMILY_WISE_ERROR, session_level),
        };
        Self { pair, live: Live::new(question) }
    }

    /// Whether more launches of both of its variants are wanted, and can be made.
    pub(crate) fn is_open(&self, variants: &[VariantRun<'_>]) -> bool {
        self.live.state() == State::Open
            && variants[self.pair.base].is_live()
            && variants[self.pair.candidate].is_live()
    }

    /// Takes what the launches of one number say; nothing where one of the two is missing.
    pub(crate) fn take(&mut self, variants: &[VariantRun<'_>], ordinal: u32) {
        let of = |variant: &VariantRun<'_>| variant.launches.iter().rposition(|launch| launch.ordinal == ordinal);
        let (base, candidate) = (&variants[self.pair.base], &variants[self.pair.candidate]);
        if let (Some(of_base), Some(of_candidate)) = (of(base), of(candidate)) {
            let mut ratio = ratio(base, &base.launches[of_base], candidate, &candidate.launches[of_candidate]);
            if let Ok(ratio) = &mut ratio {
                let chosen = base.calibration.links.len() as u32;
                ratio.layout = match ordinal.checked_rem(chosen) {
                    Some(pair) => Some(pair),
                    None => layouts(base.planned, candidate.planned).pair(ordinal),
                };
            }
            self.live.push(ratio);
        }
    }
}

fn ratio(
    base: &VariantRun<'_>,
    of_base: &Launch,
    candidate: &VariantRun<'_>,
    of_candidate: &Launch,
) -> Result<PairRatio, Undefined> {
    let alike = are_alike(&base.planned.variant, &candidate.planned.variant);
    let side = |variant: &'_ VariantRun<'_>| variant.planned.variant.runtime.correction;
    pair_ratio(
        &PairSide { launch: of_base, calibration: &base.calibration, correction: side(base) },
        &PairSide { launch: of_candidate, calibration: &candidate.calibration, correction: side(candidate) },
        alike,
    )
}

/// Whether loops and calls stand around the two as the same instructions: one case, of whatever two revisions, with one compiler and its options.
fn are_alike(base: &Variant, candidate: &Variant) -> bool {
    let (ours, theirs) = (&base.runtime, &candidate.runtime);
    base.case.is_same(&candidate.case)
        && ours.language == theirs.language
        && ours.version == theirs.version
        && ours.settings().eq(theirs.settings())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tare_plan::{Layouts, MachineCode, Planned};
    use tare_samples::{Calls, Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand, Variant};

    use super::{are_alike, build_difference};

    fn side(language: &str, source: &str) -> Planned {
        let case = Case {
            index: 0,
            language: language.to_owned(),
            benchmark: "bench".to_owned(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters::default(),
            file: source.to_owned(),
            line: 1,
            groups: Vec::new(),
            settings: CaseSettings::default(),
        };
        let runtime = Runtime {
            name: language.to_owned(),
            language: language.to_owned(),
            version: "1".to_owned(),
            command: RuntimeCommand::default(),
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        };
        let variant = Variant { id: case.id(), case, runtime, calls: Calls::Pilot, label: String::new() };
        let start = RuntimeCommand::default();
        Planned {
            variant,
            sources: vec![source.to_owned()],
            bootstrap: None,
            start,
            code: Vec::new(),
            layouts: Layouts::One,
            startup: tare_plan::Startup::default(),
        }
    }

    #[test]
    fn builds_differ_by_what_places_of_their_code_are_worth() {
        let figures = |code, base: &Planned, candidate: &Planned| {
            let found = build_difference(code, base, candidate);
            (found.always, found.layout)
        };
        let of = |code, language: &str, sources: [&str; 2]| {
            let [base, candidate] = sources.map(|source| side(language, source));
            figures(code, &base, &candidate)
        };
        let (two, one) = (["old/bench", "new/bench"], ["bench", "bench"]);
        assert_eq!(of(MachineCode::Unknown, "cpp", two), (0.003, 0.06));
        assert_eq!(of(MachineCode::Unknown, "go", two), (0.003, 0.015));
        assert_eq!(of(MachineCode::InPlace, "cpp", two), (0.003, 0.0));
        let drawn = two.map(|source| Planned { layouts: Layouts::Links(8), ..side("go", source) });
        assert_eq!(figures(MachineCode::Unknown, &drawn[0], &drawn[1]), (0.003, 0.0));
        assert_eq!(figures(MachineCode::Unknown, &drawn[0], &side("go", two[1])), (0.003, 0.015));
        assert_eq!(of(MachineCode::Same, "cpp", two), (0.01, 0.0));
        for nothing in [
            of(MachineCode::Unknown, "cpp", one),
            of(MachineCode::Unknown, "php", two),
            of(MachineCode::Moved { base: 0, candidate: 16 }, "cpp", two),
        ] {
            assert_eq!(nothing, (0.0, 0.0));
        }
    }

    #[test]
    fn one_case_of_two_revisions_has_the_same_loop() {
        let revision = |name: &str, optimised: &str| {
            let mut variant = side("go", "bench").variant;
            variant.runtime.facts.insert("optimised".to_owned(), optimised.to_owned());
            variant.runtime.at_revision(name.to_owned(), "go");
            variant
        };
        assert!(are_alike(&revision("1a", "yes"), &revision("2b", "yes")));
        assert!(!are_alike(&revision("1a", "yes"), &revision("2b", "no")), "compiled otherwise");
    }
}
