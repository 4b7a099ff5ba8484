//! Documents for programs: `tare.run`, `tare.list`, `tare.log`, `tare.doctor`, each with its `format` and `version`.
//!
//! A figure that doesn't exist is left out; it is never a made-up 0, and `null` only where the contract says so: the
//! ratio and the minimum detectable effect of a comparison. Names, messages and captured
//! output go in as they are: JSON escapes whatever a reader could stumble over, and so is what a terminal would act on.

mod bisect;
mod clocks;
mod comparison;
mod doctor;
mod list;
mod load;
mod log;
mod noise;
mod parts;
mod profile;
mod reasons;
mod run;

use serde_json::Value;

pub use bisect::bisect_document;
pub use clocks::clocks_document;
pub use doctor::doctor_document;
pub use list::list_document;
pub use load::load_document;
pub use log::log_document;
pub use profile::profile_document;
pub use reasons::reasons_document;
pub use run::run_document;

/// Version of the documents; it changes when a reader of the old one would misread the new.
const VERSION: u32 = 1;
/// Of `tare.run`: since 2 `time` and `raw` are means.
const RUN_VERSION: u32 = 3;

/// How a document is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Indented, a member a line.
    Pretty,
    /// On one line.
    Compact,
}

impl Layout {
    fn text(self, document: &Value) -> String {
        let text = match self {
            Self::Pretty => format!("{document:#}"),
            Self::Compact => document.to_string(),
        };
        tare_results::escaped_json(&text) + "\n"
    }
}
