//! Other tools' files, in and out.
//!
//! [`IMPORTS`] are the formats that are read: each makes a [`Reading`] of a file, and [`made`] what a store keeps of it. [`EXPORTS`] are
//! those that a stored run is written in. Files are hostile: their size, depth, names and figures have limits, and what is no time is
//! refused. What a file doesn't tell stays unknown (docs/decisions/0055).
//!
//! The crate takes bytes and gives values, or the other way round: it opens nothing and prints nothing.

mod export;
mod fault;
mod import;
mod json;
mod lenient;
mod limits;
mod making;
mod quotes;
mod reading;
mod when;
mod xml;

pub use export::{EXPORTS, Export, Exported, ExportedVariant, Written};
pub use fault::{Fault, Position};
pub use import::{IMPORTS, Import};
pub use limits::LARGEST_FILE;
pub use making::{CALLS_UNTOLD, ImportedCase, made, samples_of, together};
pub use reading::{CaseRead, Reading, Sample, Source};
pub use when::rfc3339;
