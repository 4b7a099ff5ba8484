//! What the reader of a comparison should know.

use crate::Warning;

use super::{Flag, Undefined, Verdict};

pub(super) fn undefined(undefined: Undefined) -> Warning {
    let (code, message) = match undefined {
        Undefined::Base => {
            ("base-below-resolution", "the base takes no longer than the scale itself: a ratio to it is undefined")
        }
        Undefined::Candidate => (
            "candidate-below-resolution",
            "the candidate takes no longer than the scale itself: its ratio is undefined",
        ),
        Undefined::NotMeasured => ("not-measured", "there is no launch in which both were measured"),
    };
    Warning {
        code: code.to_owned(),
        message: message.to_owned(),
        remedy: "let the subject do more work in a call, and see that its result isn't thrown away".to_owned(),
    }
}

pub(super) fn few_pairs(pairs: u32, least: u32, ratio: Option<f64>) -> Warning {
    Warning {
        code: "few-pairs".to_owned(),
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

/// `seen_again`: the fresh pairs show a difference the same way, but not enough of one, or all pairs together none beyond the margin.
pub(super) fn not_confirmed(flag: &Flag, seen_again: bool) -> Warning {
    if flag.pairs == 0 {
        return Warning {
            code: "not-confirmed".to_owned(),
            message: format!("looked {}, but one side failed before it could be measured again", flag.first),
            remedy: "see why it failed, and measure again".to_owned(),
        };
    }
    Warning {
        code: "not-confirmed".to_owned(),
        message: if seen_again {
            format!(
                "looked {}, and {} fresh launch pairs show some difference, but all together not clearly more than the margin",
                flag.first, flag.pairs
            )
        } else {
            format!("looked {}, but {} fresh launch pairs didn't show it clearly enough", flag.first, flag.pairs)
        },
        remedy: "measure again on a quieter machine, or with more time (--budget)".to_owned(),
    }
}

pub(super) fn interrupted(pairs: u32) -> Warning {
    Warning {
        code: "interrupted".to_owned(),
        message: format!("measuring was interrupted after {pairs} launch pairs"),
        remedy: "go on with it (`tare run --resume`), or measure again".to_owned(),
    }
}

pub(super) fn control_differs(verdict: Verdict) -> Warning {
    Warning {
        code: "control-differs".to_owned(),
        message: format!("looked {verdict}, but so did the base against itself: the machine disturbed one side"),
        remedy: "measure again on a quieter machine".to_owned(),
    }
}

pub(super) fn few_rounds(rounds: usize, least: usize) -> Warning {
    Warning {
        code: "few-rounds".to_owned(),
        message: format!("{rounds} rounds of blocks say little"),
        remedy: format!("measure longer: at least {least} rounds"),
    }
}

pub(super) fn silent_rounds(silent: usize, rounds: usize) -> Warning {
    Warning {
        code: "silent-rounds".to_owned(),
        message: format!(
            "in {silent} of {rounds} rounds one of the two had too few successes, or none: the others don't speak for them"
        ),
        remedy: "see what fails or stands still; where it is only slow, measure longer (--duration)".to_owned(),
    }
}

pub(super) fn rounds_disagree(verdict: Verdict, pooled: f64) -> Warning {
    Warning {
        code: "rounds-disagree".to_owned(),
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
        code: "not-confirmed".to_owned(),
        message: format!(
            "looked {verdict}, but not in both halves of the time, or not clearly enough beside the other figures"
        ),
        remedy: "measure longer (--duration), or on a quieter machine".to_owned(),
    }
}
