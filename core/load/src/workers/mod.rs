//! Operations of a benchmark, done by worker processes: each worker is a process, and a thread here that talks to it.
//!
//! All connect first. Then a block begins at one moment for all of its workers, told to each by its own clock; they work without a word from here, and
//! send what ended slice by slice.

mod actor;
mod clock;
mod mix;
mod order;
mod plan;
mod team;
mod window;

pub use actor::{Launch, WorkerId};
pub use mix::{Gaps, pattern};
pub use plan::{
    Fallen, Outcome, Progress, Stage, Target, TargetMeasurement, TeamError, TeamPlan, WeightedOperation, WorkerMemory,
};
pub use team::run;
pub use window::Turn;

#[cfg(test)]
mod tests;
