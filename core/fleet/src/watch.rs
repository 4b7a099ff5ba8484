//! Watches what was submitted until all of it is measured, and makes one run of it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tare_definition::{FailOn, Project, parse_fail_on};
use tare_session::{Error, MergeRequest, Merged, merge, open_store, pool};
use tare_store::{Access, RunFilter, RunState, StoreLocation};

use crate::agent::store_of;
use crate::begun::{begun_in, begun_of, begun_of_others, waits_in};
use crate::fitness::{forget_refused, refused_by};
use crate::job::Job;
use crate::progress::{PartProgress, Silent, State, state};
use crate::slurm::{self, Task};
use crate::submit::array;

const LOOK_EVERY: Duration = Duration::from_secs(1);
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
            Err(Error::usage(format!("{} is already watched by another tare; end that one, or wait for it", job.id)))
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
    let mut silent = Silent::new();
    let mut ended: BTreeMap<u32, Instant> = BTreeMap::new();
    let (mut clocks, mut waits) = (Vec::new(), Vec::new());
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
        told_waits(job.parts, &place, &mut waits, tell);
        match (&tasks, &measured) {
            (Some(tasks), Ok(measured)) => {
                let launches = measured.values().map(|part| part.launches).sum();
                silent.tell(state(tasks, measured), job.parts, launches, tell);
                look_after(&mut job, &place, project, tasks, measured, &mut ended, tell)?;
            }
            (None, _) => silent.tell(State::NoQueue, job.parts, 0, tell),
            (Some(tasks), Err(error)) if !tasks.values().any(Task::is_alive) && unread.elapsed() > UNREAD_FOR => {
                return Err(Error::failed(format!(
                    "all tasks of {} have ended, and the store can't be read: {error}; run `tare fleet attach {}` when the store works again",
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
    job.refusals.clear();
    for part in 1..=job.parts {
        // Somebody has seen to the nodes, or thinks so.
        forget_refused(&place, part);
        let done = measured.get(&part).is_some_and(|of| of.complete);
        if !done && !tasks.get(&part).is_some_and(Task::is_alive) {
            resubmit(&mut job, part, &place, project)?;
            tell(&format!("part {part} isn't measured: submitted again"));
        }
    }
    watch_alone(job, project, stop, tell, &alone)
}

/// What the stores have of each part.
fn measured(job: &Job, place: &Path, project: &Project) -> Result<BTreeMap<u32, PartProgress>, Error> {
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
        all.insert(part, PartProgress { complete, launches: runs.iter().map(|run| run.launches).max().unwrap_or(0) });
    }
    Ok(all)
}

/// Submits again what ended before it was done.
fn look_after(
    job: &mut Job,
    place: &Path,
    project: &Project,
    tasks: &BTreeMap<u32, Task>,
    measured: &BTreeMap<u32, PartProgress>,
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
        let refused = refused_by(place, part);
        let known = job.refusals.insert(part, refused.len() as u32).unwrap_or(0);
        let was_refused = refused.len() as u32 > known;
        // A node that was refused says nothing of the part.
        let tried = job.tries.get(part as usize - 1).copied().unwrap_or(1).saturating_sub(refused.len() as u32);
        let why = match (state, status(place, part)) {
            ("CANCELLED", _) => Some("it was cancelled (scancel)".to_owned()),
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
                "part {part} of {} wasn't measured: {why}{rest}; `tare fleet attach {}` submits the missing parts again{}",
                job.id,
                job.id,
                tail(place, part)
            )));
        }
        resubmit(job, part, place, project)?;
        tell(&match refused.last().filter(|_| was_refused) {
            Some(last) => format!("part {part} is for another node than {} ({}): submitted again", last.node, last.why),
            None => format!(
                "part {part} ended before it was done ({state}): submitted again, try {} of {MOST_TRIES}",
                tried + 1
            ),
        });
        ended.remove(&part);
    }
    Ok(())
}

