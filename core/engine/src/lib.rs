//! The engine: launches, turns and rounds.
//!
//! A group's variants are measured together. Each launch is a fresh process for every variant, all alive at once on
//! one core; a round lets each subject of each variant take a turn, in random order; the others block in `read`. The
//! launches of all groups take turns as well. A pilot launch, which is no evidence, finds the sample size, the warm-in and what things cost. The engine reads time
//! from its launcher, so all of it runs on simulated time too.

mod comparing;
mod group;
mod heap;
mod lanes;
mod memory;
mod neighbours;
mod observer;
mod overrun;
mod pilot;
mod queue;
mod reporting;
mod schedule;
mod suite;
mod taken;
mod total;
mod variant_run;

pub use lanes::Lanes;
pub use memory::{MEMORY_LAUNCHES, memory_calls, weigh_memory};
pub use neighbours::scatter;
pub use observer::{Compared, Observer, Progress, Step};
pub use overrun::Overrun;
pub use schedule::{Costs, Schedule};
pub use suite::{Made, Measured, measure, measure_in_lanes};
