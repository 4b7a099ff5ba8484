//! The methods against samples whose truth is stated: seeded, so that a run repeats to the last digit.

mod coverage;
mod detectable;
mod live;
mod machine;
mod peaks;
mod settling;
mod source;
mod stored;
