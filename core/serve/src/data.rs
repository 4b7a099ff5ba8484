//! What is asked of the store, anew for each request: it may be written, replaced or removed meanwhile.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::Project;
use tare_report::HistoryOf;
use tare_results::RunState;
use tare_session::{stored_comparisons, stored_runs};
use tare_statistics::shifts::FEWEST_OF_A_HISTORY;
use tare_store::{CaseRow, RunFilter, RunRow, SeriesRun, Store, StoreError};

use crate::history::{Change, History, Line, Point, PointWork, is_meant, lines};

/// Runs of a history, the newest.
const HISTORY: usize = 2_000;
/// Cases that are looked through for changes, at most, where an answer is waited for.
pub(crate) const LOOKED: usize = 400;
/// Runs of a case that a list of cases shows.
const NEWEST: usize = 60;
/// Runs of a case that are looked through for changes.
const LOOKED_BACK: usize = 200;
/// Of these before the time in which a change is news, so that there is a level that it changed from.
const BEFORE: usize = 40;
/// Days for which a change is news.
const NEWS: i64 = 7;

/// How long an answer waits for a process that has the store locked.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Lack {
    /// There is no such thing.
    Unknown(String),
    /// It isn't asked as it has to be.
    Asked(String),
    /// The store can't be read.
    Store(String),
    /// Nor can it be before another process lets go of it.
    Locked(String),
}

/// Which runs of a history are wanted.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct Narrowed {
    /// Of this branch.
    pub(crate) branch: String,
    /// With this tag.
    pub(crate) tag: String,
    /// Measured in this way, as [`Line::kind`] says it.
    pub(crate) kind: String,
}

pub(crate) fn open(project: &Project) -> Result<Box<dyn Store>, Lack> {
    let place = tare_session::store_place(project).map_err(|error| Lack::Store(error.to_string()))?;
    place.open_to_answer(PATIENCE).map_err(unreadable)
}

fn unreadable(error: StoreError) -> Lack {
    match error {
        StoreError::Locked { .. } => Lack::Locked(error.to_string()),
        error => Lack::Store(error.to_string()),
    }
}

/// A run, and what it says.
pub(crate) struct Run {
    pub(crate) row: RunRow,
    /// One sentence.
    pub(crate) answer: String,
}

/// The newest runs, with this tag if it isn't empty.
pub(crate) fn runs(store: &dyn Store, tag: &str, limit: usize) -> Result<Vec<Run>, Lack> {
    let filter = RunFilter { tag: (!tag.is_empty()).then(|| tag.to_owned()), state: None, limit: Some(limit) };
    let rows = stored_runs(store, &filter).map_err(unreadable)?;
    rows.into_iter().map(|row| Ok(Run { answer: answer(store, &row)?, row })).collect()
}

/// What a run says, by its comparisons where it has some; how far it came, where it isn't complete.
fn answer(store: &dyn Store, row: &RunRow) -> Result<String, Lack> {
    let failed = row.failed_in_all();
    let count = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let compared = match row.comparisons {
        0 => None,
        _ => {
            let comparisons = stored_comparisons(store, &row.origin.id).map_err(unreadable)?;
            tare_report::answer_of(&comparisons, failed as usize, row.origin.imported.is_some())
        }
    };
    let mut text = compared.unwrap_or_else(|| {
        let what = match row.load {
            Some((targets, _)) => format!("{} under load", count(targets, "target")),
            None => format!("{} measured", count(row.cases, "benchmark")),
        };
        if failed > 0 { format!("{what}; {failed} failed") } else { what }
    });
    if let Some(imported) = &row.origin.imported {
        text.push_str(&format!("; by {}", tare_report::short_name(&imported.tool)));
    }
    if row.state != RunState::Complete {
        text.insert_str(0, &format!("{}: ", row.state.name()));
    }
    Ok(text)
}

/// The run of that whole id, and its state: one that nobody measures any more is interrupted. What else a name may be, as `latest`, is resolved first.
pub(crate) fn resolved(project: &Project, name: &str) -> Result<(String, RunState), Lack> {
    let store = open(project)?;
    let id = store.resolve(name).map_err(|error| Lack::Unknown(error.to_string()))?;
    let run = store.run(&id).map_err(unreadable)?;
    let left = run.row.state == RunState::Running && !store.is_measured(&id).map_err(unreadable)?;
    Ok((id, if left { RunState::Interrupted } else { run.row.state }))
}

/// What a list of cases goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The newest change of level first, then by name.
    Change,
    Name,
    /// The slowest first.
    Time,
    /// What was measured last first.
    Newest,
}

