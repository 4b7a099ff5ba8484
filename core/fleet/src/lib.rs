//! More than one machine, beside the program: runs go from store to store, parts of a suite become one run.
//!
//! Options are defined here, where their text and what they do stand together; the program parses them, calls, and shows what comes back.

mod agent;
mod fleet_arguments;
mod job;
mod keeping;
mod slurm;
mod store_arguments;
mod stores;
mod submit;
mod watch;

pub use agent::agent;
pub use fleet_arguments::{AgentArguments, FleetArguments, FleetCommand, OnArguments, Scheduler};
pub use job::Job;
pub use store_arguments::{StoreArguments, StoreCommand};
pub use stores::{Told, store};
pub use submit::{Submission, submit};
pub use watch::{Watched, attach, watch};
