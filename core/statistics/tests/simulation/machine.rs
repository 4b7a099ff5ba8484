//! A machine whose speed moves between runs, each kind of work by its own share, and whose level may come back.

use tare_statistics::comparison::{LaunchPoint, RunPoints};

use super::source::Source;

/// Reference kernels, and by how much each varies from run to run (coefficient of variation): measured were 9 to
/// 17 %.
const KERNELS: [(&str, f64); 4] = [("null", 0.12), ("arithmetic", 0.09), ("allocation", 0.16), ("text", 0.17)];

/// Share of the movement that all kinds of work have in common (its variance: 0.72).
const COMMON: f64 = 0.85;

/// What is measured, and on what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    /// How much of each kernel's movement the case makes.
    pub(crate) mix: [f64; 4],
    /// Scatter of the case's own, between runs.
    pub(crate) own: f64,
    /// Scatter of a launch within its run: of the case, and a third of it of each kernel.
    pub(crate) within: f64,
    pub(crate) launches: usize,
    /// How much of the movement above takes place: 1 as measured.
    pub(crate) moves: f64,
}

/// Half text, some allocation, some arithmetic.
pub(crate) const TYPICAL: Machine =
    Machine { mix: [0.0, 0.3, 0.2, 0.5], own: 0.015, within: 0.006, launches: 6, moves: 1.0 };

/// A machine of one's own: kernels that hardly move, and equal parts of them in the case.
pub(crate) const QUIET: Machine = Machine { mix: [0.25; 4], own: 0.005, within: 0.004, launches: 6, moves: 0.2 };

/// What the case does from run to run beside its kernels, where runs don't stand for themselves: on the logarithmic scale.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Levels {
    /// Nothing.
    One,
    /// Two states (hosts of a class) so far apart. Each run changes the state with a probability of 1/`dwell`.
    Two { apart: f64, dwell: f64 },
    /// A steady rise by so much a run.
    Drift { a_run: f64 },
    /// A stationary first-order autoregression of this standard deviation.
    Autoregression { spread: f64, correlation: f64 },
}

impl Levels {
    /// The level at each of `runs` successive runs.
    pub(crate) fn draw(self, source: &mut Source, runs: usize) -> Vec<f64> {
        match self {
            Self::One => vec![0.0; runs],
            Self::Two { apart, dwell } => {
                let mut second = source.uniform() < 0.5;
                source.draw(runs, |source| {
                    second ^= source.uniform() < 1.0 / dwell;
                    if second { apart } else { 0.0 }
                })
            }
            Self::Drift { a_run } => (0..runs).map(|run| a_run * run as f64).collect(),
            Self::Autoregression { spread, correlation } => {
                source.autoregression(runs, correlation).iter().map(|level| spread * level).collect()
            }
        }
    }
}

impl Machine {
    /// One run of code that takes e^`level` µs.
    pub(crate) fn run(&self, source: &mut Source, level: f64) -> RunPoints {
        let common = source.gaussian();
        let speed = KERNELS.map(|(_, spread)| {
            self.moves * spread * (COMMON * common + (1.0 - COMMON * COMMON).sqrt() * source.gaussian())
        });
        let own = self.own * source.gaussian();
        let launches = (0..self.launches)
            .map(|_| {
                // Within a run the machine moves by a tenth of what it does between runs.
                let now = speed.map(|speed| speed + 0.1 * self.moves * 0.12 * source.gaussian());
                let moved: f64 = now.iter().zip(&self.mix).map(|(speed, share)| speed * share).sum();
                let time = 1000.0 * (level + moved + own + self.within * source.gaussian()).exp();
                let kernels = KERNELS
                    .iter()
                    .zip(now)
                    .map(|((name, _), speed)| {
                        ((*name).to_owned(), 100.0 * (speed + self.within / 3.0 * source.gaussian()).exp())
                    })
                    .collect();
                LaunchPoint { time, typical: time, kernels }
            })
            .collect();
        RunPoints { launches, commit: None }
    }

    /// Runs of code whose level at each is given.
    pub(crate) fn history(&self, source: &mut Source, runs: usize, level: impl Fn(usize) -> f64) -> Vec<RunPoints> {
        (0..runs).map(|run| self.run(source, level(run))).collect()
    }
}
