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
            "the base's time can't be told from 0 (`below resolution`): nothing can be said relative to it",
        ),
        Undefined::Candidate => (
            WarningCode::CandidateBelowResolution,
            "the candidate's time can't be told from 0 (`below resolution`), so no ratio can be given",
        ),
        Undefined::NotMeasured => (WarningCode::NotMeasured, "there is no launch in which both were measured"),
    };
    Warning {
        code: code.into(),
        message: message.to_owned(),
        remedy: "let the subject do more work in a call, and see that its result isn't thrown away".to_owned(),
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
                        "one launch pair gave a ratio of {ratio:.3}, and has no spread: nothing can be said of its error"
                    )
                }
                None => "one launch pair has no spread: nothing can be said of its error".to_owned(),
            },
            pairs => format!("{pairs} launch pairs say little of their spread"),
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
    /// All together aren't clear of the margin.
    Margin,
}

pub(super) fn not_confirmed(flag: &Flag, why: Unconfirmed) -> Warning {
    let (first, pairs) = (flag.first, flag.pairs);
    let (message, remedy) = match why {
        _ if pairs == 0 => (
            format!("looked {first}, but one side failed before it could be measured again"),
            "see why it failed, and measure again",
        ),
        Unconfirmed::NotSeenAgain => {
            (format!("looked {first}, but {pairs} fresh launch pairs didn't show it clearly enough"), MORE)
        }
        Unconfirmed::Dependent => (
            format!(
                "looked {first}, and {pairs} fresh launch pairs show some difference, but launches that follow each other are alike, and \
                 the machine may have changed slowly by as much"
            ),
            MORE,
        ),
        Unconfirmed::Builds { between_builds } => (
            format!(
                "looked {first}, but two builds of the same code may differ by as much ({:.1} %, one standard deviation)",
                100.0 * between_builds
            ),
            "--instructions counts what no build changes",
        ),
        Unconfirmed::Margin => (
            format!(
                "looked {first}, and {pairs} fresh launch pairs show some difference, but all together not clearly more than the margin"
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
            "these two builds differ so in every launch, but so may two builds of one code, by where the linker puts it ({:.1} %, one standard deviation)",
            100.0 * layout
        ),
        remedy: "before you believe that the code made it: see whether it stays with other layouts (C++: -falign-functions=64 on both sides; Go: \
                 GOFLAGS=-ldflags=-randlayout=1, then 2 and 3), or count --instructions"
            .to_owned(),
    }
}

/// The same machine code lies elsewhere; `places`: within a line of the cache, in the base and in the candidate.
pub(super) fn code_moved(seen: Verdict, places: (u8, u8)) -> Warning {
    Warning {
        code: WarningCode::CodeMoved.into(),
        message: format!(
            "looked {seen}, but the machine code that it reaches is the same in both builds, and only begins elsewhere in a line of the cache (byte {}, \
             then {}): the difference is of that place, or of data that the program made otherwise",
            places.0, places.1
        ),
        remedy: "build both sides with -falign-functions=64: their functions then keep their places, and what still differs is called"
            .to_owned(),
    }
}

const MORE: &str = "measure again on a quieter machine, or with more time (--budget)";

pub(super) fn interrupted(pairs: u32) -> Warning {
    Warning {
        code: WarningCode::Interrupted.into(),
        message: format!("measuring was interrupted after {pairs} launch pairs"),
        remedy: "go on with it (`tare run --resume`), or measure again".to_owned(),
    }
}

pub(super) fn control_differs(verdict: Verdict) -> Warning {
    Warning {
        code: WarningCode::ControlDiffers.into(),
        message: format!("looked {verdict}, but so did the base against itself: the machine disturbed one side"),
        remedy: "measure again on a quieter machine".to_owned(),
    }
}

pub(super) fn few_rounds(rounds: usize, least: usize) -> Warning {
    Warning {
        code: WarningCode::FewRounds.into(),
        message: format!("{rounds} rounds of blocks say little"),
        remedy: format!("measure longer: at least {least} rounds"),
    }
}

pub(super) fn silent_rounds(silent: usize, rounds: usize) -> Warning {
    Warning {
        code: WarningCode::SilentRounds.into(),
        message: format!(
            "in {silent} of {rounds} rounds one of the two had too few successes, or none; the comparison knows only the other rounds"
        ),
        remedy: "see what fails or stands still; where it is only slow, measure longer (--duration)".to_owned(),
    }
}

pub(super) fn rounds_disagree(verdict: Verdict, pooled: f64) -> Warning {
    Warning {
        code: WarningCode::RoundsDisagree.into(),
        message: format!(
            "most rounds say {verdict}, but all together × {:.4} as a time: some are far off",
            pooled.exp()
        ),
        remedy: "see the course by second: one of the two stands still now and then, or something else disturbs it; measure longer (--duration)"
            .to_owned(),
    }
}

pub(super) fn not_in_both_halves(verdict: Verdict) -> Warning {
    Warning {
        code: WarningCode::NotConfirmed.into(),
        message: format!(
            "looked {verdict}, but not in both halves of the time, or not clearly enough beside the other figures"
        ),
        remedy: "measure longer (--duration), or on a quieter machine".to_owned(),
    }
}

/// Typical calls and expected costs differ otherwise, and the latter aren't known well enough.
pub(super) fn means_differ(evidence: &Evidence) -> Warning {
    Warning {
        code: WarningCode::MeansDiffer.into(),
        message: format!(
            "typical calls: {}; calls on average: {}: one side has more rare, slow calls than the other, and the average decides",
            evidence.typical.as_ref().map_or_else(|| "unknown".to_owned(), change),
            change(&evidence.time)
        ),
        remedy: "measure longer (--budget) to know the average better; --about typical judges undisturbed calls alone"
            .to_owned(),
    }
}

/// Typical calls show a difference, and expected costs may lie as far as `agreeing`, a fraction, on the other side.
pub(super) fn mean_unbounded(typical: Verdict, time: &Estimate, agreeing: f64) -> Warning {
    Warning {
        code: WarningCode::MeanUnbounded.into(),
        message: format!(
            "typical calls are {typical}, but all that is known of calls on average is {}: they may differ the other way by {:.1} % or more",
            change(time),
            100.0 * agreeing
        ),
        remedy: "measure longer (--budget) or on a quieter machine; --about typical judges undisturbed calls alone"
            .to_owned(),
    }
}

/// In so many of the pairs other processes interrupted what could tell of typical calls.
pub(super) fn never_spared(interrupted: usize, pairs: usize) -> Warning {
    Warning {
        code: WarningCode::NeverSpared.into(),
        message: format!(
            "in {interrupted} of {pairs} launch pairs other processes interrupted nearly every sample of one side: what undisturbed calls take isn't \
             known, and calls on average decide alone"
        ),
        remedy: "measure on a quieter machine".to_owned(),
    }
}

/// Of several machines one at most has a ratio.
pub(super) fn few_machines() -> Warning {
    Warning {
        code: WarningCode::FewMachines.into(),
        message: "under two of the machines have a ratio".to_owned(),
        remedy: "see why the others have none, or measure on more machines".to_owned(),
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
