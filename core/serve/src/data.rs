//! What is asked of the store, anew for each request: it may be written, replaced or removed meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::Project;
use tare_results::RunState;
use tare_session::stored_runs;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::shifts::{FEWEST_OF_A_HISTORY, SHORTEST_LEVEL, history_changes};
use tare_store::{CaseRow, RunFilter, RunRow, SeriesRun, Store, StoreError};

/// Runs of a history, the newest.
const HISTORY: usize = 2_000;
/// Cases that are looked through for changes, at most.
const LOOKED: usize = 400;
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
}

/// A run in a history.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Point {
    pub(crate) run: String,
    pub(crate) started: String,
    pub(crate) branch: String,
    pub(crate) commit: String,
    pub(crate) dirty: bool,
    /// Nanoseconds.
    pub(crate) time: Estimate,
    /// A new level begins here.
    pub(crate) change: bool,
}

/// A change of level.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Change {
    pub(crate) case: String,
    pub(crate) runtime: String,
    pub(crate) run: String,
    pub(crate) started: String,
    /// The run with which the new level had as many as one has to have, begun at this time: it couldn't be seen before.
    pub(crate) seen: String,
    /// The last commit of the old level, and the first of the new one; empty where they aren't known.
    pub(crate) before: String,
    pub(crate) after: String,
    /// Means of both levels, nanoseconds.
    pub(crate) from_ns: f64,
    pub(crate) to_ns: f64,
    /// What a comparison of both commits side by side said; `None` while there was none.
    pub(crate) confirmation: Option<Confirmation>,
}

/// What became of a change when both of its commits were measured side by side.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Confirmation {
    /// The run that did it.
    pub(crate) run: String,
    /// `confirmed`; `refuted`: they are the same, or it is the other way round; `undecided`.
    pub(crate) result: &'static str,
}

/// A case over its runs.
pub(crate) struct History {
    pub(crate) points: Vec<Point>,
    pub(crate) changes: Vec<Change>,
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

pub(crate) fn runs(project: &Project, tag: &str, limit: usize) -> Result<Vec<RunRow>, Lack> {
    let filter = RunFilter { tag: (!tag.is_empty()).then(|| tag.to_owned()), state: None, limit: Some(limit) };
    stored_runs(&*open(project)?, &filter).map_err(unreadable)
}

/// The run of that whole id, and its state: one that nobody measures any more is interrupted. What else a name may be, as `latest`, is resolved first.
pub(crate) fn resolved(project: &Project, name: &str) -> Result<(String, RunState), Lack> {
    let store = open(project)?;
    let id = store.resolve(name).map_err(|error| Lack::Unknown(error.to_string()))?;
    let run = store.run(&id).map_err(unreadable)?;
    let left = run.row.state == RunState::Running && !store.is_measured(&id).map_err(unreadable)?;
    Ok((id, if left { RunState::Interrupted } else { run.row.state }))
}

pub(crate) fn cases(project: &Project, words: &str) -> Result<Vec<CaseRow>, Lack> {
    let mut cases = open(project)?.cases().map_err(unreadable)?;
    let words = words.to_lowercase();
    cases.retain(|case| words.is_empty() || case.case.to_lowercase().contains(&words));
    Ok(cases)
}

/// A case over its runs, with its changes of level, oldest first.
pub(crate) fn history(project: &Project, case: &str, runtime: &str, narrowed: &Narrowed) -> Result<History, Lack> {
    let store = open(project)?;
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
    History::of(&*store, case, runtime, runs).map_err(unreadable)
}

impl History {
    fn of(store: &dyn Store, case: &str, runtime: &str, runs: Vec<SeriesRun>) -> Result<Self, StoreError> {
        let runs = by_commit(runs);
        let points = points(&runs);
        let mut changes = changes(case, runtime, &points);
        for change in &mut changes {
            change.confirmation = confirmation(store, &runs, change)?;
        }
        Ok(Self { points, changes })
    }
}

fn named(run: &SeriesRun, name: &str) -> String {
    run.git.get(name).cloned().unwrap_or_default()
}

/// Sides of comparisons of revisions behind the other measurements of their commits: an old commit that is measured once more today is no return to what
/// it took. The rest stays as it is.
fn by_commit(runs: Vec<SeriesRun>) -> Vec<SeriesRun> {
    let place: BTreeMap<String, usize> = runs
        .iter()
        .enumerate()
        .filter(|(_, run)| !run.side && named(run, "dirty") != "true" && !named(run, "commit").is_empty())
        .map(|(index, run)| (named(run, "commit"), index))
        .collect();
    let mut placed: Vec<(usize, SeriesRun)> = runs
        .into_iter()
        .enumerate()
        .map(|(index, run)| {
            let own = place.get(&named(&run, "commit")).filter(|_| run.side && named(&run, "dirty") != "true");
            (own.copied().unwrap_or(index), run)
        })
        .collect();
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, run)| run).collect()
}

