//! Comparisons of two variants: paired launches to a ratio, its interval and a verdict.

mod blocks;
mod clusters;
mod decision;
mod detectable;
mod evidence;
mod geometric_mean;
mod given;
mod judgement;
mod live;
mod location;
mod means;
mod multiplicity;
mod overlap;
mod pairing;
mod pooled;
mod question;
mod replicas;
mod session_error;
pub mod spending;
mod stored;
mod trimmed;
mod verdict;
mod warnings;

pub use blocks::{BlockFigure, compare_blocks};
pub use detectable::minimum_detectable_effect;
pub use geometric_mean::geometric_mean;
pub use given::compare_given;
pub use judgement::Rule;
pub use live::{CONFIDENCE, Live, NewestPair, State, Widths, adjusted_p_values, second_level};
pub use location::Location;
pub use means::PairMeans;
pub use multiplicity::{FAMILY_WISE_ERROR, holm};
pub use pairing::{PairRatio, PairSide, Undefined, pair_ratio};
pub use pooled::{OnMachine, OverMachines, over_machines};
pub use question::Question;
pub use replicas::{Pooled, Replica, kinds_differ};
pub use session_error::{HALF_SPENT_AFTER, session_left, session_level};
pub use stored::{
    History, LaunchPoint, NextRun, Relative, RunPoints, StoredCase, TimeOfRun, between_runs, compare_stored,
    compare_stored_suite, next_run,
};
pub use trimmed::Trimmed;
pub use verdict::{Claim, Comparison, Flag, Verdict};
