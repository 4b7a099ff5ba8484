//! What the next run of a case will read.

use std::collections::BTreeSet;

use super::alike::{TimeOfRun, of_the_same_code};
use crate::quantile::{mean, quantile, select_median, sort, variance};
use crate::student;
use serde::{Deserialize, Serialize};

/// Confidence of the interval.
const CONFIDENCE: f64 = 0.95;

/// Fewest runs of the same code: two say next to nothing of how runs scatter (Student's t at one degree of freedom is 12.7).
const FEWEST_RUNS: usize = 3;

/// So many runs have a prediction interval that takes nothing for granted but that runs could have come in any order: the
/// greatest of 19 deviations is exceeded by a twentieth one with a probability of 5 %.
const CONFORMAL_RUNS: usize = 19;

/// The range that the time of the next run falls into with a probability of 95 %, nanoseconds per call.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NextRun {
    /// Its lower end, above 0.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Runs that it is taken from.
    pub runs: usize,
    /// Commits that these measured, as far as is known; more than one where the newest commit has too few runs of its own, and no change was seen between them.
    #[serde(default, skip_serializing_if = "is_at_most_one")]
    pub commits: usize,
}

fn is_at_most_one(commits: &usize) -> bool {
    *commits <= 1
}

/// What the next run of the same code on the same machine will read, from `runs`, oldest first, the newest among them. Those before the last change
/// of the code ([`Cuts`]) are left out, and so are times that aren't above 0; where the newest commit has three runs of its own, those of all others are.
/// Runs of several commits count where there are enough for a change to be seen. `None` for fewer than three.
///
/// Logarithms of fewer than 19 runs: Student's prediction interval, mean ± t s √(1 + 1/n). Of more: their median, and on either side
/// of it the quantile of the leave-one-out deviations at rank 0.95 (n + 1), between two ranks by interpolation (Vovk, Gammerman &
/// Shafer, "Algorithmic Learning in a Random World", 2005, §2.2; Barber et al., Annals of Statistics 49(1), 2021). It takes for granted
/// that the next run is to these as they are to each other; a machine in a state that none of them met isn't.
pub fn next_run(runs: &[TimeOfRun]) -> Option<NextRun> {
    let alike = of_the_same_code(runs, FEWEST_RUNS);
    if alike.len() < FEWEST_RUNS {
        return None;
    }
    let commits = alike.iter().flat_map(|run| &run.commit).collect::<BTreeSet<_>>().len();
    let values: Vec<f64> = alike.iter().map(|run| run.time.estimate.ln()).collect();
    let values = values.as_slice();
    let (centre, reach) = if values.len() < CONFORMAL_RUNS { students(values)? } else { conformal(values)? };
    let (low, high) = ((centre - reach).exp(), (centre + reach).exp());
    (low > 0.0 && high.is_finite()).then_some(NextRun { low, high, runs: values.len(), commits })
}

fn students(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let t = student::quantile(0.5 + CONFIDENCE / 2.0, n - 1.0);
    Some((mean(values)?, t * (variance(values)? * (1.0 + 1.0 / n)).sqrt()))
}

fn conformal(values: &[f64]) -> Option<(f64, f64)> {
    let mut deviations: Vec<f64> = (0..values.len())
        .filter_map(|run| {
            let mut others = values.to_vec();
            let own = others.swap_remove(run);
            Some((own - select_median(&mut others)?).abs())
        })
        .collect();
    sort(&mut deviations);
    let n = deviations.len() as f64;
    // The rank as the crate's quantile counts, from 0 to n − 1.
    let rank = (CONFIDENCE * (n + 1.0) - 1.0).min(n - 1.0);
    Some((select_median(&mut values.to_vec())?, quantile(&deviations, rank / (n - 1.0))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Estimate;

    fn runs(times: &[f64], commit: impl Fn(usize) -> Option<&'static str>) -> Vec<TimeOfRun> {
        let point = |(run, &time): (usize, &f64)| TimeOfRun {
            time: Estimate::unbounded(time),
            commit: commit(run).map(str::to_owned),
        };
        times.iter().enumerate().map(point).collect()
    }

    #[test]
    fn few_runs_have_students_interval() {
        let found = next_run(&runs(&[100.0, 102.0, 98.0, 0.0, f64::NAN], |_| None)).unwrap();
        let logs: Vec<f64> = [100.0f64, 102.0, 98.0].iter().map(|time| time.ln()).collect();
        let reach = 4.302_652_729_911_275 * (variance(&logs).unwrap() * 4.0 / 3.0).sqrt();
        assert_eq!(found.runs, 3);
        assert!(((found.high / found.low).ln() / (2.0 * reach) - 1.0).abs() < 1e-9, "{found:?}");
        assert_eq!(next_run(&runs(&[100.0, 101.0], |_| None)), None);
        assert_eq!(next_run(&[]), None);
    }

    #[test]
    fn of_many_one_far_off_is_no_matter() {
        let mut times: Vec<f64> = (0..60).map(|run| 100.0 + f64::from(run * 37 % 60) / 30.0).collect();
        let without = next_run(&runs(&times, |_| None)).unwrap();
        times[30] = 500.0;
        let with = next_run(&runs(&times, |_| None)).unwrap();
        assert!(with.high < 1.005 * without.high && with.low > 0.995 * without.low, "{with:?} {without:?}");
    }

    #[test]
    fn runs_before_a_change_of_the_code_are_left_out() {
        let times: Vec<f64> =
            (0..20).map(|run| (if run < 8 { 100.0 } else { 130.0 }) + f64::from(run * 7 % 5) / 5.0).collect();
        let found = next_run(&runs(&times, |run| Some(if run < 8 { "a" } else { "b" }))).unwrap();
        assert!(found.runs == 12 && found.low > 125.0, "{found:?}");
        let found = next_run(&runs(&times, |_| Some("a"))).unwrap();
        assert!(found.runs == 20 && found.low < 101.0, "{found:?}");
    }

    #[test]
    fn runs_of_two_commits_are_not_mixed_where_no_change_could_be_seen() {
        let times = [100.0, 101.0, 100.5, 130.0, 131.0, 130.5];
        let commit = |run| Some(if run < 3 { "a" } else { "b" });
        let found = next_run(&runs(&times, commit)).unwrap();
        assert!(found.runs == 3 && found.commits == 1 && found.low > 125.0, "{found:?}");
        assert_eq!(next_run(&runs(&times[..5], commit)), None, "two runs of the newest commit, and three of another");
        // A run a commit: what many of them say of the next is said with that.
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let times: Vec<f64> = (0..10).map(|run| 100.0 + f64::from(run * 7 % 5) / 5.0).collect();
        let found = next_run(&runs(&times, |run| Some(names[run]))).unwrap();
        assert_eq!((found.runs, found.commits), (10, 10));
    }
}
