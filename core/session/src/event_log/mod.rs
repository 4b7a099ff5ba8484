//! What happens in a run, line by line in files that others can follow.

mod kept;

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Error;
use crate::event::{Event, Listener};
use kept::RunEvents;

/// Writes each event as a line of JSON and passes it on. It is written between turns, as everything is that a session tells.
pub struct EventLog<'a> {
    next: &'a dyn Listener,
    /// What the user asked for.
    asked: RefCell<Option<File>>,
    /// The run's own, beside the store.
    kept: RefCell<Option<RunEvents>>,
}

/// A line: the event, and when it was told.
#[derive(Serialize)]
struct Line<'a> {
    at: String,
    #[serde(flatten)]
    event: &'a Event,
}

impl<'a> EventLog<'a> {
    /// Appends to `file`, so that whoever follows it sees one run after the other; and, where there is a `store`, to a file of the run's
    /// own in that folder.
    ///
    /// # Errors
    ///
    /// A file that can't be opened.
    pub fn open(next: &'a dyn Listener, file: Option<&Path>, store: Option<PathBuf>) -> Result<Self, Error> {
        let open = |path: &Path| {
            if path == Path::new("-") {
                let message = "--events -: Tare writes the results to standard output; name a file, a FIFO for example, or ./- for a file named -";
                return Err(Error::usage(message));
            }
            tare_files::create_output(path, OpenOptions::new().create(true).append(true)).map_err(|error| {
                Error::usage(format!(
                    "--events {}: {error}; name a file in a folder that can be written",
                    path.display()
                ))
            })
        };
        let asked = RefCell::new(file.map(open).transpose()?);
        Ok(Self { next, asked, kept: RefCell::new(store.map(RunEvents::below)) })
    }
}

impl Listener for EventLog<'_> {
    fn hear(&self, event: &Event) {
        self.next.hear(event);
        let line = Line { at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(), event };
        let Ok(line) = serde_json::to_string(&line) else { return };
        let line = (tare_results::escaped_json(&line) + "\n").into_bytes();
        let failed = self.asked.borrow_mut().as_mut().and_then(|file| file.write_all(&line).err());
        if let Some(error) = failed {
            // Once: what is measured is worth more than who follows it.
            *self.asked.borrow_mut() = None;
            self.next.hear(&Event::Notice { message: format!("--events: {error}; no more events are written to it") });
        }
        let failed = self.kept.borrow_mut().as_mut().and_then(|kept| kept.write(event, &line).err());
        if let Some((path, error)) = failed {
            *self.kept.borrow_mut() = None;
            let message = format!("{}: {error}; the run can't be followed there", path.display());
            self.next.hear(&Event::Notice { message });
        }
    }
}

#[cfg(test)]
mod tests;
