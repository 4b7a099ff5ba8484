//! The files that a run's report can be written to. A new format is a module that makes text of a run, and one entry here.

use tare_results::RunView;

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
        help: "Write a page that shows the results to anybody: one file, which asks for nothing from outside",
        render: html::html_page,
    },
    Format { name: "junit", help: "Write the results as JUnit XML", render: junit::junit_xml },
    Format { name: "csv", help: "Write a row for each variant, as CSV", render: csv::csv_rows },
];
