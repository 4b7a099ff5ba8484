//! What a search has found out, in `.tare`, so that one that was interrupted goes on.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tare_definition::Project;
use tare_request::BisectRequest;
use tare_results::{BisectSkipped, BisectStep};
use tare_revisions::{Commit, Revision};
use tare_statistics::bisection::Shown;

use super::ends::Ends;
use crate::error::Error;

/// Raised where a file of an earlier version would be misread.
const VERSION: u32 = 2;

/// Two versions between which nothing changed, by proof. Written as a pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "(String, Option<String>)", into = "(String, Option<String>)")]
pub(super) struct UnchangedSpan {
    pub(super) newer: String,
    /// `None`: GOOD.
    pub(super) older: Option<String>,
}

impl From<(String, Option<String>)> for UnchangedSpan {
    fn from((newer, older): (String, Option<String>)) -> Self {
        Self { newer, older }
    }
}

impl From<UnchangedSpan> for (String, Option<String>) {
    fn from(UnchangedSpan { newer, older }: UnchangedSpan) -> Self {
        (newer, older)
    }
}

/// What is known. It is written after each step.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptSearch {
    version: u32,
    /// The pattern, as a check: the file's name is a hash.
    case: String,
    /// How both ends compare.
    pub(super) first: Option<Ends>,
    pub(super) steps: Vec<BisectStep>,
    pub(super) skipped: Vec<BisectSkipped>,
    pub(super) proven: Vec<UnchangedSpan>,
    /// The commit that was confirmed, a full hash, and how it compares with its parent.
    pub(super) found: Option<(String, Ends)>,
    /// Parts of it, by the positions of their hunks, and what they showed. A later one counts.
    pub(super) tried: Vec<(Vec<usize>, Shown)>,
    #[serde(skip)]
    path: PathBuf,
}

impl KeptSearch {
    /// What was kept of this search, where it is asked to go on with it.
    ///
    /// # Errors
    ///
    /// Where there is nothing to go on with.
    pub(super) fn open(
        asked: &BisectRequest,
        commits: &[Commit],
        good: &Revision,
        project: &Project,
    ) -> Result<Self, Error> {
        let last = commits.last().map_or("", |commit| commit.hash.as_str());
        let first = good.commit.as_deref().unwrap_or_default();
        let (case, metric) = (asked.case.pattern(), asked.metric.name());
        let key = Sha256::digest(format!("{first}\0{last}\0{case}\0{}\0{metric}", asked.first_parent));
        let name: String = key.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let path = project.store().join(format!("bisect-{name}.json"));
        let begun = Self { version: VERSION, case: case.clone(), path: path.clone(), ..Self::default() };
        if !asked.resume {
            return Ok(begun);
        }
        let found = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        let found = found.filter(|found| found.version == VERSION && found.case == case);
        found.map(|found| Self { path, ..found }).ok_or_else(|| {
            Error::usage(format!(
                "there is no interrupted search from {} to {} for {}; leave --resume out to begin one",
                asked.good, asked.bad, asked.case
            ))
        })
    }

    /// Both ends are compared.
    pub(super) fn begin(&mut self, first: Ends) -> Ends {
        self.first = Some(first.clone());
        self.save();
        first
    }

    /// Whole or not at all. What can't be written is missing when a search is to go on, and nothing else.
    pub(super) fn save(&self) {
        let draft = self.path.with_extension("draft");
        let Ok(text) = serde_json::to_vec(self) else { return };
        let _ = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &self.path));
    }

    /// It is done.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::UnchangedSpan;

    /// A search that an earlier version began has pairs.
    #[test]
    fn versions_between_which_nothing_changed_are_written_as_a_pair() {
        let span = |older: Option<&str>| UnchangedSpan { newer: "b".to_owned(), older: older.map(str::to_owned) };
        assert_eq!(serde_json::to_string(&[span(Some("a")), span(None)]).unwrap(), r#"[["b","a"],["b",null]]"#);
        let read: UnchangedSpan = serde_json::from_str(r#"["b",null]"#).unwrap();
        assert_eq!((read.newer, read.older), ("b".to_owned(), None));
    }
}
