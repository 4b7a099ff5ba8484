//! Work over the runs of a history: where a call begins to execute more, or less.

use tare_samples::{CountEnvironment, CountedWork};

use super::{ALIKE, ALIKE_INSTRUCTIONS, OF_TURNS};
use crate::quantile::select_median;
use crate::student::quantile;
use crate::summary::Estimate;

/// Each of two counts may lie so far from what the code executes as counts of identical code differ by.
const BOTH: f64 = 2.0;
/// The level is the median of so many of its first runs: what creeps leaves it in the end.
const OF_A_LEVEL: usize = 9;
/// How far launches scatter is known by so many runs on either side: a seed that few launches draw is met by then.
const AROUND: usize = 32;
/// Two runs may lie apart by the largest difference of launches around, and a part of it more.
const LARGEST: f64 = 1.5;
/// With this probability a run of code that scatters lies beyond the bound of its launches by chance.
const BY_CHANCE: f64 = 0.001;

/// A counted run of a history.
#[derive(Debug, Clone, Copy)]
pub struct CountedRun<'a> {
    /// What was counted.
    pub work: &'a CountedWork,
    /// Of what branch its code is. Runs of several branches take turns in a history, and each has a level of its own.
    pub branch: &'a str,
}

/// What is said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkPoint {
    /// Instructions of a call, and how far launches of other seeds lie from that.
    pub work: Estimate,
    /// What stood before, where this run begins another level.
    pub step: Option<WorkStep>,
}

/// The level that a run leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkStep {
    /// The last run of it, by its place in the history.
    pub before: usize,
    /// What calls executed there: instructions of one.
    pub level: f64,
}

/// What is said of each run of a history, oldest first.
///
/// A count is compared with the level of its branch in its environment ([`CountEnvironment`]), which is the median of the level's first runs; in a new branch with the newest level.
/// Beyond the bound it begins a level by itself: identical code repeats within a fraction that is known, so no second run is waited for. The bound is the root of the sum of squares of
///
/// - twice what identical code differs by in a comparison (0.06 % of a call with its loop, or an instruction), or, if that is more, twice how far turns of one launch disagree;
/// - what launches of other seeds differ by: Student's t of a thousandth for their pooled variance over up to 32 runs on either side, or one and a half times the largest difference among these. Each run draws
///   seeds of its own. Where no run around has two launches, nothing is known of that, and no step is claimed.
///
/// Work that other threads took part in has no level. How often a step is claimed where there is none, and how often one is found, is counted by `tests/simulation/work_histories.rs`.
pub fn work_points(runs: &[CountedRun<'_>]) -> Vec<WorkPoint> {
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut points = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        let CountedRun { work, branch } = *run;
        let (estimate, differ) = (work.per_call(), work.launches_differ_by());
        let mut point =
            WorkPoint { work: Estimate { estimate, low: estimate - differ, high: estimate + differ }, step: None };
        if work.several_threads() || !estimate.is_finite() {
            points.push(point);
            continue;
        }
        let environment = work.environment.as_ref();
        // The one that was met last stands last.
        let own = levels.iter().rposition(|level| level.environment == environment && level.branch == branch);
        let newest = levels.iter().rposition(|level| level.environment == environment);
        let mut level = match (own, newest) {
            (Some(own), _) => levels.remove(own),
            (None, Some(newest)) => Level { branch, ..levels[newest].clone() },
            (None, None) => Level { environment, branch, works: Vec::new(), last: at },
        };
        if let Some(value) = level.value() {
            let beyond = (estimate - value).abs();
            let bound = level.bound(work);
            // Few need that of launches, which takes the longest.
            if beyond > bound && beyond > bound.hypot(of_launches(runs, at)) {
                point.step = Some(WorkStep { before: level.last, level: value });
                level.works.clear();
            }
        }
        level.last = at;
        if level.works.len() < OF_A_LEVEL {
            level.works.push(work);
        }
        levels.push(level);
        points.push(point);
    }
    points
}

/// The runs that a level began with, of one branch in one environment.
#[derive(Clone)]
struct Level<'a> {
    environment: Option<&'a CountEnvironment>,
    branch: &'a str,
    works: Vec<&'a CountedWork>,
    /// Its last run.
    last: usize,
}

impl Level<'_> {
    /// Instructions of a call; `None` without a run.
    fn value(&self) -> Option<f64> {
        select_median(&mut self.works.iter().map(|work| work.per_call()).collect::<Vec<f64>>())
    }

    /// A count of identical code lies so far from it, launches of other seeds left aside.
    fn bound(&self, work: &CountedWork) -> f64 {
        let whole = self.works.iter().map(|one| one.raw_per_call()).fold(work.raw_per_call(), f64::max);
        let turns = self.works.last().and_then(|last| Some(work.launches.first()?.bends_from(last.launches.first()?)));
        (BOTH * (ALIKE * whole).max(ALIKE_INSTRUCTIONS)).max(OF_TURNS * turns.unwrap_or(0.0))
    }
}

