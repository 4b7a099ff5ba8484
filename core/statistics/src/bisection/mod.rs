//! Which commit changed a time: a probabilistic bisection.
//!
//! A binary search takes each answer for true. Answers of a stopwatch are wrong at times, and one of them would send the search into the wrong half for good. So a
//! probability of each commit is kept, each measurement multiplies it by what it is likely to see, and the next version is the one in the middle of the
//! probability (Horstein, "Sequential transmission using noiseless feedback", IEEE Transactions on Information Theory 9(3), 1963; Waeber, Frazier & Henderson, "Bisection search with
//! noisy responses", SIAM Journal on Control and Optimization 51(3), 2013: the error falls geometrically with the steps). Where the median lies within one commit its
//! two sides are measured again and again, which is what Karp & Kleinberg ("Noisy binary search and its applications", SODA 2007) and Ben-Or & Hassidim
//! ("The Bayesian learner is optimal for noisy binary search", FOCS 2008) need a special case for: they know the error of an answer, and no more than yes or no. Here an
//! answer is a figure with its standard error, so its weight is its likelihood ratio.

mod evidence;
mod smallest;

use std::collections::BTreeMap;

pub use evidence::{Located, MOST_OF_A_STEP, VersionPlace, pooled};
pub use smallest::{Known, Shown, smallest};

/// What all steps at one version may add up to, in natural logarithms: something that is special to the version, as the places that a linker gave its code, may be the same in
/// each of them.
const MOST_OF_A_VERSION: f64 = 6.0;
/// So many commits may turn out to show no change against their parents before a search gives up.
pub const MOST_DOUBTED: usize = 2;
/// A version parts two groups of commits where each has more than this probability.
const NEGLIGIBLE: f64 = 1e-9;

/// The commits that may have brought a change, each with its probability, and the versions that may be measured: the state of the code at each commit.
#[derive(Debug, Clone)]
pub struct Search {
    /// Of each commit, together 1.
    probabilities: Vec<f64>,
    /// By version and commit: whether the version has the commit.
    contains: Vec<Vec<bool>>,
    /// Log-odds that steps at a version have given.
    evidence: Vec<f64>,
    usable: Vec<bool>,
}

impl Search {
    /// Every commit is as likely. `parents`: of each commit, in an order in which parents come first, the positions of those of its parents that are commits here.
    pub fn new(parents: &[Vec<usize>]) -> Self {
        let commits = parents.len();
        let mut contains: Vec<Vec<bool>> = Vec::with_capacity(commits);
        for (commit, parents) in parents.iter().enumerate() {
            let mut own = vec![false; commits];
            for of_parent in parents.iter().filter_map(|&parent| contains.get(parent)) {
                own.iter_mut().zip(of_parent).for_each(|(own, of_parent)| *own |= of_parent);
            }
            own[commit] = true;
            contains.push(own);
        }
        Self {
            probabilities: vec![1.0 / commits.max(1) as f64; commits],
            contains,
            evidence: vec![0.0; commits],
            usable: vec![true; commits],
        }
    }

    /// Of each commit that it brought the change.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Whether the version of a commit has another commit.
    pub fn has(&self, version: usize, commit: usize) -> bool {
        self.contains[version][commit]
    }

    /// That the change came with a commit that this version has.
    pub fn changed_at(&self, version: usize) -> f64 {
        self.contains[version].iter().zip(&self.probabilities).filter(|(has, _)| **has).map(|(_, p)| p).sum()
    }

    /// The version to measure next: that where a change is nearest to being as likely as not. `None` where none tells anything.
    pub fn next(&self) -> Option<usize> {
        let telling = |version: &usize| {
            let changed = self.changed_at(*version);
            let may_tell = self.usable[*version] && self.evidence[*version].abs() < MOST_OF_A_VERSION;
            may_tell && changed > NEGLIGIBLE && changed < 1.0 - NEGLIGIBLE
        };
        let from_even = |version: usize| (self.changed_at(version) - 0.5).abs();
        (0..self.usable.len()).filter(telling).min_by(|&a, &b| from_even(a).total_cmp(&from_even(b)))
    }

