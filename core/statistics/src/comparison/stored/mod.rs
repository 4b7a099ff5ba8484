//! Two stored runs of one case, compared by the spread between runs (DESIGN §3, "Stored runs").
//!
//! Runs at different times meet different machines: a shared one moves by 9 to 17 % within a minute. So times are taken relative
//! to the reference kernels of the same launches, `y = ln(time) − Σ w ln(kernel)`, a run's value is the median of y over its
//! launches, and the ratio of two runs is `exp(y_candidate − y_base)`. What is left after that, the scatter *between* runs
//! of one and the same code, is known from no single run. It comes from the history of the case, and where that is short
//! from what other cases have shown ([`PRIOR_DEVIATION`]). The result is a prediction interval: the range that the ratio of two
//! runs of equal code falls into, laid round the ratio that was seen.
//!
//! It takes for granted what the caller has to see to: runs and history are of one case, runtime, machine class and correction
//! policy. A machine that changed for good between two runs, in a way that its kernels don't show, can't be told from a change
//! of the code.

mod history;
mod levels;
mod points;
#[cfg(test)]
mod tests;
mod weights;

pub use history::{History, Relative};
use tare_samples::About;

use history::{Model, Pooled, of_median};
pub use points::{LaunchPoint, RunPoints};
use points::{Run, dot};

use super::{Comparison, Verdict, minimum_detectable_effect};
use crate::{Estimate, Warning, student};

/// Probability of a false alarm, for all cases of a comparison together.
const FAMILY_WISE_ERROR: f64 = 0.01;

/// Standard deviation between runs that is supposed where no history says better, on the logarithmic scale. Measured over 60 PHP
/// processes: subjects relative to PHP kernels varied by 1.4 to 5 % from process to process (DESIGN §3).
const PRIOR_DEVIATION: f64 = 0.03;

/// Degrees of freedom of the prior, a scaled inverse χ² (Gelman et al., "Bayesian Data Analysis", 3rd ed., §2.6): as if
/// three runs beyond the first had been seen. Nine tenths of its deviations lie from 1.9 to 8.8 %. With a fourth, a case at the
/// upper end of what was measured (5 %) is called different in more than 1 % of comparisons as long as its history is short.
const PRIOR_DEGREES_OF_FREEDOM: f64 = 3.0;

/// Probability of finding the effect that is called detectable.
const POWER: f64 = 0.8;

/// A history of fewer runs leaves the better part of the interval to the prior.
const LITTLE_HISTORY: usize = 8;

/// Kernels of a run this much further (on the logarithmic scale) from the history's than those of any of its runs halve what
/// the history is worth: it hasn't seen how well they follow the case there.
const UNSEEN_SPEED: f64 = 0.05;

/// Standard deviation of what a case does beside its kernels there, as a share of that distance: the most that was measured, 5 %
/// where they moved by 16 %.
const UNSEEN_SHARE: f64 = 0.3;

/// Reference kernels that moved by more than this factor between two runs deserve a word: nobody has measured how well they
/// follow a case so far.
const UNLIKE_SPEED: f64 = 1.5;

/// One case of a comparison of stored runs.
#[derive(Debug, Clone, Copy)]
pub struct StoredCase<'a> {
    /// The run that is compared with.
    pub base: &'a RunPoints,
    /// The run that is judged.
    pub candidate: &'a RunPoints,
    /// Runs of the same case, runtime, machine class and policy, oldest first. May hold base and candidate.
    pub history: &'a [RunPoints],
}

