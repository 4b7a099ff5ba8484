//! Watches what was submitted until all of it is measured, and makes one run of it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tare_definition::{FailOn, Project, parse_fail_on};
use tare_session::{Error, MergeRequest, Merged, merge, open_store};
use tare_store::{Access, RunFilter, RunState, StoreLocation};

use crate::agent::{Begun, begun_in, store_of};
use crate::job::Job;
use crate::slurm::{self, Task};
use crate::submit::array;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How far it is, is told so often, and when something changes.
const TELL_EVERY: Duration = Duration::from_secs(15);
/// The queue and the store don't know of an end at the same moment.
const ENDED_FOR: Duration = Duration::from_secs(5);
/// A server that is restarted is back by then.
const UNREAD_FOR: Duration = Duration::from_secs(120);
/// A task that is cancelled has so long to end.
const ENDING_AT_MOST: Duration = Duration::from_secs(60);
const MOST_TRIES: u32 = 3;
/// A node's clock that is further off is told.
const CLOCK_OFF_S: i64 = 60;
/// Lines of a task's output that an error shows.
const TAIL: usize = 5;

/// How far a part is, by its store.
#[derive(Debug, Clone, Default)]
struct Measured {
    complete: bool,
    launches: u64,
}

/// What watching ends with.
#[derive(Debug)]
pub enum Watched {
    /// All was measured, and is one run.
    Done(Box<Merged>),
    /// It was stopped, and its jobs are taken back.
    Stopped,
}

/// Watches until all is measured. `tell` is told what happens; `stop` takes the jobs back.
///
/// # Errors
///
/// Somebody else watches, a part can't be measured, or what was measured can't be put together.
pub fn watch(job: Job, project: &Project, stop: &AtomicBool, tell: &mut dyn FnMut(&str)) -> Result<Watched, Error> {
    let alone = only_watcher(&job, &job.place(project))?;
    watch_alone(job, project, stop, tell, &alone)
}

/// Held by who watches, as long as it does.
fn only_watcher(job: &Job, place: &Path) -> Result<File, Error> {
    let failed = |error: std::io::Error| Error::failed(format!("{}: {error}", place.display()));
    let lock = File::create(place.join("watched")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(_) => {
            Err(Error::usage(format!("{} is watched by another tare already; end that one, or wait for it", job.id)))
        }
    }
}

fn watch_alone(
    mut job: Job,
    project: &Project,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
    _alone: &File,
) -> Result<Watched, Error> {
    let place = job.place(project);
    let mut silent = Silent { state: None, at: Instant::now() };
    let mut ended: BTreeMap<u32, Instant> = BTreeMap::new();
    let mut clocks: Vec<u32> = Vec::new();
    let mut unread = Instant::now();
    loop {
        if stop.load(Ordering::Relaxed) {
            slurm::cancel(&job.jobs)?;
            return Ok(Watched::Stopped);
        }
        let tasks = slurm::tasks(&job.jobs)?;
        let measured = measured(&job, &place, project);
        if let Ok(measured) = &measured
            && (1..=job.parts).all(|part| measured.get(&part).is_some_and(|of| of.complete))
        {
            break;
        }
        if measured.is_ok() {
            unread = Instant::now();
        }
        told_clocks(&job, &place, &mut clocks, tell);
        match (&tasks, &measured) {
            (Some(tasks), Ok(measured)) => {
                let launches = measured.values().map(|part| part.launches).sum();
                silent.tell(state(tasks, measured), job.parts, launches, tell);
                look_after(&mut job, &place, project, tasks, measured, &mut ended, tell)?;
            }
            (None, _) => silent.tell(State::NoQueue, job.parts, 0, tell),
            (Some(tasks), Err(error)) if !tasks.values().any(Task::is_alive) && unread.elapsed() > UNREAD_FOR => {
                return Err(Error::failed(format!(
                    "all tasks of {} have ended, and the store can't be read: {error}; `tare fleet attach {}` goes on when it can",
                    job.id, job.id
                )));
            }
            (_, Err(error)) => silent.tell(State::Unread(error.to_string()), job.parts, 0, tell),
        }
        std::thread::sleep(LOOK_EVERY);
    }
    together(&mut job, &place, project).map(|merged| Watched::Done(Box::new(merged)))
}

