//! Options of commands as they are typed, beside the program: of loads, of the machine, of workers, of stores and clusters. What each means stands once, in its help.
#![allow(
    missing_docs,
    reason = "the help of an option is its documentation, and what is flattened has none of its own"
)]

mod fleet;
mod load;
mod machine;
mod stores;
mod workers;

pub use fleet::{AgentArguments, FleetArguments, FleetCommand, OnArguments, Scheduler};
pub use load::{
    HdrArguments, HttpArguments, JudgedArguments, LoadArguments, LoadKind, PacedArguments, ResumeArguments,
    SendingArguments, ToldArguments, WorkersArguments,
};
pub use machine::{ClockArguments, DoctorArguments, TuneArguments};
pub use stores::{StoreArguments, StoreCommand};
pub use workers::{ConformanceArguments, SdkArguments, SdkLanguage};
