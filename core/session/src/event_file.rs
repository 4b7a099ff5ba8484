//! What happens in a run, line by line in a file that others can follow.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::event::{Event, Listener};

/// Writes each event as a line of JSON, and passes it on. It is written between turns, as all is that is told.
pub(crate) struct EventFile<'a> {
    file: RefCell<Option<File>>,
    next: &'a dyn Listener,
}

impl<'a> EventFile<'a> {
    /// Appends to the file, so that whoever follows it sees one run after the other.
    pub(crate) fn open(path: &Path, next: &'a dyn Listener) -> Result<Self, Error> {
        let file = tare_files::create_output(path, OpenOptions::new().create(true).append(true)).map_err(|error| {
            Error::usage(format!("--events {}: {error}; name a file in a folder that can be written", path.display()))
        })?;
        Ok(Self { file: RefCell::new(Some(file)), next })
    }
}

impl Listener for EventFile<'_> {
    fn hear(&self, event: &Event) {
        self.next.hear(event);
        let mut file = self.file.borrow_mut();
        let Some(open) = file.as_mut() else { return };
        let written = serde_json::to_string(event).map_err(std::io::Error::from).and_then(|line| {
            let line = tare_results::escaped_json(&line) + "\n";
            open.write_all(line.as_bytes())
        });
        if let Err(error) = written {
            // Once: what is measured is worth more than who follows it.
            *file = None;
            self.next.hear(&Event::Notice { message: format!("--events: {error}; no more events are written") });
        }
    }
}
