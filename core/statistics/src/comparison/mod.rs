//! Comparisons of two variants: paired launches to a ratio, its interval and a verdict (DESIGN §3).

mod detectable;
mod geometric_mean;
mod multiplicity;
mod stored;
mod verdict;

pub use detectable::minimum_detectable_effect;
pub use geometric_mean::geometric_mean;
pub use multiplicity::holm;
pub use stored::{History, LaunchPoint, Relative, RunPoints, StoredCase, compare_stored, compare_stored_suite};
pub use verdict::{Comparison, Flag, Verdict};