/// The same of launches of other seeds, of the runs around that place.
fn of_launches(runs: &[CountedRun<'_>], at: usize) -> f64 {
    let environment = &runs[at].work.environment;
    let is_alike = |run: &&CountedRun<'_>| run.work.environment == *environment && run.work.launches.len() > 1;
    let before = runs[..at].iter().rev().filter(is_alike).take(AROUND);
    let around = before.chain(runs[at..].iter().filter(is_alike).take(AROUND + 1));
    let (mut squares, mut degrees, mut most) = (0.0, 0.0, 0.0_f64);
    for CountedRun { work, .. } in around {
        let count = work.launches.len() as f64;
        let mean = work.launches.iter().map(|launch| launch.per_call()).sum::<f64>() / count;
        squares += work.launches.iter().map(|launch| (launch.per_call() - mean).powi(2)).sum::<f64>();
        degrees += count - 1.0;
        most = most.max(work.launches_differ_by());
    }
    if degrees == 0.0 {
        return f64::INFINITY;
    }
    // Of the difference of two launches.
    let deviation = (2.0 * squares / degrees).sqrt();
    (quantile(1.0 - BY_CHANCE / 2.0, degrees) * deviation).max(LARGEST * most)
}

#[cfg(test)]
mod tests {
    use tare_samples::{CountEnvironment, CountedWork};

    use super::super::tests::launch;
    use super::{CountedRun, WorkStep, work_points};

    fn work(each: &[f64]) -> CountedWork {
        CountedWork { launches: each.iter().map(|&each| launch(each, 0)).collect(), ..CountedWork::default() }
    }

    /// The runs that begin a level, with what was before.
    fn steps(works: &[(CountedWork, &str)]) -> Vec<(usize, f64)> {
        let runs: Vec<CountedRun<'_>> = works.iter().map(|(work, branch)| CountedRun { work, branch }).collect();
        let points = work_points(&runs);
        points.iter().enumerate().filter_map(|(at, point)| Some((at, point.step?.level))).collect()
    }

    fn of(counts: &[f64]) -> Vec<(CountedWork, &'static str)> {
        counts.iter().map(|&each| (work(&[each, each]), "main")).collect()
    }

    #[test]
    fn a_thousandth_is_a_step_from_one_run_to_the_next_and_what_lies_within_the_bound_is_none() {
        assert_eq!(steps(&of(&[50_000.0, 50_050.0])), [(1, 50_000.0)]);
        assert_eq!(steps(&of(&[50_000.0, 49_950.0, 49_950.0, 50_000.0])), [(1, 50_000.0), (3, 49_950.0)]);
        assert_eq!(steps(&of(&[50_000.0, 50_025.0, 50_005.0, 49_990.0])), []);
        assert_eq!(steps(&of(&[10.0, 11.0, 10.0])), [], "an instruction");
        assert_eq!(steps(&of(&[10.0, 11.5])), [(1, 10.0)]);
    }

    #[test]
    fn what_creeps_is_a_step_in_the_end() {
        let creeping: Vec<f64> = (0..40).map(|run| 50_000.0 + 5.0 * f64::from(run)).collect();
        let found = steps(&of(&creeping));
        assert!(!found.is_empty() && found[0].0 < 12, "{found:?}");
    }

    #[test]
    fn work_that_varies_from_launch_to_launch_is_no_step_unless_it_lies_far_apart() {
        let varying = [(50_000.0, 50_400.0), (50_300.0, 49_900.0), (50_500.0, 50_100.0), (49_800.0, 50_200.0)];
        let mut all: Vec<(CountedWork, &str)> = varying.iter().map(|&(a, b)| (work(&[a, b]), "")).collect();
        assert_eq!(steps(&all), []);
        all.extend(varying.iter().map(|&(a, b)| (work(&[2.0 * a, 2.0 * b]), "")));
        assert_eq!(steps(&all).len(), 1);
    }

    #[test]
    fn of_one_launch_a_run_it_is_not_known_how_these_differ() {
        let single = |each: f64| (work(&[each]), "");
        assert_eq!(steps(&[single(50_000.0), single(51_000.0), single(51_000.0)]), []);
        // A comparison that differs has a second launch of both sides.
        let double = |each: f64| (work(&[each, each]), "");
        let all = [single(50_000.0), single(50_000.0), double(50_000.0), double(51_000.0), single(51_000.0)];
        assert_eq!(steps(&all), [(3, 50_000.0)]);
    }

    #[test]
    fn branches_that_take_turns_have_levels_of_their_own() {
        let on = |each: f64, branch: &'static str| (work(&[each, each]), branch);
        let all = [
            on(50_000.0, "main"),
            on(51_000.0, "faster"),
            on(50_000.0, "main"),
            on(51_000.0, "faster"),
            on(50_000.0, "docs"),
            on(51_000.0, "main"),
        ];
        // The branch, and main when it is merged.
        assert_eq!(steps(&all), [(1, 50_000.0), (4, 51_000.0), (5, 50_000.0)]);
    }

    #[test]
    fn another_environment_begins_anew_and_one_that_returns_goes_on() {
        let on = |each: f64, runtime: &str| {
            let environment = CountEnvironment { runtime: runtime.to_owned(), ..CountEnvironment::default() };
            CountedWork { environment: Some(environment), ..work(&[each, each]) }
        };
        let works =
            [on(50_000.0, "8.3"), on(40_000.0, "8.4"), on(40_000.0, "8.4"), on(50_500.0, "8.3"), on(40_400.0, "8.4")];
        let runs: Vec<CountedRun<'_>> = works.iter().map(|work| CountedRun { work, branch: "main" }).collect();
        let found: Vec<Option<WorkStep>> = work_points(&runs).into_iter().map(|point| point.step).collect();
        let step = |before: usize, level: f64| Some(WorkStep { before, level });
        assert_eq!(found, [None, None, None, step(0, 50_000.0), step(2, 40_000.0)]);
    }

    #[test]
    fn what_other_threads_took_part_in_has_no_level() {
        let mut all = of(&[50_000.0, 60_000.0, 50_000.0]);
        all[1].0.launches[0].several_threads = true;
        assert_eq!(steps(&all), []);
        assert_eq!(work_points(&[]), []);
    }
}
