//! What each clock of each runtime costs and resolves, and what waiting really takes.

mod look;
mod measure;
mod native;
mod probe;
mod runtimes;

pub use look::ClocksRequest;
pub(crate) use look::by_hand;
pub use native::serve_clocks;
