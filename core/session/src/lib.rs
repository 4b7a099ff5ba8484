//! From what is asked for to results: listing, planning, measuring, judging.
//!
//! A [`Session`] tells its [`Listener`] what happens; nothing here prints, formats or ends the process.

mod error;
mod event;
mod failures;
mod job;
mod judging;
mod list;
mod listing;
mod load;
mod measuring;
mod planning;
mod prepare;
mod project;
mod run;
mod session;
mod summaries;

pub use error::{Error, Kind};
pub use event::{Event, Listener, MeasuringStep, PreparationStep, Silence};
pub use failures::describe;
pub use job::{Job, STARTUP, begin};
pub use judging::addresses::finding as addresses_finding;
pub use judging::fitness::{of_runtime, of_the_machine};
pub use judging::gate::{Concluded, Ending};
pub use judging::next_run::add as add_next_run;
pub use judging::runs::{log_row, of_run};
pub use judging::stored::{StoredRequest, compare_stored};
pub use listing::enumerate::{Found, enumerate, runtime_of};
pub use load::asked::{HttpLoad, LoadEnd, LoadRan, WorkersLoad};
pub use load::gate::LoadGate;
pub use measuring::instructions::STARTUP as STARTUP_UNDER_VALGRIND;
pub use measuring::resume::resume;
pub use planning::plan::Given;
pub use prepare::build::build;
pub use prepare::lock::take as take_machine;
pub use prepare::placement::{launcher_for_a_look, place_workers};
pub use prepare::sides::{Sides, check_out, preparation};
pub use project::open_store;
pub use run::{End, Ran, Wanted, failed_run, run};
pub use session::Session;
