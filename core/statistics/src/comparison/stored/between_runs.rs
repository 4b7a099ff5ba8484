//! By how much runs of the same code differ beyond what the launches of each say.

use super::alike::{TimeOfRun, of_the_same_code};
use crate::quantile::variance;
use crate::summary::{BetweenRuns, Estimate, Summary};
use crate::{normal, student};

/// Standard deviation between runs, on the logarithmic scale, that is supposed where no history says better. Counted on a virtual machine with two
/// CPUs: 14 runs each of ten subjects in PHP, Python, Go and C++ differed by 0.5 to 1.2 % more than their launches did, 0.8 % as a root mean square.
const SUPPOSED: f64 = 0.008;

/// Degrees of freedom of what is supposed, a scaled inverse χ² (Gelman et al., "Bayesian Data Analysis", 3rd ed., §2.6).
const SUPPOSED_DEGREES_OF_FREEDOM: f64 = 4.0;

/// So many runs are looked at: a machine that was busy last month says little of the next run.
const RECENT: usize = 20;

impl Summary {
    /// With what runs differ by added to the intervals of times, in quadrature, and to the uncertainty budget: what a reader takes ±
    /// for. The term is expanded by Student's t, since its own size is known from few runs (JCGM 100:2008, 5.1.2 and G.3). Stores keep what the launches of a run say, and the term beside it. Times that have no interval, or one that reaches down to 0, stay as they
    /// are, and so does a summary without the term, as an earlier version stored it. Not to be done twice.
    #[must_use]
    pub fn with_between_runs(mut self) -> Self {
        let Some(BetweenRuns { standard, freedom, .. }) = self.between_runs else { return self };
        let expanded = student::quantile(0.5 + self.confidence / 2.0, freedom.max(1.0)) * standard;
        let is_known = |time: &Estimate| time.is_bounded() && !time.is_upper_bound();
        if is_known(&self.time) {
            self.uncertainty.between_runs = standard * self.time.estimate.abs();
            self.uncertainty.combined = self.uncertainty.combined.hypot(self.uncertainty.between_runs);
        }
        let times = [Some(&mut self.time), self.typical.as_mut(), Some(&mut self.raw)];
        for time in times.into_iter().flatten().filter(|time| is_known(time)) {
            let Estimate { estimate, low, high } = *time;
            let own = expanded * estimate.abs();
            // A time that is known to be above 0 stays so.
            let low = (estimate - (estimate - low).hypot(own)).max(low * (-expanded).exp());
            *time = Estimate { estimate, low, high: estimate + (high - estimate).hypot(own) };
        }
        self
    }
}

/// What one case's history says.
struct ExcessVariance {
    /// Variance between runs beyond that of their launches; below 0 by chance.
    excess: f64,
    /// Degrees of freedom that it is worth: fewer where the launches' own scatter hides it.
    freedom: f64,
}

impl ExcessVariance {
    fn of(runs: &[&TimeOfRun]) -> Option<Self> {
        let bounded = |run: &&&TimeOfRun| run.time.is_bounded();
        let recent: Vec<&TimeOfRun> =
            runs[runs.len().saturating_sub(RECENT)..].iter().filter(bounded).copied().collect();
        if recent.len() < 2 {
            return None;
        }
        let n = recent.len() as f64;
        let logs: Vec<f64> = recent.iter().map(|run| run.time.estimate.ln()).collect();
        let all = variance(&logs)?;
        let expanded = normal::quantile(0.975);
        let error = |run: &&TimeOfRun| (run.time.half_width() / expanded / run.time.estimate).powi(2);
        let of_launches = recent.iter().map(error).sum::<f64>() / n;
        let part = SUPPOSED.powi(2) / (of_launches + SUPPOSED.powi(2));
        Some(Self { excess: all - of_launches, freedom: (n - 1.0) * part * part })
    }

    /// The variance that this and `before` together say, each by its degrees of freedom.
    fn with(&self, before: f64) -> f64 {
        let all = SUPPOSED_DEGREES_OF_FREEDOM * before + self.freedom * self.excess;
        (all / (SUPPOSED_DEGREES_OF_FREEDOM + self.freedom)).max(0.0)
    }
}

