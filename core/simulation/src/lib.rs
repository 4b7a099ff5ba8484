//! A worker with a clock of its own: it draws samples from a stated truth, so that coverage, false alarms and power can
//! be counted without a stopwatch.
//!
//! [`Simulated`] answers the protocol. It is served in memory by [`SimulatedLauncher`], thousands of runs a second, and
//! as a real process by the `tare-simulated-worker` binary.

mod bursts;
mod expected;
mod launcher;
mod noise;
mod subject;
mod succession;
mod tails;
mod truth;
mod worker;

pub use bursts::Bursts;
pub use launcher::SimulatedLauncher;
pub use noise::{Noise, NoiseProcess};
pub use succession::Levels;
pub use tails::Tail;
pub use truth::{CaseTruth, Scale, Truth, TruthError};
pub use worker::Simulated;
