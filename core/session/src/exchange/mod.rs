//! Other tools' files: from a file to a stored run, and from a stored run to a file.

mod export;
mod folders;
mod import;

pub use export::{EXPORT_FORMATS, exported};
pub use import::{ImportOutcome, ImportReport, ImportRequest, import, import_formats};
