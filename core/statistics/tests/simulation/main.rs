//! The methods against samples whose truth is stated: seeded, so that a run repeats to the last digit.

mod coverage;
mod peaks;
mod settling;
mod source;