impl Order {
    pub(crate) const ALL: [(&'static str, Self); 4] =
        [("change", Self::Change), ("name", Self::Name), ("time", Self::Time), ("newest", Self::Newest)];

    /// By its name in an address; that of changes where there is no such name.
    pub(crate) fn of(name: &str) -> Self {
        Self::ALL.iter().find(|(known, _)| *known == name).map_or(Self::Change, |(_, order)| *order)
    }
}

/// A case on a runtime with its newest runs, all of one kind.
pub(crate) struct Case {
    pub(crate) row: CaseRow,
    /// Oldest first; empty where there is no complete run, or where so many cases were looked at that this one wasn't.
    pub(crate) points: Vec<Point>,
    /// Their kind, as [`Line::kind`](crate::history::Line::kind) says it; empty without points.
    pub(crate) kind: String,
    /// Their last change of level.
    pub(crate) change: Option<Change>,
    /// Their last change of work.
    pub(crate) work_change: Option<Change>,
}

impl Case {
    /// When it changed last, in its times or its work.
    fn changed(&self) -> Option<String> {
        [&self.change, &self.work_change].into_iter().flatten().map(|change| change.started.clone()).max()
    }
}

/// The work of the newest run that was counted.
pub(crate) fn newest_work(points: &[Point]) -> Option<&PointWork> {
    points.iter().rev().find_map(|point| point.work.as_ref())
}

/// The cases whose names have these words, the first `looked` of them with their newest runs.
pub(crate) fn cases(store: &dyn Store, words: &str, order: Order, looked: usize) -> Result<Vec<Case>, Lack> {
    let mut rows = store.cases().map_err(unreadable)?;
    let words = words.to_lowercase();
    rows.retain(|case| words.is_empty() || case.case.to_lowercase().contains(&words));
    let mut cases = Vec::with_capacity(rows.len());
    for (number, row) in rows.into_iter().enumerate() {
        let runs = match number < looked {
            true => store.series(&row.case, &row.runtime, Some(NEWEST)).map_err(unreadable)?,
            false => Vec::new(),
        };
        let line = lines(&row.case, &row.runtime, &runs).into_iter().next();
        let Line { kind, points, changes } = line.unwrap_or_default();
        let last = |of: HistoryOf| changes.iter().rev().find(|change| change.of == of).cloned();
        let (change, work_change) = (last(HistoryOf::Time), last(HistoryOf::Work));
        cases.push(Case { row, points, kind, change, work_change });
    }
    let newest = |case: &Case| case.points.last().map_or(f64::NEG_INFINITY, |point| point.time.estimate);
    match order {
        Order::Name => {}
        Order::Change => cases.sort_by_key(|case| Reverse(case.changed())),
        Order::Time => cases.sort_by(|a, b| newest(b).total_cmp(&newest(a))),
        Order::Newest => cases.sort_by(|a, b| b.row.newest.cmp(&a.row.newest)),
    }
    Ok(cases)
}

/// A case over its runs, with its changes of level, oldest first, for each way in which it was measured.
pub(crate) fn history(store: &dyn Store, case: &str, runtime: &str, narrowed: &Narrowed) -> Result<History, Lack> {
    if case.is_empty() || runtime.is_empty() {
        return Err(Lack::Asked(
            "a history is asked for by ?case=CASE&runtime=NAME, as /api/v1/cases names them".to_owned(),
        ));
    }
    let mut runs = store.series(case, runtime, Some(HISTORY)).map_err(unreadable)?;
    if !narrowed.tag.is_empty() {
        let names = store.names().map_err(unreadable)?;
        let tagged: BTreeSet<String> =
            names.into_iter().filter(|name| name.tags.contains(&narrowed.tag)).map(|name| name.id).collect();
        runs.retain(|run| tagged.contains(&run.run));
    }
    if !narrowed.branch.is_empty() {
        runs.retain(|run| run.git.get("branch") == Some(&narrowed.branch));
    }
    let mut history = History::of(store, case, runtime, runs).map_err(unreadable)?;
    history.kinds = history.lines.iter().map(|line| line.kind.clone()).collect();
    history.lines.retain(|line| narrowed.kind.is_empty() || is_meant(&line.kind, &narrowed.kind));
    // The words of one kind are the beginning of another's: the former is meant.
    if history.lines.iter().any(|line| line.kind == narrowed.kind) {
        history.lines.retain(|line| line.kind == narrowed.kind);
    }
    Ok(history)
}

/// The newest runs of a case: as many as are usual, more where these don't reach back to before that time.
fn looked_back(store: &dyn Store, case: &str, runtime: &str, since: &str) -> Result<Vec<SeriesRun>, StoreError> {
    let mut most = LOOKED_BACK;
    loop {
        let runs = store.series(case, runtime, Some(most))?;
        let places: BTreeSet<&str> = runs.iter().map(|run| run.place.as_str()).collect();
        let before = runs.iter().filter(|run| run.started.as_str() < since).count();
        // Each package has its own history, and one that is seldom measured has few of the newest runs.
        if runs.len() < most || (before >= BEFORE && places.len() < 2) || most >= HISTORY {
            return Ok(runs);
        }
        most = (most * 2).min(HISTORY);
    }
}

/// What changed within seven days.
pub(crate) struct News {
    /// The largest change first.
    pub(crate) changes: Vec<Change>,
    /// Cases that were looked through,
    pub(crate) looked: usize,
    /// of so many that were measured in this time.
    pub(crate) cases: usize,
    /// Those of them that have runs enough for a change of level to be seen.
    pub(crate) long: usize,
}

/// What changed within seven days before `now`, in the first `most` of the cases that were measured in this time.
pub(crate) fn news(store: &dyn Store, now: jiff::Timestamp, most: usize) -> Result<News, Lack> {
    let since = now.saturating_sub(jiff::SignedDuration::from_hours(24 * NEWS)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let since = since.strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let cases = store.measured_since(&since).map_err(unreadable)?;
    let (mut found, mut long) = (Vec::new(), 0);
    for (case, runtime) in cases.iter().take(most) {
        let runs = looked_back(store, case, runtime, &since).map_err(unreadable)?;
        let history = History::of(store, case, runtime, runs).map_err(unreadable)?;
        long += usize::from(history.lines.iter().any(|line| line.points.len() >= FEWEST_OF_A_HISTORY));
        let changes = history.lines.into_iter().flat_map(|line| line.changes);
        found.extend(changes.filter(|change| change.seen >= since));
    }
    // Of a call that executed nothing before no part is known.
    let size = |change: &Change| {
        let size = (change.to / change.from).ln().abs();
        if size.is_finite() { size } else { f64::INFINITY }
    };
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    Ok(News { changes: found, looked: cases.len().min(most), cases: cases.len(), long })
}
