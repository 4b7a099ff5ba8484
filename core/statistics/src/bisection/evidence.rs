//! What a measurement of a version beside both ends says.

use crate::student;
use crate::summary::Estimate;

/// What one step may say, in natural logarithms: odds of 50 to 1. A machine, a heap or a linker can make one measurement wrong by far more than its standard error, and two good
/// ones outweigh it then.
pub const MOST_OF_A_STEP: f64 = 3.912;
/// Whether a version lies between both ends is said where each is this unlikely.
const BETWEEN: f64 = 0.0005;
/// And where it is at least this share of the change away from both.
const APART: f64 = 0.15;
/// What a step is to say on average, in natural logarithms, uncapped: the log-odds scatter by √(2 · 8) = 4, and 2 % of steps then point the wrong way, which is what the cap takes them for.
const AIM: f64 = 8.0;
/// With fewer the tails of Student's density take most of what a step says.
const FEWEST_LAUNCHES: u32 = 10;
const MOST_LAUNCHES: u32 = 40;
/// The bound of a count is so many standard errors of so many degrees of freedom: it holds what identical code differs by, and is no interval.
const ERRORS_OF_A_BOUND: f64 = 2.0;
const FREEDOM_OF_A_BOUND: f64 = 9.0;

/// A log-ratio with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The logarithm of the ratio.
    pub log_ratio: f64,
    /// Above 0.
    pub standard_error: f64,
    /// Degrees of freedom of that, above 0.
    pub freedom: f64,
}

impl Located {
    /// From an interval of a ratio. `None` where it has no ends above 0, or no width.
    pub fn of_interval(low: f64, estimate: f64, high: f64, confidence: f64, pairs: u32) -> Option<Self> {
        let freedom = f64::from(pairs.max(2) - 1);
        let half = (high / low).ln() / 2.0;
        let standard_error = half / student::quantile(f64::midpoint(1.0, confidence), freedom);
        let is_usable = low > 0.0 && estimate > 0.0 && standard_error > 0.0 && standard_error.is_finite();
        is_usable.then(|| Self { log_ratio: estimate.ln(), standard_error, freedom })
    }

    /// From a ratio of counts with its bound, as [`Work::ratio`](crate::work::Work::ratio) has it. `None` where it has no ends above 0, or no width.
    pub fn of_bound(ratio: &Estimate) -> Option<Self> {
        let standard_error = (ratio.high / ratio.low).ln() / 2.0 / ERRORS_OF_A_BOUND;
        let is_usable = ratio.low > 0.0 && ratio.estimate > 0.0 && standard_error > 0.0 && standard_error.is_finite();
        is_usable.then(|| Self { log_ratio: ratio.estimate.ln(), standard_error, freedom: FREEDOM_OF_A_BOUND })
    }

    /// Log-odds that this, which was measured of a commit against its parent, is all of `change` and not nothing, within the limits of a step.
    pub fn log_odds_of(&self, change: f64) -> f64 {
        odds((self.log_ratio - change) / self.standard_error, self.log_ratio / self.standard_error, self.freedom)
    }

    /// Launches of each of three variants that decide a step, where `pairs` gave this change. The log-odds of
    /// [`VersionPlace::log_odds`] expect (2 D)² / (2 · 6 σ² / n) with a variance of σ² of a launch, and the change has
    /// 2 σ² / pairs. What one step can't decide, several do: it goes on where it was.
    pub fn launches_of_a_step(&self, pairs: u32) -> u32 {
        let of_launch = self.standard_error.powi(2) * f64::from(pairs) / 2.0;
        let launches = AIM * 3.0 * of_launch / self.log_ratio.powi(2);
        launches.ceil().clamp(f64::from(FEWEST_LAUNCHES), f64::from(MOST_LAUNCHES)) as u32
    }
}

/// Logarithm of the quotient of Student's densities at two places, within the limits of a step.
fn odds(one: f64, other: f64, freedom: f64) -> f64 {
    let log_density = |at: f64| -(freedom + 1.0) / 2.0 * (at * at / freedom).ln_1p();
    (log_density(one) - log_density(other)).clamp(-MOST_OF_A_STEP, MOST_OF_A_STEP)
}

/// Several measurements of the same, weighed by their precision. `None` of nothing.
pub fn pooled(all: &[Located]) -> Option<Located> {
    let weight = |one: &Located| one.standard_error.powi(-2);
    let sum: f64 = all.iter().map(weight).sum();
    let log_ratio = all.iter().map(|one| weight(one) * one.log_ratio).sum::<f64>() / sum;
    let freedom = all.iter().map(|one| one.freedom).sum();
    (sum > 0.0).then(|| Located { log_ratio, standard_error: sum.powf(-0.5), freedom })
}

/// A version that was measured beside both ends, in the same rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VersionPlace {
    /// The version over GOOD.
    pub from_good: Located,
    /// BAD over the version.
    pub to_bad: Located,
    /// BAD over GOOD.
    pub whole: Located,
}

impl VersionPlace {
    /// Log-odds that the version is as BAD and not as GOOD, where they differ by `change`, a log-ratio: at most [`MOST_OF_A_STEP`] either way.
    ///
    /// With x and y the two log-ratios, x − y is `change` of the one and −`change` of the other. Its variance is 2 Var x + 2 Var y − Var (x + y), since x + y is BAD over GOOD; both have the version's own error, with
    /// other signs, so it is at least Var x + Var y. Student's density has tails that a normal one lacks.
    pub fn log_odds(&self, change: f64) -> f64 {
        let (x, y, whole) = (&self.from_good, &self.to_bad, &self.whole);
        let variance = |of: &Located| of.standard_error.powi(2);
        let apart = variance(x) + variance(y);
        let error = (2.0 * apart - variance(whole)).max(apart).sqrt();
        let freedom = x.freedom.min(y.freedom);
        let seen = x.log_ratio - y.log_ratio;
        odds((seen - change) / error, (seen + change) / error, freedom)
    }

    /// The share of the change that the version has, where it clearly has neither none nor all of it.
    pub fn share_between(&self) -> Option<f64> {
        let away = |from: &Located| {
            let t = from.log_ratio / from.standard_error;
            1.0 - student::cdf(t.abs(), from.freedom) < BETWEEN
        };
        let share = self.from_good.log_ratio / (self.from_good.log_ratio + self.to_bad.log_ratio);
        (away(&self.from_good) && away(&self.to_bad) && (APART..1.0 - APART).contains(&share)).then_some(share)
    }
}