fn resubmit(job: &mut Job, part: u32, place: &Path, project: &Project) -> Result<(), Error> {
    let _ = fs::remove_file(ended_in(place, part));
    let refused = refused_by(place, part);
    let mut elsewhere: Vec<String> = refused.iter().map(|refused| refused.node.clone()).collect();
    if job.replicas {
        // Each on a machine of its own.
        elsewhere.extend(begun_of_others(job, place, part).into_iter().map(|(_, begun)| begun.node));
    }
    elsewhere.sort_unstable();
    elsewhere.dedup();
    let mut options = job.submission.clone();
    options.extend((!elsewhere.is_empty()).then(|| format!("--exclude={}", elsewhere.join(","))));
    let parts = array(&part.to_string(), &project.settings.fleet);
    let number =
        slurm::submit(place, &options, &parts, project.server()).map_err(|error| match refused.as_slice() {
            [] => error,
            some => {
                let why: Vec<String> =
                    some.iter().map(|refused| format!("{}: {}", refused.node, refused.why)).collect();
                let merged = judged_without(job, place, part).map(|hint| format!("; {hint}")).unwrap_or_default();
                let refused = why.join("; ");
                Error::failed(format!("{}; nodes that part {part} was refused on: {refused}{merged}", error.message))
            }
        })?;
    job.jobs.push(number);
    if let Some(tries) = job.tries.get_mut(part as usize - 1) {
        *tries += 1;
    }
    job.keep(place)
}

/// How replicas are judged without one for which there is no machine; `None` where too few others have begun.
fn judged_without(job: &Job, place: &Path, part: u32) -> Option<String> {
    let others = begun_of_others(job, place, part);
    if !job.replicas || others.len() < 2 {
        return None;
    }
    let stores: Vec<String> = match job.on_server {
        true => vec![format!("--only {}", job.id)],
        false => others.iter().map(|(other, _)| store_of(place, *other).display().to_string()).collect(),
    };
    Some(format!("`tare merge --replicas {}` judges the {} machines that measured it", stores.join(" "), others.len()))
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
        let Some(begun) = begun_of(place, part) else { continue };
        told.push(part);
        let written =
            fs::metadata(&file).and_then(|data| data.modified()).ok().and_then(|time| Timestamp::try_from(time).ok());
        let (Some(written), Ok(said)) = (written, begun.at.parse::<Timestamp>()) else { continue };
        let off = said.duration_since(written).as_secs();
        if off.abs() > CLOCK_OFF_S {
            tell(&format!(
                "the clock of {} is {} min off the file system's: the start times of its runs are wrong; set its clock by NTP",
                begun.node,
                off / 60
            ));
        }
    }
}

/// Says once of each wait of a part that its run is held by somebody else.
fn told_waits(parts: u32, place: &Path, told: &mut Vec<u32>, tell: &mut dyn FnMut(&str)) {
    for part in 1..=parts {
        let node = fs::read_to_string(waits_in(place, part)).ok().filter(|node| !node.is_empty());
        match node {
            None => told.retain(|&other| other != part),
            Some(node) if !told.contains(&part) => {
                told.push(part);
                tell(&format!(
                    "part {part} waits on {node}: the process that measured it before may still run, and holds its run for up to 15 minutes after the last launch"
                ));
            }
            Some(_) => {}
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
    let nodes = (1..=job.parts).filter_map(|part| Some((job.tag(part), begun_of(place, part)?.node))).collect();
    let request = MergeRequest {
        stores,
        folder: place.to_owned(),
        only: Some(job.id.clone()),
        tags: job.tags.clone(),
        fail_on,
        machines: nodes,
    };
    if job.replicas {
        // Each machine's run stays where it is.
        return pool(&request, project);
    }
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
    use super::{fs, told_waits, waits_in};

    #[test]
    fn each_wait_for_a_run_that_is_held_is_told_once() {
        let place = tempfile::tempdir().unwrap();
        let (mut told, mut said) = (Vec::new(), Vec::new());
        let mut look = || told_waits(2, place.path(), &mut told, &mut |text| said.push(text.to_owned()));
        look();
        fs::write(waits_in(place.path(), 2), "n1").unwrap();
        look();
        look();
        fs::remove_file(waits_in(place.path(), 2)).unwrap();
        look();
        fs::write(waits_in(place.path(), 2), "n2").unwrap();
        look();
        let begins: Vec<&str> = said.iter().map(|text| text.split(':').next().unwrap()).collect();
        assert_eq!(begins, ["part 2 waits on n1", "part 2 waits on n2"]);
    }
}
