//! Comparisons of stored runs on machines whose level may come back, counted with the scenes of the statistics' own tests.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

#[path = "../../../statistics/tests/simulation/machine.rs"]
#[allow(dead_code, reason = "the tests make histories without levels as well")]
mod machine;
#[path = "../../../statistics/tests/simulation/recurring.rs"]
mod recurring;
#[path = "../../../statistics/tests/simulation/source.rs"]
#[allow(dead_code, reason = "the tests draw from more distributions")]
pub(super) mod source;

use machine::{Levels, QUIET, TYPICAL};
use recurring::{Commits, Scene};

/// Runs of a history.
pub const HISTORIES: [usize; 4] = [8, 16, 30, 60];

/// What is counted of one machine with histories of one length.
#[derive(Debug, Clone)]
pub struct StoredModel {
    /// In a few words.
    pub name: String,
    /// Runs of the history.
    pub runs: usize,
    scene: Scene,
}

/// How many of so many comparisons were called different, and next runs that read what was said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedStored {
    /// Of each kind.
    pub comparisons: u64,
    /// Of equal code, with one commit in all runs, and with one for each.
    pub alarms: [u64; 2],
    /// Where the code has been slower by 5, 10 and 20 % for the last quarter of the history.
    pub found: [u64; 3],
    /// Next runs within their interval.
    pub foretold: u64,
}

impl CountedStored {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: Self) {
        self.comparisons += other.comparisons;
        self.alarms.iter_mut().zip(other.alarms).for_each(|(all, more)| *all += more);
        self.found.iter_mut().zip(other.found).for_each(|(all, more)| *all += more);
        self.foretold += other.foretold;
    }

    /// As a fraction of the comparisons.
    pub fn share(&self, count: u64) -> f64 {
        count as f64 / self.comparisons.max(1) as f64
    }
}

impl fmt::Display for CountedStored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { comparisons, alarms, found, foretold } = self;
        write!(f, "of {comparisons}: alarms {alarms:?}, found {found:?}, next runs {foretold}")
    }
}

/// Machines that scatter by 0.5 and by 1.5 % beside their kernels, with one level, two, a drift, and one that wanders.
pub fn stored_models() -> Vec<StoredModel> {
    let two = |dwell| Levels::Two { apart: 0.08, dwell };
    let levels = [
        ("one state", Levels::One),
        ("two states 8 % apart, 12 runs each", two(12.0)),
        ("two states 8 % apart, 3 runs each", two(3.0)),
        ("drift of 0.2 % a run", Levels::Drift { a_run: 0.002 }),
        ("autoregression of 3 %, correlation 0.8", Levels::Autoregression { spread: 0.03, correlation: 0.8 }),
    ];
    let mut models = Vec::new();
    for (of, machine) in [("quiet", QUIET), ("busy", TYPICAL)] {
        for (name, levels) in levels {
            models.extend(HISTORIES.map(|runs| StoredModel {
                name: format!("{of}, {name}"),
                runs,
                scene: Scene { machine, levels, runs, commits: Commits::Same, change: 0.0, since: runs },
            }));
        }
    }
    models
}

/// Counts one comparison of each kind for each seed.
pub fn count_stored(model: &StoredModel, seeds: Range<u64>) -> CountedStored {
    let scene = model.scene;
    let mut counted = CountedStored::default();
    for seed in seeds {
        counted.add(CountedStored {
            comparisons: 1,
            alarms: [Commits::Same, Commits::Each].map(|commits| Scene { commits, ..scene }.called(seed, 1) as u64),
            found: [1.05f64, 1.1, 1.2]
                .map(|factor| Scene { change: factor.ln(), since: model.runs * 3 / 4, ..scene }.called(seed, 1) as u64),
            foretold: scene.foretold(seed, 1) as u64,
        });
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::{count_stored, stored_models};

    #[test]
    fn seeds_in_two_parts_count_as_in_one() {
        let model = &stored_models()[1];
        let mut parts = count_stored(model, 0..3);
        parts.add(count_stored(model, 3..6));
        assert_eq!(parts, count_stored(model, 0..6));
        assert_eq!(parts.comparisons, 6);
    }
}