fn points(runs: &[SeriesRun]) -> Vec<Point> {
    let mut points: Vec<Point> = runs
        .iter()
        .filter_map(|run| {
            let time = run.time.filter(|time| time.estimate.is_finite())?;
            Some(Point {
                run: run.run.clone(),
                started: run.started.clone(),
                branch: named(run, "branch"),
                commit: named(run, "commit"),
                dirty: named(run, "dirty") == "true",
                time,
                change: false,
            })
        })
        .collect();
    let times: Vec<f64> = points.iter().map(|point| point.time.estimate).collect();
    for change in history_changes(&times) {
        points[change].change = true;
    }
    points
}

/// The changes of level in a history, oldest first.
fn changes(case: &str, runtime: &str, points: &[Point]) -> Vec<Change> {
    let mut starts: Vec<usize> =
        points.iter().enumerate().filter(|(_, point)| point.change).map(|(at, _)| at).collect();
    let mean = |part: &[Point]| part.iter().map(|point| point.time.estimate).sum::<f64>() / part.len().max(1) as f64;
    starts.insert(0, 0);
    starts.push(points.len());
    let change = |ends: &[usize]| {
        let (from, at, to) = (ends[0], ends[1], ends[2]);
        Change {
            case: case.to_owned(),
            runtime: runtime.to_owned(),
            run: points[at].run.clone(),
            started: points[at].started.clone(),
            seen: points[(at + SHORTEST_LEVEL).min(points.len()) - 1].started.clone(),
            before: points[at - 1].commit.clone(),
            after: points[at].commit.clone(),
            from_ns: mean(&points[from..at]),
            to_ns: mean(&points[at..to]),
            confirmation: None,
        }
    };
    starts.windows(3).map(change).collect()
}

/// What the newest live comparison of the two commits said of the case, whichever of them was its base.
fn confirmation(store: &dyn Store, runs: &[SeriesRun], change: &Change) -> Result<Option<Confirmation>, StoreError> {
    if change.before.is_empty() || change.before == change.after {
        return Ok(None);
    }
    let at = |commit: &str| {
        let sides = runs.iter().filter(|run| run.side && named(run, "dirty") != "true");
        sides.filter(|run| named(run, "commit") == commit).collect::<Vec<_>>()
    };
    let (old, new) = (at(&change.before), at(&change.after));
    let mut both: Vec<(&SeriesRun, &SeriesRun)> =
        old.iter().flat_map(|old| new.iter().filter(|new| new.run == old.run).map(|new| (*old, *new))).collect();
    both.sort_by(|a, b| b.0.started.cmp(&a.0.started));
    for (old, new) in both {
        let pairs = store.run(&old.run)?.comparisons;
        let said = pairs.iter().find_map(|pair| {
            let ids = (&pair.base, &pair.candidate);
            let verdict = pair.comparison.verdict;
            match (ids == (&old.variant, &new.variant), ids == (&new.variant, &old.variant)) {
                (true, _) => Some(verdict),
                (_, true) => Some(turned(verdict)),
                _ => None,
            }
        });
        if let Some(verdict) = said {
            let seen = if change.to_ns > change.from_ns { Verdict::Slower } else { Verdict::Faster };
            let result = match verdict {
                Verdict::Inconclusive => "undecided",
                verdict if verdict == seen => "confirmed",
                _ => "refuted",
            };
            return Ok(Some(Confirmation { run: old.run.clone(), result }));
        }
    }
    Ok(None)
}

