//! Searches for a commit on simulated machines: which is blamed, and after how many steps.

use tare_statistics::bisection::{Located, MOST_DOUBTED, Search, VersionPlace, confirmed_beyond, most_steps, pooled};
use tare_statistics::student;

use super::source::Source;

const CONFIDENCE: f64 = 0.95;
/// Differences up to this aren't called.
const MARGIN: f64 = 0.005;
/// Launch pairs at which a comparison is looked at, and what each look may spend of 1 %.
const LOOKS: [usize; 4] = [8, 14, 24, 40];

/// A history and the machine that it is measured on. Fractions are of the time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene {
    /// Commits after the first version.
    pub(crate) commits: usize,
    /// What one of them changes; 0: none does.
    pub(crate) change: f64,
    /// Standard deviation of a launch.
    pub(crate) launch: f64,
    /// Of a version, in all measurements: where its code lies.
    pub(crate) version: f64,
    /// One launch of twenty takes longer by up to this.
    pub(crate) burst: f64,
}

/// What a search says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// The commit that it is.
    Right,
    /// Another one.
    Wrong,
    /// There is no difference between the ends, so nothing is searched for.
    NoChange,
    /// None was confirmed.
    Unconfirmed,
}

struct Machine<'a> {
    scene: Scene,
    source: &'a mut Source,
    /// By version, that before the first commit included: its level.
    levels: Vec<f64>,
}

/// A version, numbered from that before the first commit.
type Version = usize;

impl Machine<'_> {
    fn launch(&mut self, version: Version) -> f64 {
        let burst = if self.source.uniform() < 0.05 { self.scene.burst * self.source.uniform() } else { 0.0 };
        self.levels[version] + self.scene.launch * self.source.gaussian() + burst
    }

    /// Log-ratios of so many launch pairs.
    fn pairs(&mut self, base: Version, candidate: Version, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.launch(candidate) - self.launch(base)).collect()
    }

    /// What `tare compare` says in essence: looks that share the error, and a second measurement which sees the same. The mean of the pairs, their number, and whether a difference is called.
    fn compared(&mut self, base: Version, candidate: Version, margin: f64) -> (Located, u32, bool) {
        let mut pairs = Vec::new();
        for look in LOOKS {
            pairs.extend(self.pairs(base, candidate, look - pairs.len()));
            let found = located(&pairs);
            let beyond = |of: &Located, level: f64| {
                (of.log_ratio.abs() - margin) / of.standard_error > student::quantile(1.0 - level, of.freedom)
            };
            if beyond(&found, 0.01 / 2.0 / LOOKS.len() as f64) {
                let second = self.pairs(base, candidate, look.max(20));
                let seen_again =
                    beyond(&located(&second), 0.01) && (located(&second).log_ratio > 0.0) == (found.log_ratio > 0.0);
                pairs.extend(second);
                return (located(&pairs), pairs.len() as u32, seen_again);
            }
        }
        (located(&pairs), pairs.len() as u32, false)
    }

    fn beside_both(&mut self, version: Version, launches: u32) -> VersionPlace {
        let last = self.scene.commits;
        let rounds: Vec<[f64; 3]> =
            (0..launches).map(|_| [0, version, last].map(|version| self.launch(version))).collect();
        let between = |from: usize, to: usize| {
            let ratios: Vec<f64> = rounds.iter().map(|round| round[to] - round[from]).collect();
            located(&ratios)
        };
        VersionPlace { from_good: between(0, 1), to_bad: between(1, 2), whole: between(0, 2) }
    }
}

fn located(pairs: &[f64]) -> Located {
    let count = pairs.len() as f64;
    let mean = pairs.iter().sum::<f64>() / count;
    let square = pairs.iter().map(|pair| (pair - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Located { log_ratio: mean, standard_error: (square / count).sqrt(), freedom: count - 1.0 }
}

/// A search, as the session goes about it: what it says, and how many steps it took.
pub(crate) fn searched(scene: Scene, seed: u64) -> (Said, usize) {
    let mut source = Source::new(seed);
    let guilty = (source.uniform() * scene.commits as f64) as usize;
    let levels = (0..=scene.commits)
        .map(|version| {
            let changed = if version > guilty { scene.change } else { 0.0 };
            changed.ln_1p() + scene.version * source.gaussian()
        })
        .collect();
    let mut machine = Machine { scene, source: &mut source, levels };
    let (first, pairs, is_called) = machine.compared(0, scene.commits, MARGIN);
    if !is_called {
        return (Said::NoChange, 0);
    }
    let parents: Vec<Vec<usize>> = (0..scene.commits).map(|at| at.checked_sub(1).into_iter().collect()).collect();
    let mut search = Search::new(&parents);
    let (mut steps, mut doubted) = (0, 0);
    let mut whole = vec![first];
    loop {
        if let Some(found) = search.found(CONFIDENCE) {
            let commit = found[0];
            let (change, _, is_called) =
                machine.compared(commit, commit + 1, confirmed_beyond(first.log_ratio, MARGIN));
            if is_called && (change.log_ratio > 0.0) == (first.log_ratio > 0.0) {
                let is_right = commit == guilty && scene.change != 0.0;
                return (if is_right { Said::Right } else { Said::Wrong }, steps);
            }
            if doubted == MOST_DOUBTED {
                return (Said::Unconfirmed, steps);
            }
            doubted += 1;
            search.doubt(commit, change.log_odds_of(first.log_ratio));
            continue;
        }
        let next = search.next().filter(|_| steps < most_steps(scene.commits));
        let Some(commit) = next else { return (Said::Unconfirmed, steps) };
        let change = pooled(&whole).map_or(first.log_ratio, |all| all.log_ratio);
        let expected = Located { log_ratio: change, ..first };
        let place = machine.beside_both(commit + 1, expected.launches_of_a_step(pairs));
        search.observe(commit, place.log_odds(change));
        whole.push(place.whole);
        steps += 1;
    }
}

/// Searches of these seeds: how many said what, in the order of [`Said`], and their steps.
#[cfg(test)]
fn counted(scene: Scene, seeds: std::ops::Range<u64>) -> ([u64; 4], usize) {
    let mut all = ([0; 4], 0);
    for seed in seeds {
        let (said, steps) = searched(scene, seed);
        all.0[said as usize] += 1;
        all.1 += steps;
    }
    all
}

#[test]
fn the_right_commit_is_blamed_and_no_other() {
    let count = super::source::runs(1_000, 100) as u64;
    for (change, launch) in [(0.01, 0.005), (0.03, 0.01), (0.05, 0.02), (-0.03, 0.01)] {
        let scene = Scene { commits: 128, change, launch, version: 0.001, burst: 0.02 };
        let (said, steps) = counted(scene, 0..count);
        let [right, wrong, no_change, unconfirmed] = said;
        eprintln!("{scene:?}: {said:?}, {:.2} steps", steps as f64 / (count - no_change).max(1) as f64);
        let searched = right + wrong + unconfirmed;
        assert!(right * 100 >= searched * 90 && wrong * 100 <= searched * 5, "{scene:?}: {said:?}");
        assert!(steps <= 12 * searched as usize, "{scene:?}: {steps} steps in {searched}");
    }
}

#[test]
fn where_nothing_changed_no_commit_is_blamed() {
    for version in [0.0, 0.002] {
        let scene = Scene { commits: 64, change: 0.0, launch: 0.01, version, burst: 0.02 };
        let (said, _) = counted(scene, 0..super::source::runs(10_000, 1_000) as u64);
        assert_eq!(said[Said::Wrong as usize], 0, "{said:?}");
    }
}
