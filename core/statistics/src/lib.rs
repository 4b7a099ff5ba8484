//! From samples to estimates, with their uncertainty. Pure: no file, clock or process.

mod summary;

pub use summary::{Descriptive, Estimate, Outliers, Overhead, Summary, UncertaintyBudget, Warning};
