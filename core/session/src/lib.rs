//! From what is asked for to results: listing, planning, measuring, judging.
//!
//! A [`Session`] tells its [`Listener`] what happens; nothing here prints, formats or ends the process.

mod clocks;
mod compare;
mod doctor;
mod error;
mod event;
mod event_log;
mod exchange;
mod failures;
mod interruption;
mod job;
mod judging;
mod list;
mod listing;
mod load;
mod measuring;
mod planning;
mod prepare;
mod profile;
mod project;
mod run;
mod session;
mod summaries;
mod tuning;

pub use clocks::{ClocksRequest, serve_clocks};
pub use compare::{Compared, Revisions, compared, differs_by_revision};
pub use doctor::{DoctorRequest, doctor_of_machine};
pub use error::{Error, Kind};
pub use event::{Event, Listener, MeasuringStep, PreparationStep, Silence};
pub use event_log::EventLog;
pub use exchange::{EXPORT_FORMATS, ImportOutcome, ImportRequest, exported, import};
pub use failures::{describe, no_cases};
pub use interruption::{counted_signals, stop_flag, survive_file_limit};
pub use job::{Job, begin};
pub use judging::fitness::of_runtime;
pub use judging::gate::{Concluded, Ending};
pub use judging::reports::{is_spoilt, stored_log, stored_report};
pub use judging::stored::{StoredRequest, compare_stored};
pub use listing::enumerate::Found;
pub use load::apart::compare_stored_loads;
pub use load::asked::{HttpLoad, Judged, LoadEnd, LoadRan, Paced, Sending, WorkersLoad};
pub use load::gate::LoadGate;
pub use load::keep::Keep;
pub use load::log::logged_load;
pub use load::shown::{Shown, stored_shown};
pub use load::values::{Rates, parse_arrivals, parse_rate, parse_time, parse_time_or_none};
pub use measuring::resume::resume;
pub use planning::plan::Given;
pub use prepare::sides::{Sides, preparation};
pub use profile::ProfileRequest;
pub use project::{hide_password_of_store, open_store, spool_folder, store_in_environment, store_place};
pub use run::{End, Ran, Wanted, failed_run, run};
pub use session::Session;
pub use tuning::{Signals, TuneEnd, TuneRequest, Tuned, Tuning};
