//! Histogram logs: the one that `--hdr` asks for, and any as a report takes it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tare_histogram_log::{Entry, merged, read};
use tare_load::histogram::PERCENTILES;
use tare_load::log::{Logged, write};
use tare_results::{LoadLatency, LoadOperation, LoadTarget, LoadView};

use crate::error::Error;
use crate::session::Session;

/// Larger files aren't logs of histograms.
const LARGEST: u64 = 1 << 30;

/// The log that `--hdr` asks for.
pub(crate) struct LogFile {
    path: PathBuf,
    file: File,
}

impl LogFile {
    /// Opens it before anything is measured, so that a folder that isn't there is reported at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let file = tare_files::create_output(path, File::options().create(true).truncate(true)).map_err(|error| {
            Error::usage(format!("--hdr {}: {error}; name a file in a folder that can be written", path.display()))
        })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes it. Whether it is whole; the report can be had without it.
    pub(crate) fn keep(self, started: SystemTime, logged: &[Logged<'_>], session: &Session<'_>) -> bool {
        let written = write(&mut BufWriter::new(self.file), started, logged);
        if let Err(error) = &written {
            session.notice(format!("--hdr {}: {error}; name a file where there is room", self.path.display()));
        }
        written.is_ok()
    }
}

/// What is in a log, by tag.
///
/// # Errors
///
/// Where it can't be read, is no histogram log, or holds nothing.
pub fn logged_load(path: &Path) -> Result<LoadView, Error> {
    let shown = path.display();
    let text = tare_files::read(path, LARGEST)
        .map_err(|error| Error::usage(format!("{shown}: {error}; name a histogram log")))?;
    let entries = read(&text).map_err(|error| Error::usage(format!("{shown}: {error}")))?.entries;
    if entries.iter().all(|entry| entry.count() == 0) {
        let intervals = entries.len();
        return Err(Error::usage(format!(
            "{shown}: it has {intervals} intervals and no value; name the log of a run with successful requests"
        )));
    }
    let mut tags: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &entries {
        tags.entry(entry.tag.as_deref().unwrap_or_default()).or_default().push(entry);
    }
    let targets = tags.iter().filter_map(|(tag, entries)| target(tag, entries)).collect();
    Ok(LoadView { targets, ..LoadView::default() })
}

fn target(tag: &str, entries: &[&Entry]) -> Option<LoadTarget> {
    let histogram = merged(entries.iter().copied())?;
    let percentiles = PERCENTILES.map(|(name, at)| (name.to_owned(), histogram.value_at_percentile(at)));
    let latency = (!histogram.is_empty()).then(|| LoadLatency {
        percentiles: percentiles.to_vec(),
        curve: [50.0, 75.0, 90.0, 99.0, 99.9, 99.99].map(|at| (at, histogram.value_at_percentile(at))).to_vec(),
        max: histogram.max(),
        mean: histogram.mean(),
    });
    Some(LoadTarget {
        name: if tag.is_empty() { "(no tag)".to_owned() } else { tag.to_owned() },
        duration_s: entries.iter().map(|entry| entry.duration.as_secs_f64()).sum(),
        operations: vec![LoadOperation {
            name: "logged".to_owned(),
            count: histogram.len(),
            latency,
            ..LoadOperation::default()
        }],
        ..LoadTarget::default()
    })
}
