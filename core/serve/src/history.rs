//! A case over its runs: what was measured in one way makes one line, whose changes of level are looked for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use tare_machine::class;
use tare_samples::POLICY;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::shifts::{SHORTEST_LEVEL, history_changes};
use tare_store::{SeriesRun, Store, StoreError};

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
    /// How it was measured, as [`Line::kind`] says it, and the calls of a sample, where the run had several numbers of them.
    pub(crate) kind: String,
    pub(crate) calls: String,
    /// The Go package below the project's root, which the kind names, too; empty for that at the root, and in other languages.
    #[serde(skip)]
    pub(crate) place: String,
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
    /// One for each way in which it was measured, that of the newest run first.
    pub(crate) lines: Vec<Line>,
    /// The ways, whatever lines were asked for.
    pub(crate) kinds: Vec<String>,
}

/// The runs that were measured in one way: what is said of one level holds of no other machine.
#[derive(Default)]
pub(crate) struct Line {
    /// The way, in words that no other has.
    pub(crate) kind: String,
    pub(crate) points: Vec<Point>,
    pub(crate) changes: Vec<Change>,
}

/// What makes other times of the same code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    policy: u32,
    machine: String,
    /// Calls of a sample, where the run had several numbers of them: `500 calls`.
    calls: String,
    /// The Go package below the project's root, empty for that at the root: benchmarks of one name in two packages have one case where each package was run by itself.
    place: String,
}

/// What stands before the package in the words of a kind.
const PACKAGE: &str = "; package ";

/// Whether a line of this kind is meant by `asked`, words of a kind or what stood in addresses before packages were told apart.
pub(crate) fn is_meant(kind: &str, asked: &str) -> bool {
    kind.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(PACKAGE))
}

impl Kind {
    /// The same whichever runs are asked for: addresses hold it.
    fn words(&self) -> String {
        let mut words = self.machine.clone();
        if !self.calls.is_empty() {
            words.push_str(&format!("; {}", self.calls));
        }
        if self.policy != POLICY {
            words.push_str(&format!("; correction policy {}", self.policy));
        }
        // Last: addresses that were made before packages were told apart have what stands before it.
        if !self.place.is_empty() {
            words.push_str(&format!("{PACKAGE}{}", self.place));
        }
        words
    }
}

/// Classes of machines, each told once.
#[derive(Default)]
struct Machines<'a>(Vec<(&'a BTreeMap<String, String>, String)>);

impl<'a> Machines<'a> {
    fn class(&mut self, run: &'a SeriesRun) -> String {
        let facts: &BTreeMap<String, String> = &run.machine;
        if let Some((_, class)) = self.0.iter().find(|(known, _)| std::ptr::eq(*known, facts)) {
            return class.clone();
        }
        let own = class(facts);
        self.0.push((facts, own.clone()));
        own
    }
}

/// What tells a variant from others of its case and runtime in one run: `500 calls` of `php/sort@php*500 calls`, and the number of one that another tool's file
/// has several times. Calls that Tare chose are the usual ones.
fn calls(variant: &str, case: &str) -> String {
    let rest = variant.strip_prefix(case).unwrap_or_default();
    match (rest.rsplit_once('*'), rest.strip_prefix('~')) {
        (Some((_, "auto")), _) => String::new(),
        (Some((_, calls)), _) => calls.to_owned(),
        (None, Some(number)) => format!("number {number} of this name"),
        (None, None) => String::new(),
    }
}

/// The lines of a case on a runtime, that of the newest run first; its runs oldest first. It doesn't add the verdicts of comparisons of two commits.
pub(crate) fn lines(case: &str, runtime: &str, runs: &[SeriesRun]) -> Vec<Line> {
    let mut kinds: Vec<(Kind, Vec<&SeriesRun>)> = Vec::new();
    let mut machines = Machines::default();
    for run in runs {
        let kind = Kind {
            policy: run.policy,
            machine: machines.class(run),
            calls: calls(&run.variant, case),
            place: place(run, case).to_owned(),
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, runs)) => runs.push(run),
            None => kinds.push((kind, vec![run])),
        }
    }
    // The newest line first. Of lines from one run, the line with the usual number of calls comes first.
    let begun = |own: &[&SeriesRun]| own.last().map(|run| (run.started.clone(), run.run.clone()));
    kinds.sort_by_key(|(kind, own)| (Reverse(begun(own)), !kind.calls.is_empty()));
    let line = |(kind, own): (Kind, Vec<&SeriesRun>)| {
        let points = points(&by_commit(own));
        let words = kind.words();
        let mut changes = changes(case, runtime, &points);
        for change in &mut changes {
            (change.kind, change.calls) = (words.clone(), kind.calls.clone());
            change.place.clone_from(&kind.place);
        }
        Line { kind: words, points, changes }
    };
    kinds.into_iter().map(line).collect()
}

impl History {
    /// Of the runs of a case on a runtime, oldest first.
    pub(crate) fn of(store: &dyn Store, case: &str, runtime: &str, runs: Vec<SeriesRun>) -> Result<Self, StoreError> {
        let mut lines = lines(case, runtime, &runs);
        for change in lines.iter_mut().flat_map(|line| &mut line.changes) {
            // Side by side on one machine they tell of the code, whatever machine it was.
            change.confirmation = confirmation(store, &runs, change)?;
        }
        Ok(Self { lines, kinds: Vec::new() })
    }

    /// The newest run of all.
    pub(crate) fn newest(&self) -> Option<&Point> {
        self.lines.first()?.points.last()
    }
}

/// As [`Kind::place`]: where the case's own name doesn't begin with its package.
fn place<'a>(run: &'a SeriesRun, case: &str) -> &'a str {
    if run.place == "." || case.contains("::Benchmark") { "" } else { &run.place }
}

fn named(run: &SeriesRun, name: &str) -> String {
    run.git.get(name).cloned().unwrap_or_default()
}

/// Sides of comparisons of revisions behind the other measurements of their commits: an old commit that is measured once more today is no return to what
/// it took. The rest stays as it is.
fn by_commit(runs: Vec<&SeriesRun>) -> Vec<&SeriesRun> {
    let place: BTreeMap<String, usize> = runs
        .iter()
        .enumerate()
        .filter(|(_, run)| !run.side && named(run, "dirty") != "true" && !named(run, "commit").is_empty())
        .map(|(index, run)| (named(run, "commit"), index))
        .collect();
    let mut placed: Vec<(usize, &SeriesRun)> = runs
        .into_iter()
        .enumerate()
        .map(|(index, run)| {
            let own = place.get(&named(run, "commit")).filter(|_| run.side && named(run, "dirty") != "true");
            (own.copied().unwrap_or(index), run)
        })
        .collect();
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, run)| run).collect()
}

fn points(runs: &[&SeriesRun]) -> Vec<Point> {
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
            kind: String::new(),
            calls: String::new(),
            place: String::new(),
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
        let is_clean = |run: &&SeriesRun| run.side && named(run, "dirty") != "true";
        let sides = runs.iter().filter(|run| is_clean(run) && place(run, &change.case) == change.place);
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
    let calls = match change.calls.split_once(' ') {
        Some(("no", _)) => " --calls 0".to_owned(),
        Some((number, "call" | "calls")) => format!(" --calls {number}"),
        _ => String::new(),
    };
    let package = match change.place.as_str() {
        "" => String::new(),
        place => format!(" {}", shell_words::quote(&format!("./{place}"))),
    };
    Some(format!("tare compare {before} {after}{package} --filter '^{pattern}$'{calls}"))
}

#[cfg(test)]
mod tests;
