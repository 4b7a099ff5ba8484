//! What has been measured so far, one JSON document a line, so that a killed validation goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It can't be read or written.
    #[error("{}: {source}; see that the folder can be written", path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A value can't be written as JSON, or isn't what it was when it was written.
    #[error("{}: record `{key}` can't be used: {source}; remove the file to begin again", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Part and parameters.
        key: String,
        /// Why.
        source: serde_json::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Record {
    key: String,
    index: u64,
    value: Value,
    /// Of the code that it was measured with.
    #[serde(default)]
    revision: String,
}

/// Records by part and parameters, and by number within them.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    file: File,
    revision: String,
    records: BTreeMap<(String, u64), Value>,
    /// Of the records, by key.
    revisions: BTreeMap<String, BTreeSet<String>>,
}

impl State {
    /// Opens the file at `path`, or begins it. A last line that a kill cut off is left out: it is measured again. What is added
    /// is marked with `revision`.
    pub fn open(path: &Path, revision: &str) -> Result<Self, StateError> {
        let access = |source| StateError::Access { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(access)?;
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(access(error)),
        };
        let (mut records, mut revisions) = (BTreeMap::new(), BTreeMap::<String, BTreeSet<String>>::new());
        for record in text.lines().filter_map(|line| serde_json::from_str::<Record>(line).ok()) {
            revisions.entry(record.key.clone()).or_default().insert(record.revision);
            records.insert((record.key, record.index), record.value);
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(access)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(access)?;
        }
        Ok(Self { path: path.to_owned(), file, revision: revision.to_owned(), records, revisions })
    }

    /// Whether there is a record.
    pub fn has(&self, key: &str, index: u64) -> bool {
        self.records.contains_key(&(key.to_owned(), index))
    }

    /// Adds a record, and keeps it before it returns.
    pub fn add(&mut self, key: &str, index: u64, value: &impl Serialize) -> Result<(), StateError> {
        let json = |source| StateError::Record { path: self.path.clone(), key: key.to_owned(), source };
        let value = serde_json::to_value(value).map_err(json)?;
        let record = Record { key: key.to_owned(), index, value: value.clone(), revision: self.revision.clone() };
        let line = serde_json::to_string(&record).map_err(json)? + "\n";
        let access = |source| StateError::Access { path: self.path.clone(), source };
        self.file.write_all(line.as_bytes()).map_err(access)?;
        self.records.insert((key.to_owned(), index), value);
        self.revisions.entry(record.key).or_default().insert(record.revision);
        Ok(())
    }

    /// Revisions of the code that the records of keys which begin with one of `parts` were measured with.
    pub fn revisions(&self, parts: &[&str]) -> BTreeSet<&str> {
        let of_parts = self.revisions.iter().filter(|(key, _)| parts.iter().any(|part| key.starts_with(part)));
        of_parts.flat_map(|(_, revisions)| revisions).map(String::as_str).collect()
    }

    /// All records of a key, in the order of their numbers.
    pub fn all<T: DeserializeOwned>(&self, key: &str) -> Result<Vec<T>, StateError> {
        let of_key = self.records.range((key.to_owned(), 0)..=(key.to_owned(), u64::MAX));
        of_key
            .map(|(_, value)| {
                serde_json::from_value(value.clone()).map_err(|source| StateError::Record {
                    path: self.path.clone(),
                    key: key.to_owned(),
                    source,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn what_was_added_is_there_after_a_kill_in_the_middle_of_a_line() {
        let folder = std::env::temp_dir().join(format!("tare-validation-state-{}", std::process::id()));
        let path = folder.join("state.jsonl");
        let mut state = State::open(&path, "r1").unwrap();
        state.add("a", 0, &1.5).unwrap();
        state.add("b", 0, &7.0).unwrap();
        state.add("a", 1, &2.5).unwrap();
        drop(state);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"key\":\"a\",\"ind");
        std::fs::write(&path, text).unwrap();

        let mut state = State::open(&path, "r2").unwrap();
        assert_eq!(state.revisions(&["a", "b"]).len(), 1);
        assert!(state.has("a", 1) && !state.has("a", 2));
        state.add("a", 2, &3.5).unwrap();
        assert_eq!(state.revisions(&["a"]).into_iter().collect::<Vec<_>>(), ["r1", "r2"]);
        drop(state);
        let state = State::open(&path, "r3").unwrap();
        assert_eq!(state.revisions(&["a"]).len(), 2);
        assert_eq!(state.revisions(&["b"]).into_iter().collect::<Vec<_>>(), ["r1"]);
        assert_eq!(state.all::<f64>("a").unwrap(), [1.5, 2.5, 3.5]);
        assert!(state.all::<String>("a").is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