/// Takes up again what was submitted: what ended before it was done is submitted again, and then all is watched.
///
/// # Errors
///
/// As [`watch`].
pub fn attach(
    mut job: Job,
    project: &Project,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<Watched, Error> {
    let place = job.place(project);
    // Before anything is submitted again: two that attach at once would both do it.
    let alone = only_watcher(&job, &place)?;
    let queue = || slurm::tasks(&job.jobs)?.ok_or_else(|| Error::failed("the queue doesn't answer; try again later"));
    let mut tasks = queue()?;
    // What was taken back a moment ago is still there, and will not be measured.
    let asked = Instant::now();
    while tasks.values().any(Task::is_ending) && asked.elapsed() < ENDING_AT_MOST {
        std::thread::sleep(LOOK_EVERY);
        tasks = queue()?;
    }
    let measured = measured(&job, &place, project)?;
    job.tries = vec![0; job.parts as usize];
    for part in 1..=job.parts {
        let done = measured.get(&part).is_some_and(|of| of.complete);
        if !done && !tasks.get(&part).is_some_and(Task::is_alive) {
            resubmit(&mut job, part, &place, project)?;
            tell(&format!("part {part} isn't measured: submitted again"));
        }
    }
    watch_alone(job, project, stop, tell, &alone)
}

/// How a job stands: what is told at once when it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Parts that are measured, nodes that measure, why the others wait.
    Known { done: usize, nodes: Vec<String>, waiting: usize, reasons: Vec<String> },
    /// Only tasks are known, and why the store can't be read.
    Unread(String),
    /// The queue doesn't answer.
    NoQueue,
}

/// Tells what changes, and now and then what doesn't.
struct Silent {
    state: Option<State>,
    at: Instant,
}

impl Silent {
    fn tell(&mut self, state: State, parts: u32, launches: u64, tell: &mut dyn FnMut(&str)) {
        if self.state.as_ref() != Some(&state) || self.at.elapsed() >= TELL_EVERY {
            tell(&described(&state, parts, launches));
            (self.state, self.at) = (Some(state), Instant::now());
        }
    }
}

fn state(tasks: &BTreeMap<u32, Task>, measured: &BTreeMap<u32, Measured>) -> State {
    let waits: Vec<&Task> = tasks.values().filter(|task| task.state == "PENDING").collect();
    let mut nodes: Vec<String> =
        tasks.values().filter(|task| task.state == "RUNNING").map(|task| task.node.clone()).collect();
    nodes.sort_unstable();
    let known = |reason: &&str| !["None", ""].contains(reason);
    let mut reasons: Vec<String> =
        waits.iter().map(|task| task.reason.as_str()).filter(known).map(str::to_owned).collect();
    reasons.sort_unstable();
    reasons.dedup();
    State::Known {
        done: measured.values().filter(|part| part.complete).count(),
        nodes,
        waiting: if reasons.is_empty() { 0 } else { waits.len() },
        reasons,
    }
}

fn described(state: &State, parts: u32, launches: u64) -> String {
    match state {
        State::NoQueue => "the queue doesn't answer; what runs goes on".to_owned(),
        State::Unread(error) => format!("the store can't be read at the moment: {error}"),
        State::Known { done, nodes, waiting, reasons } => {
            let mut text = format!("{done} of {parts} parts measured, {launches} launches");
            if !nodes.is_empty() {
                text.push_str(&format!(", measuring on {}", nodes.join(" ")));
            }
            if !reasons.is_empty() {
                text.push_str(&format!(", {waiting} waiting in the queue ({})", reasons.join(" ")));
            }
            text
        }
    }
}

/// What the stores have of each part.
fn measured(job: &Job, place: &Path, project: &Project) -> Result<BTreeMap<u32, Measured>, Error> {
    let mut all = BTreeMap::new();
    let server = if job.on_server { Some(open_store(project, Access::ReadOnly)?) } else { None };
    for part in 1..=job.parts {
        let filter = RunFilter { tag: Some(job.tag(part)), ..RunFilter::default() };
        let runs = match &server {
            Some(store) => store.runs(&filter).map_err(Error::store)?,
            None => {
                let own = StoreLocation::folder(store_of(place, part));
                if !own.exists() {
                    continue;
                }
                match own.open(Access::ReadOnly).and_then(|store| store.runs(&filter)) {
                    Ok(runs) => runs,
                    // It is being made.
                    Err(_) => continue,
                }
            }
        };
        let complete = runs.iter().any(|run| run.state == RunState::Complete);
        all.insert(part, Measured { complete, launches: runs.iter().map(|run| run.launches).max().unwrap_or(0) });
    }
    Ok(all)
}

/// Submits again what ended before it was done.
fn look_after(
    job: &mut Job,
    place: &Path,
    project: &Project,
    tasks: &BTreeMap<u32, Task>,
    measured: &BTreeMap<u32, Measured>,
    ended: &mut BTreeMap<u32, Instant>,
    tell: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    for part in 1..=job.parts {
        let task = tasks.get(&part);
        if measured.get(&part).is_some_and(|of| of.complete) || task.is_some_and(Task::is_alive) {
            ended.remove(&part);
            continue;
        }
        if ended.entry(part).or_insert_with(Instant::now).elapsed() < ENDED_FOR {
            continue;
        }
        let state = task.map_or("gone", |task| task.state.as_str());
        let tried = job.tries.get(part as usize - 1).copied().unwrap_or(1);
        let why = match (state, status(place, part)) {
            ("CANCELLED", _) => Some("somebody cancelled it (scancel)".to_owned()),
            // What is asked for can't be: it would end so again.
            (_, Some(2)) => Some("it was refused".to_owned()),
            _ if tried >= MOST_TRIES => Some(format!("it ended {tried} times before it was done (last: {state})")),
            _ => None,
        };
        if let Some(why) = why {
            let alive = tasks.values().filter(|task| task.is_alive()).count();
            let rest = if alive == 0 {
                String::new()
            } else {
                format!("; {alive} of the others are still there, `scancel {}` ends them", job.jobs.join(" "))
            };
            return Err(Error::failed(format!(
                "part {part} of {} wasn't measured: {why}{rest}; `tare fleet attach {}` submits again what is missing{}",
                job.id,
                job.id,
                tail(place, part)
            )));
        }
        resubmit(job, part, place, project)?;
        tell(&format!(
            "part {part} ended before it was done ({state}): submitted again, try {} of {MOST_TRIES}",
            tried + 1
        ));
        ended.remove(&part);
    }
    Ok(())
}

