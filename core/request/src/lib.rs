//! What is asked of Tare, as plain values: options, and the request that they make with what the project's files say.
//!
//! Nothing here knows a command line, starts a process or measures.

mod again;
mod error;
mod options;
mod part;
mod request;
mod runtimes;
mod side;
mod sources;
pub mod values;

pub use again::{again, profiled_again};
pub use error::RequestError;
pub use options::{Comparing, ITERATIONS_ARE_CALLS, LaneCount, Measuring, MemoryMode, Selection};
pub use part::{Part, Shard};
pub use request::{Request, threshold_taken};
pub use runtimes::commands;
pub use side::{Preparation, Side};
pub use sources::{Sources, relative, text};
pub use values::as_percentage;
