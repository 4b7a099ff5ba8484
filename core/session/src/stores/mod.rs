//! What is done with a store as a whole: runs go from store to store, are looked at, and are deleted.

mod keeping;

use std::path::Path;

use jiff::Timestamp;
use tare_definition::Project;
use tare_store::{Access, Copied, RunFilter, RunState, StoreError, StoreLocation, copy_run, push, spooled};

use crate::error::Error;
use crate::merging::place_in_arguments;
use crate::project::{open_store, spool_folder, stays, store_place};
use keeping::to_be_deleted;

pub use keeping::KeepRule;

/// What was done with a store.
#[derive(Debug, Default)]
pub struct StoreReport {
    /// What was done.
    pub lines: Vec<String>,
    /// What wasn't, or isn't as it should be. Anything here is a failure.
    pub faults: Vec<String>,
}

fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn launches(number: u64) -> String {
    if number == 1 { "1 launch".to_owned() } else { format!("{number} launches") }
}

/// Sends what was measured while the project's server was away.
///
/// # Errors
///
/// The project's store is no server, or can't be reached. A run that can't be sent is a fault of the report.
pub fn push_spooled(project: &Project) -> Result<StoreReport, Error> {
    let spool = spool_folder(project);
    let StoreLocation::Server(address) = store_place(project)? else {
        return Err(Error::usage(
            "`tare store push` sends runs to a server, and the store is a folder; name the server with --store postgres://USER@HOST/DATABASE, TARE_STORE, or `[store] url` in tare.toml",
        ));
    };
    let mut report = StoreReport::default();
    for pushed in push(&spool, &address).map_err(Error::store)? {
        match pushed.sent {
            Ok(Copied { launches: sent, there }) => {
                report.lines.push(format!("run {}: {} sent, {there} there already", pushed.run, launches(sent)))
            }
            Err(error) => report.faults.push(stays(&pushed.run, &spool, &error)),
        }
    }
    for (run, store) in spooled(&spool).into_iter().filter(|(_, store)| *store != address.to_string()) {
        report.faults.push(format!("run {run} in the spool is for another store: `tare store push --store {store}`"));
    }
    if report.lines.is_empty() && report.faults.is_empty() {
        report.lines.push(format!("nothing waits in the spool {}", spool.display()));
    }
    Ok(report)
}

/// Copies these runs, or all, from one store to another, which are named relative to `here`.
///
/// # Errors
///
/// Where a store can't be opened, or a run isn't there. What goes wrong with single runs is in the report.
pub fn copy_runs(from: &str, to: &str, runs: &[String], here: &Path) -> Result<StoreReport, Error> {
    let (source, target) = (place_in_arguments(from, here)?, place_in_arguments(to, here)?);
    if source == target {
        return Err(Error::usage(format!("{from} and {to} are the same store; name two")));
    }
    let source = source.open(Access::ReadOnly).map_err(Error::store)?;
    let mut ids: Vec<String> =
        runs.iter().map(|run| source.resolve(run)).collect::<Result<_, _>>().map_err(Error::usage)?;
    if ids.is_empty() {
        // The oldest first: what is cut off has no holes.
        ids = source.names().map_err(Error::store)?.into_iter().rev().map(|run| run.id).collect();
    }
    let mut target = target.open(Access::ReadWrite).map_err(Error::store)?;
    let mut report = StoreReport::default();
    let (mut sent, mut there, mut whole) = (0, 0, 0);
    for id in &ids {
        match copy_run(source.as_ref(), target.as_mut(), id) {
            Ok(copied) => {
                sent += copied.launches;
                there += copied.there;
                whole += 1;
            }
            // Nothing that follows would fare better.
            Err(error) if error.is_lost() => return Err(Error::store(error)),
            Err(error) => report.faults.push(format!("run {id} wasn't copied: {error}")),
        }
    }
    report.lines.push(format!("{}: {} copied, {there} there already", count(whole, "run"), launches(sent)));
    Ok(report)
}

/// Deletes the runs of the project's store that no rule keeps; with `dry_run` it only says which.
///
/// # Errors
///
/// Where the store can't be opened, or is lost meanwhile.
pub fn prune_store(keep: &[KeepRule], dry_run: bool, project: &Project) -> Result<StoreReport, Error> {
    let access = if dry_run { Access::ReadOnly } else { Access::ReadWrite };
    // Deleting must not leave a store behind where there was none.
    drop(open_store(project, Access::ReadOnly)?);
    let mut store = open_store(project, access)?;
    let runs = store.runs(&RunFilter::default()).map_err(Error::store)?;
    let mut report = StoreReport::default();
    let (mut gone, mut measured) = (0, 0);
    for run in to_be_deleted(&runs, keep, Timestamp::now()) {
        let id = &run.origin.id;
        let tags =
            if run.origin.tags.is_empty() { String::new() } else { format!(" ({})", run.origin.tags.join(", ")) };
        if dry_run {
            if run.state == RunState::Running && store.is_measured(id).map_err(Error::store)? {
                measured += 1;
                continue;
            }
            report.lines.push(format!("run {id}{tags} would be deleted: {}", launches(run.launches)));
            gone += 1;
            continue;
        }
        match store.delete_run(id) {
            Ok(()) => gone += 1,
            Err(StoreError::InUse { .. }) => measured += 1,
            // Somebody else deleted it.
            Err(StoreError::UnknownRun { .. }) => {}
            Err(error) if error.is_lost() => return Err(Error::store(error)),
            Err(error) => report.faults.push(format!("run {id} wasn't deleted: {error}")),
        }
    }
    let left = runs.len() as u64 - gone;
    let would = if dry_run { "would be " } else { "" };
    report.lines.push(format!("{} {would}deleted, {left} kept", count(gone, "run")));
    if measured > 0 {
        report.lines.push(format!("{} of the kept runs are in progress", measured));
    }
    Ok(report)
}

/// Looks whether all of the project's store is what was stored.
///
/// # Errors
///
/// Where the store can't be opened, or is lost meanwhile.
pub fn check_store(project: &Project) -> Result<StoreReport, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let mut report = StoreReport { lines: Vec::new(), faults: store.faults().map_err(Error::store)? };
    let runs = store.runs(&RunFilter::default()).map_err(Error::store)?;
    for run in &runs {
        let id = &run.origin.id;
        match store.damaged(id) {
            Ok(damaged) => report.faults.extend(damaged.iter().map(|fault| format!("run {id}: {fault}"))),
            Err(error) if error.is_lost() => return Err(Error::store(error)),
            Err(error) => report.faults.push(format!("run {id} can't be read: {error}")),
        }
    }
    let waiting = spooled(&spool_folder(project));
    for (run, store) in &waiting {
        report.lines.push(format!("run {run} waits in the spool for {store}: `tare store push` sends it"));
    }
    let all = launches(runs.iter().map(|run| run.launches).sum());
    report.lines.push(match report.faults.len() {
        0 => format!("{}, {all}: all as they were stored", count(runs.len() as u64, "run")),
        faults => format!("{}, {all}: {}", count(runs.len() as u64, "run"), count(faults as u64, "fault")),
    });
    Ok(report)
}
