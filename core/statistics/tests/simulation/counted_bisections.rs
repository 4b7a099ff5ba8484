//! Searches for the commit from which on a call executes more, where versions are counted and not timed.

use tare_samples::{CountedLaunch, CountedWork};
use tare_statistics::bisection::{Located, MOST_DOUBTED, Search, VersionPlace, most_steps};
use tare_statistics::work::{MOST_SEEDS, Work, WorkVerdict};

use super::source::{Source, runs};

const CONFIDENCE: f64 = 0.95;
/// Instructions of a call.
const INSTRUCTIONS: f64 = 20_000.0;

/// A history. Fractions are of what a call executes.
#[derive(Debug, Clone, Copy)]
struct Scene {
    commits: usize,
    /// What one of them changes.
    change: f64,
    /// Standard deviation of a version, in all its counts: paths and places of data.
    version: f64,
    /// Of a launch: hashes that are seeded.
    launch: f64,
}

fn launch(each: f64) -> CountedLaunch {
    let calls = [1000, 2000, 3000];
    let subject = calls.map(|calls| 5000 + ((each + 60.0) * calls as f64) as u64);
    CountedLaunch { calls, subject, null_calls: [100, 300], null: [11_000, 23_000], ..CountedLaunch::default() }
}

fn counted(level: f64, scene: Scene, source: &mut Source) -> CountedWork {
    let launches = (0..MOST_SEEDS).map(|_| launch(INSTRUCTIONS * (level + scene.launch * source.gaussian()))).collect();
    CountedWork { launches, ..CountedWork::default() }
}

/// The commit that is blamed, and the guilty one; `None` where none is.
fn searched(scene: Scene, seed: u64) -> (Option<usize>, usize, usize) {
    let mut source = Source::new(seed);
    let guilty = (source.uniform() * scene.commits as f64) as usize;
    let levels: Vec<f64> = (0..=scene.commits)
        .map(|at| 1.0 + if at > guilty { scene.change } else { 0.0 } + scene.version * source.gaussian())
        .collect();
    let mut count = |version: usize| counted(levels[version], scene, &mut source);
    let ends = [count(0), count(scene.commits)];
    let beside = |base: &CountedWork, candidate: &CountedWork| Work::of(base, candidate).expect("both are counted");
    let located = |work: Work| Located::of_bound(&work.ratio.expect("a ratio")).expect("a bound");
    let whole = beside(&ends[0], &ends[1]);
    if !whole.verdict.is_difference() {
        return (None, guilty, 0);
    }
    let parents: Vec<Vec<usize>> = (0..scene.commits).map(|at| at.checked_sub(1).into_iter().collect()).collect();
    let mut search = Search::new(&parents);
    let (mut steps, mut doubted) = (0, 0);
    loop {
        if let Some(found) = search.found(CONFIDENCE) {
            let commit = found[0];
            let work = beside(&count(commit), &count(commit + 1));
            if work.verdict.is_difference() && work.verdict == whole.verdict {
                return (Some(commit), guilty, steps);
            }
            if doubted == MOST_DOUBTED {
                return (None, guilty, steps);
            }
            doubted += 1;
            search.doubt(commit, located(work).log_odds_of(located(whole).log_ratio));
            continue;
        }
        let Some(commit) = search.next().filter(|_| steps < most_steps(scene.commits)) else {
            return (None, guilty, steps);
        };
        let version = count(commit + 1);
        let place = VersionPlace {
            from_good: located(beside(&ends[0], &version)),
            to_bad: located(beside(&version, &ends[1])),
            whole: located(whole),
        };
        search.observe(commit, place.log_odds(located(whole).log_ratio));
        steps += 1;
    }
}

/// Right, wrong, none; and steps on average.
fn all(scene: Scene, seeds: u64) -> ([u64; 3], f64) {
    let (mut said, mut steps) = ([0; 3], 0);
    for seed in 0..seeds {
        let (blamed, guilty, took) = searched(scene, seed);
        said[blamed.map_or(2, |blamed| usize::from(blamed != guilty))] += 1;
        steps += took;
    }
    (said, steps as f64 / seeds as f64)
}

#[test]
fn counts_blame_the_right_commit_also_for_a_tenth_of_a_percent() {
    let seeds = runs(1_000, 100) as u64;
    for change in [0.001, 0.01, -0.03, 0.5] {
        let scene = Scene { commits: 64, change, version: 0.000_05, launch: 0.0 };
        let (said, steps) = all(scene, seeds);
        assert_eq!(said, [seeds, 0, 0], "{change}");
        assert!(steps < 8.0, "{change}: {steps}");
    }
}

#[test]
fn counts_without_a_change_and_counts_that_scatter_as_far_blame_none() {
    let seeds = runs(1_000, 100) as u64;
    let scene = Scene { commits: 64, change: 0.0, version: 0.000_05, launch: 0.0 };
    assert_eq!(all(scene, seeds).0, [0, 0, seeds]);
    let ([_, wrong, _], _) = all(Scene { change: 0.01, launch: 0.01, ..scene }, seeds);
    assert!(wrong * 50 <= seeds, "{wrong} of {seeds}");
    let ([right, wrong, _], _) = all(Scene { change: 0.0, launch: 0.01, ..scene }, seeds);
    assert!((right + wrong) * 50 <= seeds, "{right} and {wrong} of {seeds}");
}

/// What the test above counts is no accident of a search that never ends.
#[test]
fn the_verdict_of_both_ends_is_that_of_their_counts() {
    let one = CountedWork { launches: vec![launch(INSTRUCTIONS); MOST_SEEDS], ..CountedWork::default() };
    let other = CountedWork { launches: vec![launch(1.001 * INSTRUCTIONS); MOST_SEEDS], ..CountedWork::default() };
    assert_eq!(Work::of(&one, &other).unwrap().verdict, WorkVerdict::More);
    let located = Located::of_bound(&Work::of(&one, &other).unwrap().ratio.unwrap()).unwrap();
    assert!((located.log_ratio - 0.001).abs() < 1e-5 && located.standard_error < 0.000_2, "{located:?}");
}
