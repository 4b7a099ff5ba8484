//! The file of the commands that `tare exec` measures.

use std::path::PathBuf;

use crate::error::Error;

/// Keeps it in the cache, where a resumed run finds it.
///
/// # Errors
/// The cache can't be written.
pub fn keep_commands(content: &[u8]) -> Result<PathBuf, Error> {
    tare_worker::keep_commands(content).map_err(|error| {
        Error::failed(format!("the commands can't be written to the cache: {error}; set XDG_CACHE_HOME"))
    })
}
