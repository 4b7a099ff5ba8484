//! The store as files that any web server can give out, or that are opened as they are.

use std::collections::BTreeSet;
use std::path::Path;

use tare_definition::Project;
use tare_report::style;
use tare_results::RunState;
use tare_session::open_store;
use tare_store::{Access, Store};

use crate::data::{self, Case, Lack, Narrowed, Order, Run};
use crate::folder::{Folder, FolderError};
use crate::history::History;
use crate::reports::shown;
use crate::site::{CASES, CHANGES, FEED, PAGE_SCRIPT, RUNS, STYLE, Site, badge_file, history_file, run_file};
use crate::{feed, pages};

/// Runs of the list: more than one a day for two years.
const LISTED: usize = 1_000;
/// In which time changes are told, in words: what is said of one store is the same whenever it is said.
const BEFORE_THE_NEWEST: &str = "the seven days before the newest run";

/// What keeps a store from being published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The folder isn't as it has to be, or can't be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// There is no store, or it can't be opened.
    #[error(transparent)]
    NoStore(#[from] tare_session::Error),
    /// The store can't be read.
    #[error("{0}")]
    Store(String),
}

impl PublishError {
    /// Whether another folder would do.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Folder(error) if !matches!(error, FolderError::Full(_)))
    }
}

impl From<Lack> for PublishError {
    fn from(lack: Lack) -> Self {
        let (Lack::Unknown(why) | Lack::Asked(why) | Lack::Store(why) | Lack::Locked(why)) = lack;
        Self::Store(why)
    }
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Files in the folder that are ours, the list of them included.
    pub files: usize,
    /// Their sizes together.
    pub bytes: u64,
    /// Files that were new, or another one before.
    pub written: usize,
    /// Files that were written by an earlier call and are gone.
    pub removed: usize,
    /// Runs without a page that should have one, and why, a sentence each.
    pub left_out: Vec<String>,
}

/// Writes the pages of a project's store into a folder, which is made if it is missing: the list of runs, the cases, what changed, the history of each
/// case with its badge, and whole pages of the newest `run_pages` runs that aren't being measured. Two calls on one store write the same bytes.
///
/// # Errors
///
/// A store that can't be read: then nothing is written. A folder that can't be written, or that has files of others under our names: these stay as they are.
pub fn publish(project: &Project, folder: &Path, run_pages: usize) -> Result<Published, PublishError> {
    let store = open_store(project, Access::ReadOnly)?;
    let store = &*store;
    let runs = data::runs(store, "", LISTED)?;
    let cases = data::cases(store, "", Order::Change, usize::MAX)?;
    let mut folder = Folder::open(folder, &[RUNS, CASES, CHANGES, FEED, STYLE, PAGE_SCRIPT])?;
    folder.write(STYLE, style().as_bytes())?;
    folder.write(PAGE_SCRIPT, concat!(include_str!("newest.js"), include_str!("listed.js")).as_bytes())?;
    let (with_page, left_out) = reports(project, &runs, run_pages, &mut folder)?;
    let top = Site::Files { up: "", runs: &with_page };
    folder.write(RUNS, pages::runs(&runs, "", &note(&runs, &with_page), top).as_bytes())?;
    folder.write(CASES, pages::cases(&cases, "", Order::Change, top).as_bytes())?;
    let news = data::news(store, newest(&cases), usize::MAX)?;
    folder.write(CHANGES, pages::changes(&news, BEFORE_THE_NEWEST, top).as_bytes())?;
    folder.write(FEED, feed::atom(&news.changes, "", top).as_bytes())?;
    for case in &cases {
        histories(store, case, &with_page, &mut folder)?;
    }
    let count = folder.close()?;
    Ok(Published { files: count.files, bytes: count.bytes, written: count.written, removed: count.removed, left_out })
}

/// Writes the pages of the newest runs: ids of those that have one, and why others have none.
fn reports(
    project: &Project,
    runs: &[Run],
    most: usize,
    folder: &mut Folder,
) -> Result<(BTreeSet<String>, Vec<String>), FolderError> {
    let mut left_out = Vec::new();
    let mut with_page = BTreeSet::new();
    let none = BTreeSet::new();
    let site = Site::Files { up: "../", runs: &none };
    let done = runs.iter().map(|run| &run.row).filter(|row| row.state != RunState::Running);
    for id in done.take(most).map(|row| &row.origin.id) {
        match shown(project, id) {
            Ok(page) => {
                folder.write(&run_file(id), pages::among_others(&page, site).as_bytes())?;
                with_page.insert(id.clone());
            }
            Err(lack) => left_out.push(format!("run {id} has no page: {}", PublishError::from(lack))),
        }
    }
    Ok((with_page, left_out))
}

/// What a reader of the list has to know of it.
fn note(runs: &[Run], with_page: &BTreeSet<String>) -> String {
    let mut note = match with_page.len() {
        0 => "Runs have no pages of their own here.".to_owned(),
        1 => "One run has a page of its own.".to_owned(),
        some => format!("The {some} runs that are links have pages of their own."),
    };
    note.push_str(" The histories of cases have all runs.");
    if runs.len() == LISTED {
        note.push_str(&format!(" The newest {LISTED} runs are listed."));
    }
    note
}

/// When the newest run began: to what is published it is today.
fn newest(cases: &[Case]) -> jiff::Timestamp {
    let starts = cases.iter().filter_map(|case| case.row.newest.parse().ok());
    starts.max().unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// The histories of a case on a runtime, one for each way in which it was measured, with their badges.
fn histories(
    store: &dyn Store,
    case: &Case,
    with_page: &BTreeSet<String>,
    folder: &mut Folder,
) -> Result<(), PublishError> {
    let site = Site::Files { up: "../", runs: with_page };
    let (name, runtime) = (&case.row.case, &case.row.runtime);
    let History { lines, kinds } = data::history(store, name, runtime, &Narrowed::default())?;
    for line in lines {
        let files = (history_file(name, runtime, &line.kind), badge_file(name, runtime, &line.kind));
        folder.write(&files.1, feed::badge(name, line.points.last()).as_bytes())?;
        let one = History { lines: vec![line], kinds: kinds.clone() };
        folder.write(&files.0, pages::history(name, runtime, &Narrowed::default(), &one, site).as_bytes())?;
    }
    Ok(())
}
