//! Two stored runs of one case, compared by the spread between runs.
//!
//! Runs at different times meet different machines: a shared one moves by 9 to 17 % within a minute. So times are taken relative
//! to the reference kernels of the same launches, `y = ln(time) − Σ w ln(kernel)`, a run's value is the mean of e^y over its
//! launches (of typical calls the median), and the ratio of two runs is `exp(y_candidate − y_base)`. What is left after that, the scatter *between* runs
//! of one and the same code, is known from no single run. It comes from the history of the case, and where that is short
//! from what other cases have shown ([`PRIOR_DEVIATION`]). The result is a prediction interval: the range that the ratio of two
//! runs of equal code falls into, laid round the ratio that was seen.
//!
//! It takes for granted what the caller has to see to: runs and history are of one case, runtime, machine class and correction
//! policy. A machine that changed for good between two runs, in a way that its kernels don't show, can't be told from a change
//! of the code; one that comes back can.

mod alike;
mod between_runs;
mod cuts;
mod history;
mod judged;
mod levels;
mod next;
mod points;
mod spread;
#[cfg(test)]
mod tests;
mod weights;

pub use alike::TimeOfRun;
pub use between_runs::between_runs;
pub use history::{History, Relative};
use judged::Pair;
pub use next::{NextRun, next_run};
pub use points::{LaunchPoint, RunPoints};

use super::{Comparison, Rule};
use crate::warning::Warning;

/// Probability of a false alarm, for all cases of a comparison together.
const FAMILY_WISE_ERROR: f64 = 0.01;

/// Standard deviation between runs that is supposed where no history says better, on the logarithmic scale. Measured over 60 PHP
/// processes: subjects relative to PHP kernels varied by 1.4 to 5 % from process to process.
const PRIOR_DEVIATION: f64 = 0.03;

/// Degrees of freedom of the prior, a scaled inverse χ² (Gelman et al., "Bayesian Data Analysis", 3rd ed., §2.6): as if
/// three runs beyond the first had been seen. Nine tenths of its deviations lie from 1.9 to 8.8 %. With a fourth, a case at the
/// upper end of what was measured (5 %) is called different in more than 1 % of comparisons as long as its history is short.
const PRIOR_DEGREES_OF_FREEDOM: f64 = 3.0;

/// A history of fewer runs leaves the better part of the interval to the prior.
const LITTLE_HISTORY: usize = 8;

/// One case of a comparison of stored runs.
#[derive(Debug, Clone)]
pub struct StoredCase<'a> {
    /// The run that is compared with.
    pub base: &'a RunPoints,
    /// The run that is judged.
    pub candidate: &'a RunPoints,
    /// Runs of the same case, runtime, machine class and policy, oldest first. May hold base and candidate.
    pub history: &'a [RunPoints],
    /// Why no difference of it is called.
    pub doubt: Option<Warning>,
}

/// Compares a stored candidate with a stored base by `rule`, as one of `family` cases that are looked at together (0 counts as 1).
///
/// - *Weights* of the kernels that all launches of both runs have: equal, until the history has eight runs and two for each
///   kernel; then ridge regression towards equal weights (Hoerl & Kennard, Technometrics 12(1), 1970). A strength is taken
///   where its leave-one-run-out errors are smaller than those of equal weights, and of all stronger ones, by more than a
///   standard error.
/// - *Spread between runs*: mean square of the leave-one-run-out errors about the levels of the history, pooled with the
///   prior of 3 % at 3 degrees of freedom, which may widen it and never narrows it. Runs equal to base or candidate are left
///   out. What the launches of a run scatter beyond those of the history is added. Where the kernels of a run lie further off
///   than in any of the history's, the history counts for less, and a share of that distance is added; it counts for less, too, where
///   its runs go together.
/// - *Levels*: where the history has several, and commits don't explain them (`cuts.rs`), two runs may lie as far apart as they do. A
///   history of few runs may not have shown them (`spread.rs`).
/// - *Interval*: Student's, with the variances of both runs and the pooled degrees of freedom, and the levels beside it, at a
///   confidence of 1 − 1 % / `family` (Bonferroni): over the family one false alarm or more comes in at most 1 % of comparisons,
///   however the cases depend on each other.
/// - *Verdict*: about expected costs, of which typical calls may show a difference more sharply (`judged.rs`), or about typical calls alone.
///
/// Simulated (`tests/simulation/stored.rs`) on a machine that moves by 9 to 17 %: equal code with 1 to 2 % scatter of its own is
/// called different in at most 0.5 % of comparisons, with 4 % in about 1 %. With states that come back
/// (`tests/simulation/recurring.rs`) in at most 1 % after 8 to 60 runs.
///
/// Without launches, with times that aren't above 0, or without a common kernel there is no ratio, and a warning says so
/// (`no-launches`, `base-below-resolution`, `candidate-below-resolution`, `no-kernels`). Others: `little-history`, `levels`,
/// `speed-differs`, `means-differ`. Never confirmed: there's nothing to measure again.
pub fn compare_stored(
    base: &RunPoints,
    candidate: &RunPoints,
    history: &[RunPoints],
    rule: &Rule,
    family: usize,
) -> Comparison {
    StoredCase { base, candidate, history, doubt: None }.compare(rule, family)
}

impl StoredCase<'_> {
    fn compare(&self, rule: &Rule, family: usize) -> Comparison {
        match Pair::of(self.base, self.candidate, rule.about) {
            Ok(pair) => pair.judge(self.history, rule, family, self.doubt.clone()),
            Err(warning) => Comparison {
                confidence: confidence(family),
                pairs: launches_of_smaller(self.base, self.candidate),
                ..Comparison::without_ratio(rule, vec![warning])
            },
        }
    }
}

/// Compares every case of two stored runs, in order, so that one false alarm or more among all of them comes in at most 1 % of
/// comparisons: each as one of the family of those that have a ratio. See [`compare_stored`].
pub fn compare_stored_suite(cases: &[StoredCase<'_>], rule: &Rule) -> Vec<Comparison> {
    let family = cases.iter().filter(|case| Pair::of(case.base, case.candidate, rule.about).is_ok()).count();
    cases.iter().map(|case| case.compare(rule, family)).collect()
}

fn confidence(family: usize) -> f64 {
    1.0 - FAMILY_WISE_ERROR / family.max(1) as f64
}

fn launches_of_smaller(base: &RunPoints, candidate: &RunPoints) -> u32 {
    u32::try_from(base.launches.len().min(candidate.launches.len())).unwrap_or(u32::MAX)
}