/// What runs of each case of a run differ by. `cases`: each case's comparable runs before this one, oldest first; those of other code than the last are left out
/// ([`of_the_same_code`]).
///
/// The variance of the runs' times, less what the launches of each say, is pooled over the cases: a machine's pace moves them
/// together, so all of them are worth the degrees of freedom of one. It is added to what is supposed (0.8 %, four degrees of freedom), and what a
/// case's own runs say is added to that in the same way. Counted in `tests/simulation/between_runs.rs`.
pub fn between_runs(cases: &[Vec<TimeOfRun>]) -> Vec<BetweenRuns> {
    let alike: Vec<Vec<&TimeOfRun>> = cases.iter().map(|runs| of_the_same_code(runs, 2)).collect();
    let seen: Vec<Option<ExcessVariance>> = alike.iter().map(|runs| ExcessVariance::of(runs)).collect();
    let (mut weighted, mut weight, mut freedom) = (0.0, 0.0, 0.0f64);
    for case in seen.iter().flatten() {
        weighted += case.freedom * case.excess;
        weight += case.freedom;
        freedom = freedom.max(case.freedom);
    }
    let supposed = SUPPOSED.powi(2);
    let pooled =
        if weight > 0.0 { ExcessVariance { excess: weighted / weight, freedom }.with(supposed) } else { supposed };
    let of_case = |(seen, runs): (&Option<ExcessVariance>, &Vec<&TimeOfRun>)| BetweenRuns {
        standard: seen.as_ref().map_or(pooled, |own| own.with(pooled)).sqrt(),
        freedom: SUPPOSED_DEGREES_OF_FREEDOM + seen.as_ref().map_or(0.0, |own| own.freedom).max(freedom),
        runs: if seen.is_some() { runs.len().min(RECENT) } else { 0 },
    };
    seen.iter().zip(&alike).map(of_case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(times: &[f64], half: f64) -> Vec<TimeOfRun> {
        let of = |&time: &f64| TimeOfRun {
            time: Estimate { estimate: time, low: time * (1.0 - half), high: time * (1.0 + half) },
            commit: None,
        };
        times.iter().map(of).collect()
    }

    #[test]
    fn without_history_it_is_what_is_supposed() {
        let found = between_runs(&[runs(&[100.0], 0.01), Vec::new()]);
        assert_eq!(found, vec![BetweenRuns { standard: SUPPOSED, freedom: 4.0, runs: 0 }; 2]);
        assert!(between_runs(&[]).is_empty());
    }

    #[test]
    fn runs_that_agree_narrow_it_and_runs_that_differ_widen_it() {
        let steady: Vec<f64> = (0..20).map(|run| 100.0 + 0.01 * f64::from(run % 2)).collect();
        let moving: Vec<f64> = (0..20).map(|run| 100.0 + 4.0 * f64::from(run * 7 % 5) / 5.0).collect();
        let calm = between_runs(&[runs(&steady, 0.0002)])[0];
        let busy = between_runs(&[runs(&moving, 0.0002)])[0];
        assert!(calm.standard < 0.004 && calm.runs == 20, "{calm:?}");
        assert!(busy.standard > 0.0105, "{busy:?}");
        // What the launches of each run explain is not there twice.
        let wide = between_runs(&[runs(&moving, 0.04)])[0];
        assert!(wide.standard < SUPPOSED + 0.001, "{wide:?}");
        // A case without runs before has what the others of its run have shown.
        let new = between_runs(&[runs(&moving, 0.0002), runs(&[5.0], 0.001)])[1];
        assert!(new.standard > 0.0095 && new.runs == 0, "{new:?}");
    }

    #[test]
    fn the_interval_grows_in_quadrature_and_stays_above_0() {
        let of = |time: Estimate, standard: f64| {
            let between_runs = Some(BetweenRuns { standard, freedom: 4.0, runs: 0 });
            Summary { time, raw: time, confidence: 0.95, between_runs, ..Summary::default() }.with_between_runs()
        };
        let time = Estimate { estimate: 100.0, low: 98.0, high: 103.0 };
        let widened = of(time, 0.01);
        // Student's t at four degrees of freedom.
        let added: f64 = 2.776_445_105_197_793;
        assert!((widened.time.high - (100.0 + 3f64.hypot(added))).abs() < 1e-9, "{:?}", widened.time);
        assert!((widened.time.low - (100.0 - 2f64.hypot(added))).abs() < 1e-9, "{:?}", widened.time);
        assert_eq!((widened.raw, widened.uncertainty.between_runs), (widened.time, 1.0));
        assert!(of(time, 3.0).time.low > 0.0);
        // What isn't known stays unknown.
        for time in [Estimate::unbounded(100.0), Estimate { estimate: 0.1, low: -0.2, high: 0.4 }] {
            let unknown = of(time, 0.01);
            assert_eq!((unknown.time, unknown.uncertainty.between_runs), (time, 0.0));
        }
        let stored = Summary { time, confidence: 0.95, ..Summary::default() };
        assert_eq!(stored.clone().with_between_runs(), stored, "without the term it is as it was");
    }
}
