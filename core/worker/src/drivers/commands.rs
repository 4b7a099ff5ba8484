//! Whole commands: the program itself is their worker, by a command that no help shows.

use std::path::Path;

use tare_samples::{Failure, FailureKind, RuntimeCommand};

use super::{Driver, Ready, text};

/// The command of the program that is the worker.
const COMMANDS_WORKER: &str = "worker-of-commands";

/// Whole commands.
pub(super) struct Commands;

impl Driver for Commands {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            let message = format!("Tare's own program can't be found, and it starts the commands: {error}");
            Failure::new(FailureKind::Runtime, message, "mount /proc, where it is looked for")
        })?;
        let command = vec![text(&program), COMMANDS_WORKER.to_owned()];
        let start = RuntimeCommand { command, ..runtime.clone() };
        Ok(Ready { start, files: vec![text(source)], notices: Vec::new() })
    }
}