fn turned(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Slower => Verdict::Faster,
        Verdict::Faster => Verdict::Slower,
        other => other,
    }
}

/// The newest runs of a case: as many as are usual, more where these don't reach back to before that time.
fn looked_back(store: &dyn Store, case: &str, runtime: &str, since: &str) -> Result<Vec<SeriesRun>, StoreError> {
    let mut most = LOOKED_BACK;
    loop {
        let runs = store.series(case, runtime, Some(most))?;
        let before = runs.iter().filter(|run| run.started.as_str() < since).count();
        if runs.len() < most || before >= BEFORE || most >= HISTORY {
            return Ok(runs);
        }
        most = (most * 2).min(HISTORY);
    }
}

/// What changed since last week.
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

pub(crate) fn news(project: &Project) -> Result<News, Lack> {
    let since = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * NEWS);
    let since = since.strftime("%Y-%m-%dT%H:%M:%S").to_string();
    let store = open(project)?;
    let cases = store.measured_since(&since).map_err(unreadable)?;
    let (mut found, mut long) = (Vec::new(), 0);
    for (case, runtime) in cases.iter().take(LOOKED) {
        let runs = looked_back(&*store, case, runtime, &since).map_err(unreadable)?;
        let history = History::of(&*store, case, runtime, runs).map_err(unreadable)?;
        long += usize::from(history.points.len() >= FEWEST_OF_A_HISTORY);
        found.extend(history.changes.into_iter().filter(|change| change.seen >= since));
    }
    let size = |change: &Change| (change.to_ns / change.from_ns).ln().abs();
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    Ok(News { changes: found, looked: cases.len().min(LOOKED), cases: cases.len(), long })
}

/// Characters of a commit in a command.
const COMMIT: usize = 12;

/// The command that tells whether a change is one of the code. `None` where its commits aren't known, or are the same.
pub(crate) fn confirming(change: &Change) -> Option<String> {
    let known = |commit: &str| !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !known(&change.before) || !known(&change.after) || change.before == change.after {
        return None;
    }
    let name = change.case.split_once('/').map_or(change.case.as_str(), |(_, name)| name);
    let mut pattern = String::new();
    for c in name.chars() {
        // `\<` and `\>` would be the ends of a word.
        if c.is_ascii_punctuation() && !matches!(c, '_' | '-' | ':' | '/' | '=' | '<' | '>' | '\'') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    let pattern = pattern.replace('\'', "'\\''");
    // Git finds a commit by so much of its name, and the command stays one line of a page.
    let [before, after] = [&change.before, &change.after].map(|commit| commit.get(..COMMIT).unwrap_or(commit));
    Some(format!("tare compare {before} {after} --filter '^{pattern}$'"))
}

#[cfg(test)]
mod tests {
    use super::{Change, confirming};

    #[test]
    fn a_command_names_its_case_and_no_other() {
        let change = Change {
            case: "cpp/Fibonacci::fib <15> (it's a+b)".to_owned(),
            runtime: "native".to_owned(),
            run: String::new(),
            started: String::new(),
            seen: String::new(),
            before: "1".repeat(40),
            after: "2".repeat(40),
            from_ns: 1.0,
            to_ns: 2.0,
            confirmation: None,
        };
        // In an expression `\<` is the beginning of a word.
        assert_eq!(
            confirming(&change).unwrap(),
            r"tare compare 111111111111 222222222222 --filter '^Fibonacci::fib <15> \(it'\''s a\+b\)$'"
        );
    }
}
