//! What the reader of a comparison should know.

use crate::summary::Estimate;
use crate::warning::{Warning, WarningCode};

use super::evidence::Evidence;
use super::{Flag, Undefined, Verdict};

/// A called difference smaller than this many standard deviations of the layout effect gets the warning `layout`: 99 % two-sided.
pub(super) const LAYOUT_AT_MOST: f64 = 2.576;

pub(super) fn undefined(undefined: Undefined) -> Warning {
    let (code, message) = match undefined {
        Undefined::Base => (
            WarningCode::BaseBelowResolution,
            "the interval of the base's time holds 0 (`below resolution`), so there is no ratio to it",
        ),
        Undefined::Candidate => (
            WarningCode::CandidateBelowResolution,
            "the interval of the candidate's time holds 0 (`below resolution`), so there is no ratio",
        ),
        Undefined::NotMeasured => (WarningCode::NotMeasured, "no launch measured both sides"),
    };
    Warning {
        code: code.into(),
        message: message.to_owned(),
        remedy: "let the subject do more work in a call, and use its result".to_owned(),
    }
}

pub(super) fn few_pairs(pairs: u32, least: u32, ratio: Option<f64>) -> Warning {
    Warning {
        code: WarningCode::FewPairs.into(),
        message: match pairs {
            0 => "no launch pair was made".to_owned(),
            1 => match ratio {
                Some(ratio) => {
                    format!(
                        "one launch pair gave a ratio of {ratio:.3}; its error is unknown, since one pair has no spread"
                    )
                }
                None => "the error is unknown, since one launch pair has no spread".to_owned(),
            },
            pairs => format!("{pairs} launch pairs are too few to know their spread"),
        },
        remedy: format!("make at least {least} launches"),
    }
}

/// Why a difference that was flagged isn't called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unconfirmed {
    /// Fresh pairs don't show it.
    NotSeenAgain,
    /// It may be a slow change of the machine's.
    Dependent,
    /// Two builds of the same code may differ as much.
    Builds {
        /// Their standard deviation, a fraction.
        between_builds: f64,
    },
    /// Alone it would be called: the session asks for more.
    Session,
    /// All together aren't clear of the margin.
    Margin,
}

pub(super) fn not_confirmed(flag: &Flag, why: Unconfirmed) -> Warning {
    let (first, pairs) = (flag.first, flag.pairs);
    let (message, remedy) = match why {
        _ if pairs == 0 => (
            format!("the first measurement shows {first}, but one side failed before the second"),
            "read the failure, and measure again",
        ),
        Unconfirmed::NotSeenAgain => {
            (format!("the first measurement shows {first}, but {pairs} fresh launch pairs don't confirm it"), MORE)
        }
        Unconfirmed::Dependent => (
            format!(
                "the first measurement shows {first}, and {pairs} fresh launch pairs show some difference, but successive launches are alike, so a slow \
                 change of the machine may be the cause"
            ),
            MORE,
        ),
        Unconfirmed::Builds { between_builds } => (
            format!(
                "the first measurement shows {first}, but two builds of the same code may differ as much ({:.1} %, one standard deviation)",
                100.0 * between_builds
            ),
            "look at its work (--work), which doesn't depend on the layout of a build",
        ),
        Unconfirmed::Session => (
            format!(
                "the first measurement shows {first}, and {pairs} fresh launch pairs show it too, but not as clearly as a session asks for"
            ),
            MORE,
        ),
        Unconfirmed::Margin => (
            format!(
                "the first measurement shows {first}, and {pairs} fresh launch pairs show some difference, but not clearly more than the margin"
            ),
            MORE,
        ),
    };
    Warning { code: WarningCode::NotConfirmed.into(), message, remedy: remedy.to_owned() }
}

/// A difference of two builds that their layouts alone may make; `layout`: a standard deviation of the log-ratio.
pub(super) fn layout(layout: f64) -> Warning {
    Warning {
        code: WarningCode::Layout.into(),
        message: format!(
            "two builds of the same code may differ as much, because the linker places it differently ({:.1} %, one standard deviation)",
            100.0 * layout
        ),
        remedy: "measure with other layouts before you attribute the difference to the code (C++: -falign-functions=64 on both sides; Go: \
                 GOFLAGS=-ldflags=-randlayout=1, then 2 and 3), and look at its work (--work), which doesn't depend on it"
            .to_owned(),
    }
}

/// The same machine code lies elsewhere; `places`: within a line of the cache, in the base and in the candidate.
pub(super) fn code_moved(seen: Verdict, places: (u8, u8)) -> Warning {
    Warning {
        code: WarningCode::CodeMoved.into(),
        message: format!(
            "the measurement shows {seen}, but both builds have the same machine code, at another offset in a cache line (byte {}, \
             then {}): the difference comes from that offset, or from different data of the program",
            places.0, places.1
        ),
        remedy: "build both sides with -falign-functions=64: their functions then have the same offsets, and Tare calls what still differs"
            .to_owned(),
    }
}

const MORE: &str = "measure again on a quieter machine, or with more time (--budget)";

