//! Comparisons through the whole engine on simulated machines whose truth is known (DESIGN §8).

mod counted;
mod models;
mod runs;

pub use counted::{Counted, Quantiles};
pub use models::{Model, models};
pub use runs::{Question, Quiet, compare, compare_suites, group};