fn resubmit(job: &mut Job, part: u32, place: &Path, project: &Project) -> Result<(), Error> {
    let _ = fs::remove_file(ended_in(place, part));
    let number =
        slurm::submit(place, &job.submission, &array(&part.to_string(), &project.settings.fleet), project.server())?;
    job.jobs.push(number);
    if let Some(tries) = job.tries.get_mut(part as usize - 1) {
        *tries += 1;
    }
    job.keep(place)
}

fn ended_in(place: &Path, part: u32) -> std::path::PathBuf {
    place.join(format!("part-{part}.ended"))
}

fn status(place: &Path, part: u32) -> Option<i32> {
    fs::read_to_string(ended_in(place, part)).ok()?.trim().parse().ok()
}

/// The last lines of what a task printed.
fn tail(place: &Path, part: u32) -> String {
    let file = place.join(format!("part-{part}.log"));
    let text = fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(TAIL)..];
    if last.is_empty() { String::new() } else { format!("\nthe end of {}:\n  {}", file.display(), last.join("\n  ")) }
}

/// Says once of each part where its node's clock is far from this machine's.
fn told_clocks(job: &Job, place: &Path, told: &mut Vec<u32>, tell: &mut dyn FnMut(&str)) {
    for part in (1..=job.parts).filter(|part| !told.contains(part)).collect::<Vec<_>>() {
        let file = begun_in(place, part);
        let Some(begun) = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Begun>(&text).ok()) else {
            continue;
        };
        told.push(part);
        let written =
            fs::metadata(&file).and_then(|data| data.modified()).ok().and_then(|time| Timestamp::try_from(time).ok());
        let (Some(written), Ok(said)) = (written, begun.at.parse::<Timestamp>()) else { continue };
        let off = said.duration_since(written).as_secs();
        if off.abs() > CLOCK_OFF_S {
            tell(&format!(
                "the clock of {} is {} min off the file system's: starts of its runs are told wrong; set it by NTP",
                begun.node,
                off / 60
            ));
        }
    }
}

/// One run of all parts.
fn together(job: &mut Job, place: &Path, project: &Project) -> Result<Merged, Error> {
    let stores = match job.on_server {
        true => Vec::new(),
        false => (1..=job.parts).map(|part| store_of(place, part).display().to_string()).collect(),
    };
    let fail_on: Vec<FailOn> =
        job.fail_on.iter().map(|gate| parse_fail_on(gate)).collect::<Result<_, _>>().map_err(Error::usage)?;
    let request =
        MergeRequest { stores, folder: place.to_owned(), only: Some(job.id.clone()), tags: job.tags.clone(), fail_on };
    let merged = merge(&request, project)?;
    job.merged = Some(merged.view.origin.id.clone());
    job.keep(place)?;
    for part in 1..=job.parts {
        // All of it is in the project's store.
        let _ = fs::remove_dir_all(store_of(place, part));
        let _ = fs::remove_dir_all(place.join(format!("checkout-{part}")));
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{Measured, Silent, Task, described, state};

    fn task(state: &str, reason: &str, node: &str) -> Task {
        Task { state: state.into(), reason: reason.into(), node: node.into() }
    }

    #[test]
    fn what_changes_is_told_at_once_and_more_launches_are_not() {
        let mut silent = Silent { state: None, at: Instant::now() };
        let mut told = Vec::new();
        let tasks = [(1, task("RUNNING", "None", "n1")), (2, task("PENDING", "Resources", ""))].into();
        let part = |complete, launches| Measured { complete, launches };
        for (done, launches) in [(false, 3), (false, 7), (true, 9), (true, 9)] {
            silent.tell(state(&tasks, &[(1, part(done, launches))].into()), 2, launches, &mut |text| {
                told.push(text.to_owned())
            });
        }
        assert_eq!(
            told,
            [
                "0 of 2 parts measured, 3 launches, measuring on n1, 1 waiting in the queue (Resources)",
                "1 of 2 parts measured, 9 launches, measuring on n1, 1 waiting in the queue (Resources)",
            ]
        );
    }

    #[test]
    fn a_task_that_waits_for_nothing_in_particular_is_not_told() {
        let tasks = [(1, task("PENDING", "None", ""))].into();
        assert_eq!(described(&state(&tasks, &[].into()), 1, 0), "0 of 1 parts measured, 0 launches");
    }
}
