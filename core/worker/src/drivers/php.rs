//! PHP: the interpreter runs the embedded worker.

use std::path::Path;

use tare_samples::{Failure, RuntimeCommand};

use super::{Ready, not_unpacked, text};
use crate::unpack_php;

pub(crate) fn ready(runtime: &RuntimeCommand, source: &Path) -> Result<Ready, Failure> {
    let entry = unpack_php().map_err(|error| not_unpacked(&error))?;
    let mut start = runtime.clone();
    start.command.push(text(&entry));
    Ok(Ready { start, files: vec![text(source)], notices: Vec::new() })
}
