//! Comparisons of stored runs on machines whose level comes back, and what their next run reads: counted against what is known to be true.
//!
//! `make validate` counts the same in large (`tare-validation`).

use tare_statistics::Estimate;
use tare_statistics::comparison::{Rule, RunPoints, TimeOfRun, compare_stored, next_run};

use super::machine::{Levels, Machine};
use super::source::Source;

/// When the commit of successive runs changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Commits {
    /// Never, but where the code does.
    Same,
    /// With each run.
    Each,
}

/// A history, and a run after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) machine: Machine,
    pub(crate) levels: Levels,
    pub(crate) runs: usize,
    pub(crate) commits: Commits,
    /// The candidate takes e^`change` times as long as the base.
    pub(crate) change: f64,
    /// From that run on; the candidate's own where it's as large as `runs`.
    pub(crate) since: usize,
}

impl Scene {
    fn commit(&self, run: usize) -> String {
        let beside = match self.commits {
            Commits::Same => 0,
            Commits::Each => run,
        };
        format!("{beside}-{}", self.change != 0.0 && run >= self.since)
    }

    /// Whether the newest run is called different from one of those before the change, chosen at random.
    pub(crate) fn is_called(&self, source: &mut Source) -> bool {
        let levels = self.levels.draw(source, self.runs + 1);
        let history: Vec<RunPoints> = (0..=self.runs)
            .map(|run| {
                let changed = if run >= self.since { self.change } else { 0.0 };
                self.machine.run(source, levels[run] + changed).at_commit(Some(self.commit(run)))
            })
            .collect();
        let base = (source.uniform() * self.since.min(self.runs) as f64) as usize;
        let found = compare_stored(&history[base], &history[self.runs], &history, &Rule::default(), 1);
        found.verdict.is_difference()
    }

    /// How many of so many comparisons are called different.
    pub(crate) fn called(&self, seed: u64, comparisons: usize) -> usize {
        let mut source = Source::new(seed);
        (0..comparisons).filter(|_| self.is_called(&mut source)).count()
    }

    /// Whether the run after the history reads what was said after it. The machine's speed doesn't move: only the case's own scatter and
    /// its levels.
    pub(crate) fn is_foretold(&self, source: &mut Source) -> bool {
        let levels = self.levels.draw(source, self.runs + 1);
        let times: Vec<f64> =
            levels.iter().map(|level| 1000.0 * (level + self.machine.own * source.gaussian()).exp()).collect();
        let (next, history) = times.split_last().expect("a run");
        let points: Vec<TimeOfRun> = history
            .iter()
            .enumerate()
            .map(|(run, &time)| TimeOfRun { time: Estimate::unbounded(time), commit: Some(self.commit(run)) })
            .collect();
        next_run(&points).is_some_and(|found| (found.low..=found.high).contains(next))
    }

    /// How many of so many next runs are.
    pub(crate) fn foretold(&self, seed: u64, runs: usize) -> usize {
        let mut source = Source::new(seed);
        (0..runs).filter(|_| self.is_foretold(&mut source)).count()
    }
}
