//! Reports and pictures to the files and folders that were asked for.

mod options;
mod pictures;
mod target;

use std::path::Path;

pub use options::{Place, ReportFiles};
pub use pictures::{Kind, write_pictures};
use tare_report::Format;
use tare_results::RunView;
pub use target::Target;

/// What kept a file from being written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It can't be opened: what was asked for can't be.
    #[error("--{option} {path}: {reason}; name a {what} that can be written")]
    Asked {
        /// The option without its dashes.
        option: &'static str,
        /// What it named.
        path: String,
        /// What the system says.
        reason: String,
        /// `file in a folder`, `folder`.
        what: &'static str,
    },
    /// `-`, which other programs take for standard output.
    #[error(
        "--{option} -: Tare writes the results to standard output; name a file{}, or ./- for a file named -",
        instead(option)
    )]
    Dash {
        /// The option without its dashes.
        option: &'static str,
    },
    /// It was opened, and then couldn't be written.
    #[error("{path}: can't write the report: {reason}; repair that, then `tare report` writes it from the stored run")]
    Unwritten {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// More than one wasn't written.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<Error>),
}

impl Error {
    /// Whether another command line would do.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Asked { .. } | Self::Dash { .. })
    }

    /// What is to be said where `-` is named; `None` of any other name.
    fn of_dash(option: &'static str, path: &Path) -> Option<Self> {
        (path == Path::new("-")).then_some(Self::Dash { option })
    }
}

/// Who writes this format to standard output.
fn instead(option: &str) -> String {
    let exported = tare_report::REPORTS_TO_EXPORT.contains(&option);
    if exported { format!(", or let `tare export RUN --format {option}` write to it") } else { String::new() }
}

/// The files that reports go to, opened before anything is measured: a folder that doesn't exist is told before a minute's work. What is in them
/// stays until there is something to write.
pub struct Files(Vec<(&'static Format, Target)>);

impl Files {
    /// Opens them.
    ///
    /// # Errors
    ///
    /// One that can't be opened for writing.
    pub fn open<'a>(asked: impl Iterator<Item = (&'static Format, &'a Path, Place)>) -> Result<Self, Error> {
        let open = |(format, path, place): (&'static Format, &Path, Place)| {
            Target::open(format.name, path).map(|target| (format, target.at(place)))
        };
        asked.map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Writes what is asked for, once. One that can't be written keeps none of the others from it.
    ///
    /// # Errors
    ///
    /// Where the system says that some weren't written.
    pub fn write(&mut self, view: &RunView) -> Result<(), Error> {
        let written = self.0.drain(..).map(|(format, target)| target.write((format.render)(view)));
        let mut failed: Vec<Error> = written.filter_map(Result::err).collect();
        match failed.len() {
            0 => Ok(()),
            1 => Err(failed.remove(0)),
            _ => Err(Error::Several(failed)),
        }
    }
}
