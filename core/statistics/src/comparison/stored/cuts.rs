//! Which changes of level in a history are the code's: those with a change of commit whose old level isn't met again.
//!
//! The rest is the machine's: states that it takes (another host of its class, another place in memory), and which it takes
//! again. They are no reason to forget the older runs. They say how far two runs of the same code may lie apart.

use super::levels::{scatter_about_levels, segment_of};
use super::points::median_of;

/// Runs to a change of commit, at least, for its falling together with a change of level to say something. Where each run has a commit
/// of its own any change of level falls together with one. Simulated with two states that hold for 12 runs each on average, cuts at
/// commits that change more often raise alarms in more than 1 % of comparisons (`tests/simulation/recurring.rs`).
const RUNS_TO_A_COMMIT: usize = 16;

/// Where commits change more often, an old level is left behind once it hasn't been met for so many runs: of all machines, the one that
/// is most apt to show one state in so many runs and another in the next does it with a probability of 1/(36 e), 1 %.
const FORGOTTEN: usize = 36;

/// A judged run lies on a level that is no further off than so many standard deviations of the runs about theirs.
const ON_A_LEVEL: f64 = 3.0;

/// A judged run: its value, and the code that it is of.
pub(super) type Judged<'a> = (f64, Option<&'a str>);

/// The changes of level of a history, sorted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cuts {
    /// Those that the code made: indices of `changes`' kind, ascending.
    pub(super) places: Vec<usize>,
    /// The largest distance between two levels that the machine made; 0 where there is but one.
    pub(super) between_levels: f64,
}

impl Cuts {
    /// Of runs in the order of measuring, with their commits where known, and the `changes` of level among them.
    ///
    /// A change is the code's where the commit changed with that very run and the level before isn't met again: no level since is
    /// nearer to one before than half the step, and no judged run of newer code lies on one before ([`ON_A_LEVEL`]).
    pub(super) fn of(values: &[f64], commits: &[Option<&str>], changes: &[usize], judged: &[Judged<'_>]) -> Self {
        let segments = segment_of(values.len(), changes);
        let levels: Vec<f64> = (0..=changes.len())
            .map(|level| {
                median_of(values.iter().zip(&segments).filter(|(_, of)| **of == level).map(|(value, _)| *value))
            })
            .collect();
        let near = ON_A_LEVEL * scatter_about_levels(values, changes);
        let is_change = |run: usize| matches!((commits[run - 1], commits[run]), (Some(from), Some(to)) if from != to);
        let turns = (1..values.len()).filter(|&run| is_change(run)).count();
        let is_seldom = turns * RUNS_TO_A_COMMIT <= values.len().max(RUNS_TO_A_COMMIT);
        let is_codes = |number: usize, place: usize| {
            let (before, since) = levels.split_at(number + 1);
            let step = (since[0] - before[number]).abs();
            let comes_back = before.iter().any(|old| since.iter().any(|new| (new - old).abs() <= step / 2.0));
            let old_code = &commits[..place];
            let met = judged.iter().any(|(value, commit)| {
                let (old, new) = (nearest(before, *value), nearest(since, *value));
                !(commit.is_some() && old_code.contains(commit)) && old < new && old <= near
            });
            is_change(place) && (is_seldom || values.len() - place >= FORGOTTEN) && !comes_back && !met
        };
        let numbers: Vec<usize> = (0..changes.len()).filter(|&number| is_codes(number, changes[number])).collect();
        let starts = std::iter::once(0).chain(numbers.iter().map(|number| number + 1));
        let ends = numbers.iter().map(|number| number + 1).chain([levels.len()]);
        let between_levels = starts.zip(ends).map(|(start, end)| range(&levels[start..end])).fold(0.0, f64::max);
        Self { places: numbers.into_iter().map(|number| changes[number]).collect(), between_levels }
    }
}

fn nearest(levels: &[f64], value: f64) -> f64 {
    levels.iter().map(|level| (level - value).abs()).fold(f64::INFINITY, f64::min)
}

fn range(levels: &[f64]) -> f64 {
    let (low, high) =
        levels.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &level| (low.min(level), high.max(level)));
    (high - low).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::Cuts;

    /// Levels of ten runs each, with the commit of each run.
    fn cuts<'a>(levels: &[f64], commits: &[Option<&'a str>], judged: &[(f64, Option<&'a str>)]) -> Cuts {
        let values: Vec<f64> =
            levels.iter().flat_map(|&level| (0..10).map(move |run| level + 0.01 * f64::from(run % 3 - 1))).collect();
        let commits: Vec<Option<&str>> = commits.iter().flat_map(|&commit| vec![commit; 10]).collect();
        let changes: Vec<usize> = (1..levels.len()).map(|level| 10 * level).collect();
        Cuts::of(&values, &commits, &changes, judged)
    }

    const A: Option<&str> = Some("a");
    const B: Option<&str> = Some("b");

    #[test]
    fn a_level_that_a_commit_brought_and_that_stays_is_the_codes() {
        let found = cuts(&[0.0, 0.1, 0.1], &[A, B, B], &[(0.0, A), (0.1, B)]);
        assert_eq!((found.places, found.between_levels), (vec![10], 0.0));
    }

    #[test]
    fn without_a_change_of_commit_it_is_the_machines() {
        for commits in [[A, A, A], [None, None, None], [A, None, B], [A, A, B]] {
            let found = cuts(&[0.0, 0.1, 0.1], &commits, &[]);
            assert_eq!((found.places, found.between_levels), (vec![], 0.1), "{commits:?}");
        }
    }

    #[test]
    fn a_level_that_is_met_again_is_the_machines() {
        let found = cuts(&[0.0, 0.1, 0.01], &[A, B, B], &[]);
        assert_eq!((found.places, found.between_levels), (vec![], 0.1));
        // Beyond the scatter of the old level a run of the new code is on neither.
        assert_eq!(cuts(&[0.0, 0.2], &[A, B], &[(0.09, B)]).places, [10]);
        // By a run of the new code that is judged, too; not by one of the old.
        assert_eq!(cuts(&[0.0, 0.1], &[A, B], &[(0.01, B)]).places, [0; 0]);
        assert_eq!(cuts(&[0.0, 0.1], &[A, B], &[(0.01, None)]).places, [0; 0]);
        assert_eq!(cuts(&[0.0, 0.1], &[A, B], &[(0.01, A)]).places, [10]);
    }

    #[test]
    fn commits_that_change_with_each_run_say_nothing_until_the_level_has_long_been_left() {
        let names: Vec<String> = (0..60).map(|run| format!("commit {run}")).collect();
        let commits: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
        let stepped = |place: usize| {
            let values: Vec<f64> = (0..60).map(|run| if run < place { 0.0 } else { 0.1 }).collect();
            Cuts::of(&values, &commits, &[place], &[])
        };
        assert_eq!((stepped(30).places, stepped(30).between_levels), (vec![], 0.1));
        assert_eq!((stepped(20).places, stepped(20).between_levels), (vec![20], 0.0));
    }

    #[test]
    fn few_runs_have_no_cuts() {
        assert_eq!(Cuts::of(&[], &[], &[], &[]), Cuts::default());
        assert_eq!(Cuts::of(&[1.0], &[None], &[], &[]), Cuts::default());
    }
}
