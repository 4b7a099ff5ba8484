//! From definitions to ordered, seeded steps. Pure: no clock, no I/O; the same seed gives the same plan.

mod across;
mod base;
mod group;
mod layouts;
pub mod links;
pub mod matching;
mod order;
mod settings;
mod split;

pub use across::{Same, across_languages};
pub use base::{BaseError, BasePattern, BaseRule, pair_cases};
pub use group::{
    Enumerated, FoundCase, Group, MachineCode, Pair, Planned, Startup, groups, is_control, together, with_controls,
};
pub use layouts::Layouts;
pub use order::{launch_address, launch_seed, round_order, turn_iterations, unit, varied_samples};
pub use settings::{Precedent, Settings};
pub use split::split;
