//! The engine: launches, turns and rounds.
//!
//! A group's variants are measured together. Each launch is a fresh process for every variant, all alive at once on
//! one core. In a round each case takes a turn, and so do the scale (null and clock) and one reference kernel of each variant: in every round, or in every
//! tenth one where variants are compared. The order is random, and a process that has no turn waits in `read`. The launches of up to sixteen groups on each core take turns as
//! well. A pilot launch, which is no evidence, finds the sample size, the warm-in and what things cost. The engine reads time from its launcher, so all of it
//! runs on simulated time too.

mod budget;
mod comparing;
mod earlier;
mod forecast;
mod group;
mod heap;
mod kin;
mod lanes;
mod memory;
mod narrowing;
mod observer;
mod pilot;
mod queue;
mod reporting;
mod said;
mod schedule;
mod sharing;
mod suite;
mod taken;
mod total;
mod variant_run;

pub use budget::foreseen_ns;
pub use earlier::{EarlierLaunches, EarlierVariant, used_ns};
pub use forecast::{Forecast, HeavyStarts, ReachableWidth, TimeRange};
pub use lanes::Lanes;
pub use memory::{MEMORY_LAUNCHES, memory_calls, weigh_memory};
pub use observer::{ComparedPair, Observer, Progress, Step};
pub use schedule::{Costs, Schedule};
pub use suite::{SuiteMeasurements, measure, measure_in_lanes};
