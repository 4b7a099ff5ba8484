//! From samples to estimates, with their uncertainty. Pure: no file, clock or process.

pub mod allocation;
pub mod autocorrelation;
pub mod bisection;
pub mod changepoint;
pub mod clocks;
pub mod comparison;
pub mod complexity;
pub mod density;
mod estimate;
mod interruption;
pub mod looks;
pub mod mean_interval;
pub mod memory;
pub mod metric;
pub mod normal;
pub mod outliers;
mod own_time;
mod pausing;
pub mod peaks;
pub mod quantile;
pub mod rank_interval;
pub mod settling;
pub mod shifts;
pub mod student;
mod summary;
pub mod trend;
mod warning;
pub mod work;

pub use estimate::{
    Bins, CONFIDENCE, Distribution, GivenFigures, LaunchSpread, SEQUENTIAL_CONFIDENCE, Stretch, Timed, clock_step,
    distribution, estimate, estimate_sequential, spread, tared_samples, untared, untared_distribution,
};
pub use summary::{BetweenRuns, Descriptive, Differing, Estimate, Outliers, Overhead, Summary, UncertaintyBudget};
pub use warning::{Severity, Warning, WarningCode, WarningEntry, WarningSubject, by_severity};
