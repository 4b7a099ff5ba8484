use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::Error;

/// A file to be written.
pub struct Target {
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

impl Target {
    /// Opens what `--option` names.
    ///
    /// # Errors
    ///
    /// Where that can't be written.
    pub fn open(option: &'static str, path: &Path) -> Result<Self, Error> {
        if let Some(error) = Error::of_dash(option, path) {
            return Err(error);
        }
        let new = !path.exists();
        let file =
            tare_files::create_output(path, OpenOptions::new().create(true).truncate(false)).map_err(|error| {
                let reason = error.to_string();
                Error::Asked { option, path: path.display().to_string(), reason, what: "file in a folder" }
            })?;
        Ok(Self { path: path.to_owned(), file, empty: new })
    }

    /// Writes it.
    ///
    /// # Errors
    ///
    /// Where the system says that it wasn't written.
    pub fn write(mut self, text: &str) -> Result<(), Error> {
        self.empty = false;
        // A pipe has no length.
        let cut = match self.file.metadata() {
            Ok(metadata) if metadata.is_file() => self.file.set_len(0),
            _ => Ok(()),
        };
        cut.and_then(|()| self.file.write_all(text.as_bytes()))
            .map_err(|error| Error::Unwritten { path: self.path.display().to_string(), reason: error.to_string() })
    }
}
