//! What comes of a run.

use tare_results::RunView;

use crate::error::{Error, Kind};
use crate::judging::gate::Concluded;

/// The result of a run. What was measured is in the view, however the run ended.
#[derive(Debug)]
pub struct Ran {
    /// Everything that a report shows.
    pub view: RunView,
    /// How it ended.
    pub end: End,
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// All was measured.
    Judged(Concluded),
    /// All was measured that could be; a benchmark, a launch or the store failed.
    Failed,
    /// Somebody stopped it.
    Interrupted,
    /// The time of `--total` was over before a benchmark had what a figure needs.
    NothingMeasured,
    /// It couldn't be compared with the stored run.
    NotCompared(Error),
    /// A side of the comparison couldn't be loaded, so that no case has a partner; whose fault that is.
    NothingCompared(Option<Kind>),
    /// No case was found; whose fault that is, `None` where nothing failed.
    NothingFound {
        /// Whose fault it is.
        blame: Option<Kind>,
        /// Some cases were asked for, not all.
        filtered: bool,
    },
}