    /// A measurement of a version says with these log-odds that it has the change.
    pub fn observe(&mut self, version: usize, log_odds: f64) {
        let before = self.evidence[version];
        let after =
            (before + log_odds.clamp(-MOST_OF_A_STEP, MOST_OF_A_STEP)).clamp(-MOST_OF_A_VERSION, MOST_OF_A_VERSION);
        self.evidence[version] = after;
        let factor = (after - before).exp();
        let contained = &self.contains[version];
        self.probabilities.iter_mut().zip(contained).filter(|(_, has)| **has).for_each(|(p, _)| *p *= factor);
        self.normalise();
    }

    /// The version can't be measured.
    pub fn skip(&mut self, version: usize) {
        self.usable[version] = false;
    }

    /// It is proven that nothing changed with these commits.
    pub fn rule_out(&mut self, commits: impl Fn(usize) -> bool) {
        self.probabilities.iter_mut().enumerate().filter(|(at, _)| commits(*at)).for_each(|(_, p)| *p = 0.0);
        self.normalise();
    }

    /// A measurement of a commit against its parent didn't confirm it, and says with these log-odds that it brought the change. What speaks for it all the same adds nothing: it is measured once more.
    pub fn doubt(&mut self, commit: usize, log_odds: f64) {
        self.probabilities[commit] *= log_odds.clamp(-MOST_OF_A_STEP, 0.0).exp();
        self.normalise();
    }

    fn normalise(&mut self) {
        let sum: f64 = self.probabilities.iter().sum();
        if sum > 0.0 {
            self.probabilities.iter_mut().for_each(|p| *p /= sum);
        }
    }

    /// The commits that together have brought the change with at least `confidence`, where no version that can be measured tells them apart: one, where nothing had to be left out. In
    /// their order; those that are ruled out aren't among them.
    pub fn found(&self, confidence: f64) -> Option<Vec<usize>> {
        let likely = self.likeliest()?;
        let together: f64 = likely.iter().map(|&commit| self.probabilities[commit]).sum();
        (together >= confidence).then_some(likely)
    }

    /// The likeliest commits of which no version that can be measured has some and not the others.
    pub fn likeliest(&self) -> Option<Vec<usize>> {
        let mut classes: BTreeMap<u128, Vec<usize>> = BTreeMap::new();
        for (commit, versions) in self.versions_with().into_iter().enumerate() {
            if self.probabilities[commit] > 0.0 {
                classes.entry(versions).or_default().push(commit);
            }
        }
        let together = |class: &[usize]| -> f64 { class.iter().map(|&commit| self.probabilities[commit]).sum() };
        // Of equally likely ones the first.
        let order = |a: &Vec<usize>, b: &Vec<usize>| together(a).total_cmp(&together(b)).then(b.cmp(a));
        classes.into_values().max_by(order)
    }

    /// By commit: the versions that can be measured and have it, as a number that two commits share by chance no more than once in 2¹²⁸. Lists of them would be compared for
    /// seconds where there are thousands.
    fn versions_with(&self) -> Vec<u128> {
        let mut all = vec![0; self.probabilities.len()];
        for (version, contains) in self.contains.iter().enumerate().filter(|(version, _)| self.usable[*version]) {
            let number = mixed(version as u64);
            all.iter_mut().zip(contains).filter(|(_, has)| **has).for_each(|(sum, _)| *sum ^= number);
        }
        all
    }
}

/// A number for each that looks random, 128 bits (`SplitMix64` twice; Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn mixed(number: u64) -> u128 {
    let half = |number: u64| {
        let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    u128::from(half(2 * number)) << 64 | u128::from(half(2 * number + 1))
}

/// The margin that a commit is compared with its parent by, where differences up to `margin` don't matter and the whole change is this log-ratio: a quarter of that at most. What was found
/// beyond the margin between both ends may well be seen no more than at it, and a commit that brought all of it would then be doubted.
pub fn confirmed_beyond(change: f64, margin: f64) -> f64 {
    margin.min(change.abs() / 4.0)
}

/// A search of so many commits that takes more steps than this won't end: a binary search whose every answer is asked for four times, and twenty more.
pub fn most_steps(commits: usize) -> usize {
    20 + 4 * commits.max(2).ilog2() as usize
}

#[cfg(test)]
mod tests;
