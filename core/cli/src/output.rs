//! Reports to where they are wanted.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use tare_report::{Format, Layout};
use tare_results::RunView;
use tare_samples::Origin;

use crate::arguments::Detail;
use crate::arguments::ReportFiles;
use crate::exit::{Refusal, Status};
use crate::screen;

/// The files that reports go to, opened before anything is measured: a folder that doesn't exist is told before a minute's work. What
/// is in them stays until there is something to write.
pub(crate) struct Files(Vec<(&'static Format, Target)>);

/// A file to be written.
struct Target {
    path: PathBuf,
    file: File,
    /// It wasn't there, and nothing is in it yet.
    empty: bool,
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.empty {
            // A reader takes an empty one for a broken report. One that can't be removed stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Files {
    pub(crate) fn open(asked: &ReportFiles) -> Result<Self, Refusal> {
        let open = |(format, path): (&'static Format, &Path)| Ok((format, Target::open(format.name, path)?));
        asked.all().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes what is asked for, once.
    pub(crate) fn write(&mut self, view: &RunView) -> Result<(), Refusal> {
        self.0.drain(..).try_for_each(|(format, target)| target.write(&(format.render)(view)))
    }

    /// Says in them why a run ended before it was measured, where that was a failure and nothing was written yet. Wrong usage leaves no
    /// report.
    pub(crate) fn refused(&mut self, refusal: &Refusal, origin: &Origin) {
        if refusal.status != Status::Failed {
            return;
        }
        let view = tare_session::failed_run(origin.clone(), format!("{:#}", refusal.cause));
        if let Err(unwritten) = self.write(&view) {
            screen::complain(&format!("{:#}", unwritten.cause));
        }
    }
}

impl Target {
    fn open(option: &str, path: &Path) -> Result<Self, Refusal> {
        let new = !path.exists();
        let file =
            tare_files::create_output(path, OpenOptions::new().create(true).truncate(false)).map_err(|error| {
                Refusal::usage(anyhow!(
                    "--{option} {}: {error}; name a file in a folder that can be written",
                    path.display()
                ))
            })?;
        Ok(Self { path: path.to_owned(), file, empty: new })
    }

    fn write(mut self, text: &str) -> Result<(), Refusal> {
        self.empty = false;
        // A pipe has no length.
        let cut = match self.file.metadata() {
            Ok(metadata) if metadata.is_file() => self.file.set_len(0),
            _ => Ok(()),
        };
        cut.and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|error| Refusal::failed(anyhow!("{}: the report can't be written: {error}", self.path.display())))
    }
}

/// Shows a run, and writes the files.
pub(crate) fn show(view: &RunView, json: bool, detail: &Detail, files: &mut Files) -> Result<(), Refusal> {
    if json {
        screen::print(&tare_report::run_document(view, Layout::Pretty));
    } else {
        screen::print(&tare_report::run_table(view, &screen::table_options(detail)));
    }
    files.write(view)
}