pub(super) fn interrupted(pairs: u32) -> Warning {
    Warning {
        code: WarningCode::Interrupted.into(),
        message: format!("measuring was interrupted after {pairs} launch pairs"),
        remedy: "continue it (`tare run --resume`), or measure again".to_owned(),
    }
}

pub(super) fn control_differs(verdict: Verdict) -> Warning {
    Warning {
        code: WarningCode::ControlDiffers.into(),
        message: format!(
            "the measurement shows {verdict}, but the base differs from itself as well: the machine disturbed one side"
        ),
        remedy: "measure again on a quieter machine".to_owned(),
    }
}

pub(super) fn few_rounds(rounds: usize, least: usize) -> Warning {
    Warning {
        code: WarningCode::FewRounds.into(),
        message: format!("{rounds} rounds of blocks are too few for a verdict"),
        remedy: format!("measure longer: at least {least} rounds"),
    }
}

pub(super) fn silent_rounds(silent: usize, rounds: usize) -> Warning {
    Warning {
        code: WarningCode::SilentRounds.into(),
        message: format!(
            "in {silent} of {rounds} rounds one side had too few successes, or none; the comparison leaves these rounds out"
        ),
        remedy: "read the failures; if a target is only slow, measure longer (--duration)".to_owned(),
    }
}

pub(super) fn rounds_disagree(verdict: Verdict, pooled: f64) -> Warning {
    Warning {
        code: WarningCode::RoundsDisagree.into(),
        message: format!(
            "most rounds show {verdict}, but all together a time × {:.4}: a few rounds lie far from the rest",
            pooled.exp()
        ),
        remedy: "look at the course by second, since one side may stand still at times; measure longer (--duration)"
            .to_owned(),
    }
}

pub(super) fn not_in_both_halves(verdict: Verdict) -> Warning {
    Warning {
        code: WarningCode::NotConfirmed.into(),
        message: format!(
            "the measurement shows {verdict}, but not in both halves of the time, or not clearly enough for a test of several figures"
        ),
        remedy: "measure longer (--duration), or on a quieter machine".to_owned(),
    }
}

/// Typical calls and expected costs differ otherwise, and the latter aren't known well enough.
pub(super) fn means_differ(evidence: &Evidence) -> Warning {
    Warning {
        code: WarningCode::MeansDiffer.into(),
        message: format!(
            "typical calls: {}; mean of all calls: {}: one side has more rare, slow calls, and the mean decides",
            evidence.typical.as_ref().map_or_else(|| "unknown".to_owned(), change),
            change(&evidence.time)
        ),
        remedy: "measure longer (--budget) for a narrower interval of the mean; --about typical judges undisturbed calls alone"
            .to_owned(),
    }
}

/// Typical calls show a difference, and expected costs may lie as far as `agreeing`, a fraction, on the other side.
pub(super) fn mean_uncertain(typical: Verdict, time: &Estimate, agreeing: f64) -> Warning {
    Warning {
        code: WarningCode::MeanUncertain.into(),
        message: format!(
            "typical calls are {typical}, but the mean of all calls lies anywhere from {:+.1} to {:+.1} %, so it may differ the other way by {:.1} % or more",
            100.0 * (time.low - 1.0),
            100.0 * (time.high - 1.0),
            100.0 * agreeing
        ),
        remedy: "measure longer (--budget) or on a quieter machine; --about typical judges undisturbed calls alone"
            .to_owned(),
    }
}

/// In so many of the pairs other processes interrupted what could tell of typical calls.
pub(super) fn always_interrupted(interrupted: usize, pairs: usize) -> Warning {
    Warning {
        code: WarningCode::AlwaysInterrupted.into(),
        message: format!(
            "in {interrupted} of {pairs} launch pairs other processes interrupted nearly every sample of one side: the time of an undisturbed \
             call isn't known, so the mean alone decides"
        ),
        remedy: "measure on a quieter machine".to_owned(),
    }
}

/// Of several machines one at most has a ratio.
pub(super) fn few_machines() -> Warning {
    Warning {
        code: WarningCode::FewMachines.into(),
        message: "fewer than two machines have a ratio".to_owned(),
        remedy: "read why the other machines have none, or measure on more machines".to_owned(),
    }
}

/// Kinds of machines, each with its ratio.
pub(super) fn heterogeneous(kinds: &[(String, Estimate)]) -> Warning {
    let said: Vec<String> = kinds.iter().map(|(kind, ratio)| format!("{kind}: {}", change(ratio))).collect();
    Warning {
        code: WarningCode::Heterogeneous.into(),
        message: format!("the effect isn't the same on all kinds of machines: {}", said.join("; ")),
        remedy: "decide for the machines that the code runs on".to_owned(),
    }
}

fn change(ratio: &Estimate) -> String {
    format!(
        "{:+.1} % [{:+.1}, {:+.1}]",
        100.0 * (ratio.estimate - 1.0),
        100.0 * (ratio.low - 1.0),
        100.0 * (ratio.high - 1.0)
    )
}
