//! The events of the newest runs, a file each in the store's folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::event::Event;

/// The folder in that of the store.
const FOLDER: &str = "events";
const ENDING: &str = "ndjson";
/// Runs whose events are kept.
const RUNS: usize = 20;
/// From this many bytes on only what happens a bounded number of times in a run is written: no launches, no progress.
const LARGE: u64 = 16 << 20;
/// Lines that wait for a run to begin, at most.
const WAITING: usize = 1_000;

/// The file of a run. It is made once the run is planned: what can't be measured leaves no file behind.
pub(super) struct RunEvents {
    folder: PathBuf,
    /// What was told until the run had a name.
    waiting: Vec<Vec<u8>>,
    file: Option<Open>,
}

struct Open {
    path: PathBuf,
    file: File,
    bytes: u64,
    most: u64,
}

impl RunEvents {
    pub(super) fn below(store: PathBuf) -> Self {
        Self { folder: store.join(FOLDER), waiting: Vec::new(), file: None }
    }

    /// Writes a line; where that fails, says which file it is.
    pub(super) fn write(&mut self, event: &Event, line: &[u8]) -> Result<(), (PathBuf, io::Error)> {
        if let Some(open) = &mut self.file {
            return open.write(event, line).map_err(|error| (open.path.clone(), error));
        }
        let Event::Planned { run, .. } = event else {
            if self.waiting.len() < WAITING {
                self.waiting.push(line.to_vec());
            }
            return Ok(());
        };
        let path = self.folder.join(format!("{run}.{ENDING}"));
        let begun = begin(&self.folder, &path, LARGE).and_then(|mut open| {
            for earlier in std::mem::take(&mut self.waiting) {
                open.append(&earlier)?;
            }
            open.append(line)?;
            Ok(open)
        });
        self.file = Some(begun.map_err(|error| (path, error))?);
        Ok(())
    }
}

impl Open {
    fn write(&mut self, event: &Event, line: &[u8]) -> io::Result<()> {
        if self.bytes >= self.most && matches!(event, Event::Progress { .. } | Event::Launched { .. }) {
            return Ok(());
        }
        self.append(line)
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        self.bytes += line.len() as u64;
        self.file.write_all(line)
    }
}

/// Appends to the file, which a run that is resumed has already, and removes those of the oldest runs.
fn begin(folder: &Path, path: &Path, most: u64) -> io::Result<Open> {
    fs::create_dir_all(folder)?;
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let bytes = file.metadata()?.len();
    remove_oldest(folder, path);
    Ok(Open { path: path.to_owned(), file, bytes, most })
}

/// Whoever follows one of them still reads it to its end. One that can't be removed stays.
fn remove_oldest(folder: &Path, newest: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_another = |path: &PathBuf| path != newest && path.extension().is_some_and(|end| end == ENDING);
    let mut others: Vec<PathBuf> = entries.filter(is_another).collect();
    // Ids of runs begin with the time.
    others.sort_unstable();
    others.truncate((others.len() + 1).saturating_sub(RUNS));
    for path in others {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, RUNS, RunEvents, begin};

    fn planned(run: &str) -> Event {
        Event::Planned { run: run.to_owned(), groups: Vec::new(), variants: 0 }
    }

    #[test]
    fn the_events_of_the_newest_runs_are_kept_and_nothing_else_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..RUNS + 5 {
            let mut kept = RunEvents::below(folder.path().to_owned());
            kept.write(&Event::Loaded, b"before\n").unwrap();
            if number == 0 {
                assert!(!folder.path().join("events").exists());
            }
            kept.write(&planned(&format!("20260101-0000{number:02}-abcd")), b"planned\n").unwrap();
            kept.write(&Event::Loaded, b"after\n").unwrap();
            std::fs::write(folder.path().join("events/mine.txt"), "").unwrap();
        }
        let mut names: Vec<String> = std::fs::read_dir(folder.path().join("events"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names.pop().unwrap(), "mine.txt");
        assert_eq!(names.len(), RUNS);
        assert_eq!(names[0], "20260101-000005-abcd.ndjson");
        let text = std::fs::read_to_string(folder.path().join("events").join(&names[3])).unwrap();
        assert_eq!(text, "before\nplanned\nafter\n");
    }

    #[test]
    fn a_large_file_grows_only_by_what_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ndjson");
        let mut open = begin(folder.path(), &path, 10).unwrap();
        let launched = Event::Launched { variants: Vec::new() };
        open.write(&launched, b"0123456789\n").unwrap();
        open.write(&launched, b"left out\n").unwrap();
        open.write(&Event::Loaded, b"written\n").unwrap();
        drop(open);
        // One that is resumed is as large as it was.
        begin(folder.path(), &path, 10).unwrap().write(&launched, b"left out\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0123456789\nwritten\n");
    }
}
