//! PHP: the interpreter runs the embedded worker.

use std::path::Path;

use tare_samples::{Failure, RuntimeCommand};

use super::{Driver, Ready, not_unpacked, text};
use crate::embedded::unpack_php;

/// PHP.
pub(super) struct Php;

impl Driver for Php {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, source)
    }
}

fn ready(runtime: &RuntimeCommand, source: &Path) -> Result<Ready, Failure> {
    let entry = unpack_php().map_err(|error| not_unpacked(&error))?;
    let mut start = runtime.clone();
    start.command.push(text(&entry));
    Ok(Ready { start, files: vec![text(source)], notices: Vec::new() })
}
