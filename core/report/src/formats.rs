//! The files that a run's report can be written to. A new format is a module that makes text of a run, and one entry here.

use tare_results::RunView;

use crate::json::{Layout, run_document};
use crate::{csv, html, junit, markdown};

/// A file that a run's report can be written to.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// What it is asked for by: the option without its dashes.
    pub name: &'static str,
    /// What the option does, in a line.
    pub help: &'static str,
    /// The whole file.
    pub render: fn(&RunView) -> String,
}

/// All of them.
pub const FORMATS: &[Format] = &[
    Format {
        name: "markdown",
        help: "Write a summary for a pull request, in Markdown",
        render: markdown::markdown_summary,
    },
    Format {
        name: "html",
        help: "Write a page with the results: one HTML file that loads nothing from elsewhere",
        render: html::html_page,
    },
    Format { name: "junit", help: "Write the results as JUnit XML", render: junit::junit_xml },
    Format { name: "csv", help: "Write a row for each variant, as CSV", render: csv::csv_rows },
];

/// Names of the reports that `tare export` writes too, beside the formats of other tools.
pub const REPORTS_TO_EXPORT: [&str; 3] = ["json", "csv", "markdown"];

/// A run in one of those formats; `None` of any other.
pub fn exported(format: &str, view: &RunView) -> Option<String> {
    if format == "json" {
        return Some(run_document(view, Layout::Pretty));
    }
    let known = FORMATS.iter().find(|known| known.name == format && REPORTS_TO_EXPORT.contains(&format))?;
    Some((known.render)(view))
}
