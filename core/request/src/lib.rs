//! The request that options make with what the project's files say.
//!
//! Nothing here knows a command line, starts a process or measures.

mod again;
mod bisect;
mod error;
mod part;
mod request;
mod runtimes;
mod side;
mod sources;

pub use again::{again, profiled_again};
pub use bisect::{BisectRequest, CaseWanted};
pub use error::RequestError;
pub use part::Part;
pub use request::{Request, TypedOptions};
pub use runtimes::commands;
pub use side::{Preparation, Side};
pub use sources::{Sources, relative, text};
