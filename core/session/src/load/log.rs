//! The histogram log that `--hdr` asks for.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::SystemTime;

use tare_load::log::{Logged, write};

use crate::error::Error;
use crate::session::Session;

/// Opens it before anything is measured: a folder that isn't there is told at once.
pub(crate) fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| {
        Error::usage(format!("--hdr {}: {error}; name a file in a folder that can be written", path.display()))
    })
}

/// Writes the log that `--hdr` asked for. Whether it is whole: if it isn't that is told, and the report can still be had.
pub(crate) fn keep(path: &Path, file: File, started: SystemTime, logged: &[Logged<'_>], session: &Session<'_>) -> bool {
    let written = write(&mut BufWriter::new(file), started, logged);
    if let Err(error) = &written {
        session.notice(format!("--hdr {}: {error}; name a file where there is room", path.display()));
    }
    written.is_ok()
}
