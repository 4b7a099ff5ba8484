//! Comparisons through the whole engine on simulated machines whose truth is known.

mod bisections;
mod counted;
mod detectable;
mod models;
mod runs;
mod shapes;
mod single;
mod stored;

pub use bisections::{BisectModel, CountedBisections, bisect_models, count_bisections};
pub use counted::{Counted, Quantiles};
pub use detectable::{Detected, detect_printed};
pub use models::{Model, models};
pub use runs::{Question, Quiet, compare, compare_suites, group};
pub use shapes::{persistent, shapes, undecided};
pub use single::{CountedRuns, single_runs};
pub use stored::{CountedStored, HISTORIES, StoredModel, count_stored, stored_models};
