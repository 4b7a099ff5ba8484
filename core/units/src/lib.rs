//! Units of interpreted code (Python, PHP): whether a case executes, or could execute in another call, a unit that differs between two
//! revisions. Pure: the caller runs the extraction (`sdk/python/units.py`, `sdk/php/units.php`) and the look, and gives what they said.
//!
//! A *unit* is a function, a method, the body of a class or of a module, or a constant of a module. `decide` answers `Same` only where no unit
//! that differs was executed in the look, and none can be reached by names from what was. What "by names" means, and against what it holds, is
//! said by the decision record on units.

mod decision;
mod family;
mod index;
mod listed;
mod loads;
mod origin;
mod reach;
mod recording;
mod unit;
mod vocabulary;
mod words;

pub use decision::{Begins, CaseRan, Decision, Question, Reach, decide};
pub use loads::{Mentioned, mentions_any, tokens};
pub use origin::{Origin, Places};
pub use recording::{Call, Recording, RecordingError};
pub use unit::{Extraction, ExtractionError, Flag, Kind, Language, Source, Unit, Units, read};
pub use words::Words;