/// Compares a stored candidate with a stored base against `margin`, a fraction of 0 or more, as one of `family` cases that are
/// looked at together (0 counts as 1).
///
/// - *Weights* of the kernels that all launches of both runs have: equal, until the history has eight runs and two for each
///   kernel; then ridge regression towards equal weights (Hoerl & Kennard, Technometrics 12(1), 1970). A strength is taken
///   where its leave-one-run-out errors are smaller than those of equal weights, and of all stronger ones, by more than a
///   standard error.
/// - *Spread between runs*: mean square of the leave-one-run-out errors about the levels of the history, pooled with the
///   prior of 3 % at 3 degrees of freedom, which may widen it and never narrows it. Runs equal to base or candidate are left
///   out. What the launches of a run scatter beyond those of the history is added. Where the kernels of a run lie further off
///   than in any of the history's, the history counts for less, and a share of that distance is added.
/// - *Interval*: Student's, with the variances of both runs and the pooled degrees of freedom, at a confidence of
///   1 − 1 % / `family` (Bonferroni): over the family one false alarm or more comes in at most 1 % of comparisons, however the
///   cases depend on each other.
///
/// Simulated (`tests/simulation/stored.rs`) on a machine that moves by 9 to 17 %: equal code with 1 to 2 % scatter of its own is
/// called different in at most 0.2 % of comparisons, with 4 % in about 1 %; a change of 20 % is found in 6 % of comparisons
/// without history, in 75 % after 8 runs, in 99 % after 30, a step of 30 % among them or not. A machine that drifts over the
/// history raises up to 2 %, one that lies far outside it up to 4 %.
///
/// Without launches, with times that aren't above 0, or without a common kernel there is no ratio, and a warning says so
/// (`no-launches`, `base-below-resolution`, `candidate-below-resolution`, `no-kernels`). Others: `little-history`,
/// `speed-differs`. Never confirmed: there's nothing to measure again.
pub fn compare_stored(
    base: &RunPoints,
    candidate: &RunPoints,
    history: &[RunPoints],
    margin: f64,
    family: usize,
) -> Comparison {
    match Pair::of(base, candidate) {
        Ok(pair) => pair.judge(&Model::without(history, [base, candidate], &pair.kernels), margin, family),
        Err(warning) => refused(base, candidate, margin, family, warning),
    }
}

/// Compares every case of two stored runs, in order, so that one false alarm or more among all of them comes in at most 1 % of
/// comparisons: each as one of the family of those that have a ratio. See [`compare_stored`].
pub fn compare_stored_suite(cases: &[StoredCase<'_>], margin: f64) -> Vec<Comparison> {
    let family = cases.iter().filter(|case| Pair::of(case.base, case.candidate).is_ok()).count();
    cases.iter().map(|case| compare_stored(case.base, case.candidate, case.history, margin, family)).collect()
}

fn confidence(family: usize) -> f64 {
    1.0 - FAMILY_WISE_ERROR / family.max(1) as f64
}

fn launches_of_smaller(base: &RunPoints, candidate: &RunPoints) -> u32 {
    u32::try_from(base.launches.len().min(candidate.launches.len())).unwrap_or(u32::MAX)
}

fn refused(base: &RunPoints, candidate: &RunPoints, margin: f64, family: usize, warning: Warning) -> Comparison {
    Comparison {
        ratio: None,
        typical: None,
        mean_bound: None,
        about: About::Time,
        rests_on: About::Time,
        confidence: confidence(family),
        verdict: Verdict::Inconclusive,
        margin,
        minimum_detectable_effect: None,
        pairs: launches_of_smaller(base, candidate),
        flag: None,
        confirmed: false,
        warnings: vec![warning],
    }
}

fn warning(code: &str, message: String, remedy: &str) -> Warning {
    Warning { code: code.to_owned(), message, remedy: remedy.to_owned() }
}

/// Two runs that can be compared.
struct Pair {
    base: Run,
    candidate: Run,
    kernels: Vec<String>,
}

impl Pair {
    fn of(base: &RunPoints, candidate: &RunPoints) -> Result<Self, Warning> {
        for (name, run) in [("base", base), ("candidate", candidate)] {
            if run.launches.is_empty() {
                let message = format!("the {name} has no finished launch of this case");
                return Err(warning("no-launches", message, "measure it, or choose another run"));
            }
            if let Some(launch) = run.launches.iter().find(|launch| !(launch.time > 0.0 && launch.time.is_finite())) {
                return Err(warning(
                    &format!("{name}-below-resolution"),
                    format!(
                        "a launch of the {name} took {} ns a call with the scale taken off: of that there is no ratio",
                        launch.time
                    ),
                    "give each call more to do, or measure longer (--budget)",
                ));
            }
        }
        let of_candidate = candidate.kernels();
        let mut kernels = base.kernels();
        kernels.retain(|name| of_candidate.binary_search(name).is_ok());
        let refusal = || {
            warning(
                "no-kernels",
                "the runs have no reference kernel in common, so the machine's speed then and now can't be told from the code's"
                    .to_owned(),
                "measure both again with this version, or compare them live",
            )
        };
        if kernels.is_empty() {
            return Err(refusal());
        }
        let base = Run::of(base, &kernels).ok_or_else(refusal)?;
        let candidate = Run::of(candidate, &kernels).ok_or_else(refusal)?;
        Ok(Self { base, candidate, kernels })
    }

    fn judge(&self, history: &Model, margin: f64, family: usize) -> Comparison {
        let weights = &history.weights.values;
        let centre = self.candidate.relative(weights) - self.base.relative(weights);
        let spread = Spread::of(self, history);
        let confidence = confidence(family);
        let level = 1.0 - confidence;
        let reach = student::quantile(1.0 - level / 2.0, spread.degrees_of_freedom) * spread.deviation;
        // Absurd times make absurd ratios, but numbers all the same.
        let ratio_of = |logarithm: f64| logarithm.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
        let ratio =
            Estimate { estimate: ratio_of(centre), low: ratio_of(centre - reach), high: ratio_of(centre + reach) };
        let smaller = self.base.launches.len().min(self.candidate.launches.len());
        Comparison {
            ratio: Some(ratio),
            typical: None,
            mean_bound: None,
            about: About::Time,
            rests_on: About::Time,
            confidence,
            verdict: Verdict::of(&ratio, margin),
            margin,
            minimum_detectable_effect: Some(minimum_detectable_effect(
                spread.deviation,
                spread.degrees_of_freedom,
                level,
                margin,
                POWER,
            )),
            pairs: u32::try_from(smaller).unwrap_or(u32::MAX),
            flag: None,
            confirmed: false,
            warnings: self.warnings(history),
        }
    }

    /// Mean movement of each kernel from base to candidate, on the logarithmic scale.
    fn movement(&self) -> Vec<f64> {
        self.candidate.kernel_means().iter().zip(self.base.kernel_means()).map(|(to, from)| to - from).collect()
    }

    fn warnings(&self, history: &Model) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if history.runs < LITTLE_HISTORY {
            warnings.push(warning(
                "little-history",
                format!(
                    "other runs of this case that can be compared with these: {}; the spread between runs is largely supposed ({} %), not seen",
                    history.runs,
                    100.0 * PRIOR_DEVIATION,
                ),
                "keep more runs of the same code on this machine (8 or more), or compare the two live",
            ));
        }
        let equal = vec![1.0 / self.kernels.len() as f64; self.kernels.len()];
        let factor = dot(&equal, &self.movement()).exp();
        if !(1.0 / UNLIKE_SPEED..=UNLIKE_SPEED).contains(&factor) {
            warnings.push(warning(
                "speed-differs",
                format!("the reference kernels took {factor:.2} times as long in the candidate's run as in the base's: hardly the same machine"),
                "check frequency scaling and load, or compare the two live",
            ));
        }
        warnings
    }
}

