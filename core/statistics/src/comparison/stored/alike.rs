//! Which runs of a case are of the code that was measured last.

use super::cuts::Cuts;
use super::levels::changes_of_level;
use crate::changepoint::SHORTEST_SEGMENT;
use crate::summary::Estimate;

/// Fewest runs of several commits: in fewer no change of level is looked for, so that they may be of different code.
const FEWEST_OF_SEVERAL: usize = 2 * SHORTEST_SEGMENT;

/// One run of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeOfRun {
    /// The run's time, in nanoseconds per call, with the interval that its own launches gave.
    pub time: Estimate,
    /// The commit that it measured; `None` where it isn't known.
    pub commit: Option<String>,
}

/// Of `runs`, oldest first, those of the code that the newest measured. Those before the last change of the code ([`Cuts`]) are left out, and so
/// are times that aren't above 0. Where the newest commit has `enough` runs of its own, those of all others are; of several commits there are
/// any only where there are enough for a change to be seen.
pub(super) fn of_the_same_code(runs: &[TimeOfRun], enough: usize) -> Vec<&TimeOfRun> {
    let mut alike: Vec<&TimeOfRun> =
        runs.iter().filter(|run| run.time.estimate > 0.0 && run.time.estimate.is_finite()).collect();
    let values: Vec<f64> = alike.iter().map(|run| run.time.estimate.ln()).collect();
    let commits: Vec<Option<&str>> = alike.iter().map(|run| run.commit.as_deref()).collect();
    let cuts = Cuts::of(&values, &commits, &changes_of_level(&values), &[]);
    alike.drain(..cuts.places.last().copied().unwrap_or(0));
    let Some(newest) = alike.last().and_then(|run| run.commit.clone()) else { return alike };
    let own = |run: &&TimeOfRun| run.commit.as_ref() == Some(&newest);
    if alike.iter().filter(|run| own(run)).count() >= enough || alike.len() < FEWEST_OF_SEVERAL {
        alike.retain(own);
    }
    alike
}
