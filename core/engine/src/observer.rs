//! The observer of a measurement, and the values that it is given.

use tare_plan::Pair;
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_statistics::comparison::Comparison;

use crate::forecast::{Forecast, TimeRange};

/// What was found of a pair.
#[derive(Debug, Clone)]
pub struct ComparedPair {
    /// Position of its group.
    pub group: usize,
    /// Its variants, as positions in the group.
    pub pair: Pair,
    /// What was found.
    pub comparison: Comparison,
}

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The pilot launch of a group.
    Pilot,
    /// A fresh launch of what looks different.
    Again {
        /// Its number, from 1.
        number: u32,
        /// How many the group is planned to have.
        of: u32,
    },
    /// A launch that counts.
    Launch {
        /// Its number, from 1.
        number: u32,
        /// How many the group is planned to have.
        of: u32,
    },
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The group whose turn it is.
    pub group: usize,
    /// The lane that has it.
    pub lane: usize,
    /// What it does.
    pub step: Step,
    /// Share of the whole run that is done, from 0 to 1.
    pub share: f64,
    /// Estimated time left, in nanoseconds, by the forecast that the observer hears of; `None` before it has heard of one.
    pub left_ns: Option<f64>,
    /// By the same forecast.
    pub left_range_ns: Option<TimeRange>,
}

/// Hears what happens while a run is measured. It is called between launches and rounds, and never during a turn of the lane whose news it is.
pub trait Observer {
    /// A variant was calibrated.
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration);

    /// The launches of one number of a group's variants were made: what is to survive a kill must be kept before this
    /// returns, all of it or nothing. Told while the processes of the next launch are starting, before their first turn.
    fn launched(&mut self, launches: &[(&Variant, &Launch)]);

    /// Nothing more is measured of a variant.
    fn ended(&mut self, variant: &Variant, outcome: &Outcome);

    /// Something in a group looks different. It is measured a second time: when all else is done, or at once under one
    /// budget for the whole suite.
    fn flagged(&mut self, _comparisons: &[ComparedPair]) {}

    /// All of a group is measured. A difference that is reported here stays reported at the end, where all of the suite is known; an undecided
    /// pair may still become one. An observer that takes the launches out of the measurements keeps memory from filling up until the end of
    /// the run.
    fn measured(&mut self, _group: usize, _measurements: &mut [Measurement], _comparisons: &[ComparedPair]) {}

    /// How long all of it will take: a guess before the first pilot, or, where only launches tell, what the first ones
    /// say; and once more where that was wrong.
    fn forecast(&mut self, _forecast: &Forecast) {}

    /// A launch, or a pilot, begins.
    fn progress(&mut self, progress: &Progress);

    /// The user wants to stop.
    fn interrupted(&self) -> bool;
}