/// How far two runs of equal code lie apart, on the logarithmic scale.
struct Spread {
    deviation: f64,
    degrees_of_freedom: f64,
}

impl Spread {
    fn of(pair: &Pair, history: &Model) -> Self {
        let weights = &history.weights.values;
        let (base, candidate) = (Pooled::of(&pair.base, weights), Pooled::of(&pair.candidate, weights));
        let pooled = history.launches.and(base).and(candidate);
        // A short history is hardly believed anyway.
        let beyond = if history.runs < LITTLE_HISTORY {
            0.0
        } else {
            history.beyond(&pair.base).max(history.beyond(&pair.candidate))
        };
        let seen = history.degrees_of_freedom / (1.0 + (beyond / UNSEEN_SPEED).powi(2));
        let degrees_of_freedom = PRIOR_DEGREES_OF_FREEDOM + seen;
        // A run that scatters more than others is taken at its word; few launches that happen to agree are not.
        let of_run = |run: &Run, own: Pooled| {
            let within = of_median(own.variance().max(pooled.variance()), run.launches.len());
            let supposed = PRIOR_DEVIATION * PRIOR_DEVIATION + within;
            // The history's scatter holds that of launches already, as far as its own launches scattered.
            let found = history.variance + (within - history.within).max(0.0);
            // What was seen widens the prior, and the prior never narrows what was seen.
            ((PRIOR_DEGREES_OF_FREEDOM * supposed + seen * found) / degrees_of_freedom).max(found)
        };
        let of_both = of_run(&pair.base, base) + of_run(&pair.candidate, candidate);
        Self { deviation: of_both.sqrt().hypot(UNSEEN_SHARE * beyond), degrees_of_freedom }
    }
}
