//! A case over its runs: what was measured in one way makes one line, whose changes of level are looked for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use tare_machine::class;
use tare_report::HistoryOf;
use tare_samples::{CountEnvironment, POLICY};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::shifts::{SHORTEST_LEVEL, history_changes};
use tare_statistics::work::{CountedRun, Work, WorkStep, WorkVerdict, work_points};
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
    /// What a call executes; `None` where it wasn't counted, or other threads did a part of it.
    pub(crate) work: Option<PointWork>,
}

/// What a call executes in a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PointWork {
    /// Instructions, and how far launches of other seeds lie from that.
    pub(crate) instructions: Estimate,
    /// It executes more or less than before from here on.
    pub(crate) change: bool,
    /// What else has changed since the run that was counted before, so that the counts have nothing to do with each other.
    pub(crate) recounted: Option<String>,
}

/// A change of level, or of work.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Change {
    /// What has changed.
    #[serde(skip)]
    pub(crate) of: HistoryOf,
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
    /// When it came to be seen: with a change of work at once, with one of time when the new level had as many runs as one has to have.
    pub(crate) seen: String,
    /// The last commit of the old level, and the first of the new one; empty where they aren't known.
    pub(crate) before: String,
    pub(crate) after: String,
    /// Of times the means of both levels, nanoseconds; of work the level before and the run's own count, instructions.
    #[serde(skip)]
    pub(crate) from: f64,
    #[serde(skip)]
    pub(crate) to: f64,
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
    /// Of its times, and then of its work, each oldest first.
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
        let (points, steps) = points(&by_commit(own));
        let words = kind.words();
        let mut changes = changes(case, runtime, &points);
        changes.extend(changes_of_work(case, runtime, &points, &steps));
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

/// The points of runs, and those that begin another level of work, with the level that they leave.
fn points(runs: &[&SeriesRun]) -> (Vec<Point>, Vec<(usize, WorkStep)>) {
    let timed: Vec<(&SeriesRun, Estimate)> =
        runs.iter().filter_map(|run| Some((*run, run.time.filter(|time| time.estimate.is_finite())?))).collect();
    let point = |&(run, time): &(&SeriesRun, Estimate)| Point {
        run: run.run.clone(),
        started: run.started.clone(),
        branch: named(run, "branch"),
        commit: named(run, "commit"),
        dirty: named(run, "dirty") == "true",
        time,
        change: false,
        work: None,
    };
    let mut points: Vec<Point> = timed.iter().map(point).collect();
    let times: Vec<f64> = points.iter().map(|point| point.time.estimate).collect();
    for change in history_changes(&times) {
        points[change].change = true;
    }
    let runs: Vec<&SeriesRun> = timed.iter().map(|(run, _)| *run).collect();
    let steps = add_work(&mut points, &runs);
    (points, steps)
}

/// Adds what was counted to the points of these runs; those that begin another level, with the level that they leave.
fn add_work(points: &mut [Point], runs: &[&SeriesRun]) -> Vec<(usize, WorkStep)> {
    let mut counted: Vec<(usize, CountedRun<'_>)> = Vec::new();
    let mut branch = "";
    for (at, run) in runs.iter().enumerate() {
        // A side has no branch of its own: it stands behind the run of its commit, or follows what was measured before.
        branch = run.git.get("branch").map_or(branch, String::as_str);
        if let Some(work) = run.work.as_ref().filter(|work| !work.several_threads() && work.per_call().is_finite()) {
            counted.push((at, CountedRun { work, branch }));
        }
    }
    let all: Vec<CountedRun<'_>> = counted.iter().map(|(_, run)| *run).collect();
    let mut steps = Vec::new();
    let mut before: Option<&CountedRun<'_>> = None;
    for ((at, run), found) in counted.iter().zip(work_points(&all)) {
        let other = before.filter(|before| before.work.environment != run.work.environment);
        points[*at].work = Some(PointWork {
            instructions: found.work,
            change: found.step.is_some(),
            recounted: other.map(|before| unlike(before.work.environment.as_ref(), run.work.environment.as_ref())),
        });
        steps.extend(found.step.map(|step| (*at, WorkStep { before: counted[step.before].0, ..step })));
        before = Some(run);
    }
    steps
}

/// What tells two environments apart, in words.
fn unlike(before: Option<&CountEnvironment>, after: Option<&CountEnvironment>) -> String {
    let (Some(before), Some(after)) = (before, after) else { return "an unknown environment".to_owned() };
    let mut words = Vec::new();
    if before.tool != after.tool {
        words.push(format!("{} after {}", after.tool, before.tool));
    }
    if before.runtime != after.runtime {
        words.push(format!("runtime {} after {}", after.runtime, before.runtime));
    }
    if before.libraries != after.libraries {
        words.push("other builds of the machine's programs or libraries".to_owned());
    }
    words.join(", ")
}

/// The changes of work in a history, oldest first.
fn changes_of_work(case: &str, runtime: &str, points: &[Point], steps: &[(usize, WorkStep)]) -> Vec<Change> {
    // What wasn't committed can't be measured once more.
    let commit = |point: &Point| if point.dirty { String::new() } else { point.commit.clone() };
    let change = |(at, step): &(usize, WorkStep)| {
        let point = &points[*at];
        Some(Change {
            of: HistoryOf::Work,
            case: case.to_owned(),
            runtime: runtime.to_owned(),
            kind: String::new(),
            calls: String::new(),
            place: String::new(),
            run: point.run.clone(),
            started: point.started.clone(),
            seen: point.started.clone(),
            before: commit(&points[step.before]),
            after: commit(point),
            from: step.level,
            to: point.work.as_ref()?.instructions.estimate,
            confirmation: None,
        })
    };
    steps.iter().filter_map(change).collect()
}

/// The changes of level in the times of a history, oldest first.
fn changes(case: &str, runtime: &str, points: &[Point]) -> Vec<Change> {
    let mut starts: Vec<usize> =
        points.iter().enumerate().filter(|(_, point)| point.change).map(|(at, _)| at).collect();
    let mean = |part: &[Point]| part.iter().map(|point| point.time.estimate).sum::<f64>() / part.len().max(1) as f64;
    starts.insert(0, 0);
    starts.push(points.len());
    let change = |ends: &[usize]| {
        let (from, at, to) = (ends[0], ends[1], ends[2]);
        Change {
            of: HistoryOf::Time,
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
            from: mean(&points[from..at]),
            to: mean(&points[at..to]),
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
        let confirmed = |result: &'static str| Ok(Some(Confirmation { run: old.run.clone(), result }));
        if change.of == HistoryOf::Work {
            let Some(work) = old.work.as_ref().zip(new.work.as_ref()).and_then(|(old, new)| Work::of(old, new)) else {
                continue;
            };
            let seen = if change.to > change.from { WorkVerdict::More } else { WorkVerdict::Less };
            return confirmed(match work.verdict {
                WorkVerdict::Varies => "undecided",
                verdict if verdict == seen => "confirmed",
                _ => "refuted",
            });
        }
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
            let seen = if change.to > change.from { Verdict::Slower } else { Verdict::Faster };
            return confirmed(match verdict {
                Verdict::Inconclusive => "undecided",
                verdict if verdict == seen => "confirmed",
                _ => "refuted",
            });
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
    let work = if change.of == HistoryOf::Work { " --work" } else { "" };
    Some(format!("tare compare {before} {after}{package} --filter '^{pattern}$'{calls}{work}"))
}

#[cfg(test)]
mod tests;
