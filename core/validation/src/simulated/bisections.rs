//! Searches for a commit on simulated machines, counted with the scenes of the statistics' own tests.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::stored::source;

#[path = "../../../statistics/tests/simulation/bisected.rs"]
mod bisected;

use bisected::{Said, Scene, searched};

/// A history and a machine.
#[derive(Debug, Clone, Copy)]
pub struct BisectModel(Scene);

impl fmt::Display for BisectModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Scene { commits, change, launch, version, .. } = self.0;
        let percent = |fraction: f64| 100.0 * fraction;
        write!(
            f,
            "{commits} commits, change of {:.0} %, launches {:.2} %, versions {:.1} %",
            percent(change),
            percent(launch),
            percent(version)
        )
    }
}

/// What searches said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedBisections {
    /// The commit that changed the time, another one, that there is no change, that none was confirmed.
    pub said: [u64; 4],
    /// Steps of those that found a change between the ends.
    pub steps: u64,
}

impl CountedBisections {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: Self) {
        self.said.iter_mut().zip(other.said).for_each(|(all, more)| *all += more);
        self.steps += other.steps;
    }

    /// Searches that went beyond the comparison of the ends.
    pub fn searched(&self) -> u64 {
        self.said[Said::Right as usize] + self.said[Said::Wrong as usize] + self.said[Said::Unconfirmed as usize]
    }
}

impl fmt::Display for CountedBisections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [right, wrong, no_change, unconfirmed] = self.said;
        write!(
            f,
            "right {right}, wrong {wrong}, no change {no_change}, unconfirmed {unconfirmed}, steps {}",
            self.steps
        )
    }
}

/// Changes of 1 to 5 %, one for the better, and none; versions that differ by where their code lies.
pub fn bisect_models() -> Vec<BisectModel> {
    let scene = |commits, change, launch, version| BisectModel(Scene { commits, change, launch, version, burst: 0.02 });
    let mut models: Vec<BisectModel> =
        [0.01, 0.02, 0.03, 0.05, -0.03].map(|change: f64| scene(128, change, change.abs() / 3.0, 0.001)).to_vec();
    models.extend([scene(64, 0.03, 0.01, 0.001), scene(128, 0.03, 0.01, 0.005)]);
    models.extend([0.0, 0.002, 0.005].map(|version| scene(128, 0.0, 0.01, version)));
    models
}

/// Counts a search for each seed.
pub fn count_bisections(model: &BisectModel, seeds: Range<u64>) -> CountedBisections {
    let mut counted = CountedBisections::default();
    for seed in seeds {
        let (said, steps) = searched(model.0, seed);
        counted.said[said as usize] += 1;
        counted.steps += steps as u64;
    }
    counted
}
