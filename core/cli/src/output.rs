//! Reports to where they are wanted.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use tare_report::{Layout, RunView};

use crate::arguments::{ComparingArguments, Detail};
use crate::exit::Refusal;
use crate::screen;

/// The files that reports go to, opened before anything is measured: a folder that doesn't exist is told before a minute's work.
pub(crate) struct Files {
    markdown: Option<(PathBuf, File)>,
    junit: Option<(PathBuf, File)>,
}

impl Files {
    pub(crate) fn open(arguments: &ComparingArguments) -> Result<Self, Refusal> {
        let open = |option: &str, path: &Option<PathBuf>| {
            path.as_ref().map(|path| create(option, path).map(|file| (path.clone(), file))).transpose()
        };
        Ok(Self { markdown: open("--markdown", &arguments.markdown)?, junit: open("--junit", &arguments.junit)? })
    }
}

fn create(option: &str, path: &Path) -> Result<File, Refusal> {
    File::create(path).map_err(|error| {
        Refusal::usage(anyhow!("{option} {}: {error}; name a file in a folder that can be written", path.display()))
    })
}

/// Shows a run, and writes the files.
pub(crate) fn show(view: &RunView, json: bool, detail: &Detail, files: Files) -> Result<(), Refusal> {
    if json {
        screen::print(&tare_report::run_document(view, Layout::Pretty));
    } else {
        screen::print(&tare_report::run_table(view, &screen::table_options(detail)));
    }
    let write = |file: Option<(PathBuf, File)>, text: &dyn Fn() -> String| match file {
        Some((path, mut file)) => file
            .write_all(text().as_bytes())
            .map_err(|error| Refusal::failed(anyhow!("{}: the report can't be written: {error}", path.display()))),
        None => Ok(()),
    };
    write(files.markdown, &|| tare_report::markdown_summary(view))?;
    write(files.junit, &|| tare_report::junit_xml(view))
}
