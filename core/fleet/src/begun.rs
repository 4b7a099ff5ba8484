//! What a task says when it begins, for those who watch and for other tasks: a file in the job's folder.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::job::Job;

/// What a task says of itself when it begins.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Begun {
    /// The node.
    pub(crate) node: String,
    /// The node's time, RFC 3339 in UTC.
    pub(crate) at: String,
    /// The node's version of tare.
    pub(crate) tare: String,
    /// Its processor; empty where it isn't known.
    #[serde(default)]
    pub(crate) cpu: String,
    /// How its frequency is governed; empty where it isn't known.
    #[serde(default)]
    pub(crate) governor: String,
}

/// What a part said when it began; `None` where it didn't yet.
pub(crate) fn begun_of(place: &Path, part: u32) -> Option<Begun> {
    serde_json::from_slice(&fs::read(begun_in(place, part)).ok()?).ok()
}

/// What other parts said when they began.
pub(crate) fn begun_of_others(job: &Job, place: &Path, part: u32) -> Vec<(u32, Begun)> {
    let others = (1..=job.parts).filter(|&other| other != part);
    others.filter_map(|other| Some((other, begun_of(place, other)?))).collect()
}

/// Where a part says that it began.
pub(crate) fn begun_in(place: &Path, part: u32) -> PathBuf {
    place.join(format!("part-{part}.begun"))
}

/// Where a part says that somebody else holds its run, and on which node it waits; nothing is there while it doesn't wait.
pub(crate) fn waits_in(place: &Path, part: u32) -> PathBuf {
    place.join(format!("part-{part}.waits"))
}
