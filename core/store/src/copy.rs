//! Runs from one store to another. What is there already stays; what isn't is added: a copy that was cut off can be made again.

use std::collections::HashMap;

use tare_samples::Launch;

use crate::rows::{RunState, StoredRun};
use crate::{Result, Store, StoreError};

/// Launches that are sent together: each batch is one transaction.
const BATCH: usize = 64;

/// What was done with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Launches that weren't there.
    pub launches: u64,
    /// Launches that were.
    pub there: u64,
}

/// Copies a run, with all that was measured in it, as it stands.
///
/// # Errors
///
/// [`StoreError::Differs`] where the target has another run of that name, or another launch in the place of one; [`StoreError::InUse`] where
/// it is being measured there; what the two stores say.
pub fn copy_run(from: &dyn Store, to: &mut dyn Store, run: &str) -> Result<Copied> {
    let source = from.run(run)?;
    match to.run(run) {
        Ok(there) => {
            check_same_run(&source, &there)?;
            if there.row.state == RunState::Complete {
                return already_there(from, to, &source);
            }
            to.resume_run(run)?;
        }
        Err(StoreError::UnknownRun { .. }) => to.begin_run(&source.row.origin, &source.request)?,
        Err(error) => return Err(error),
    }
    let copied = put_all(from, to, &source)?;
    to.finish_run_at(run, source.row.state, source.row.finished.as_deref())?;
    Ok(copied)
}

/// The same of a run that the target holds already: it stays held, unless it has ended.
pub(crate) fn put_all(from: &dyn Store, to: &mut dyn Store, source: &StoredRun) -> Result<Copied> {
    let run = source.row.origin.id.as_str();
    to.put_findings(run, &source.row.origin.findings)?;
    to.put_failures(run, &source.row.failures)?;
    to.put_machine(run, &source.row.origin.machine)?;
    let mut copied = Copied { launches: 0, there: 0 };
    for stored in &source.variants {
        let id = stored.variant.id.as_str();
        to.put_variant(run, stored.ordinal, &stored.variant)?;
        if let Some(calibration) = &stored.calibration {
            to.put_calibration(run, id, calibration)?;
        }
        let there: HashMap<u32, Launch> =
            to.launches(run, id)?.into_iter().map(|launch| (launch.ordinal, launch)).collect();
        let mut missing: Vec<Launch> = Vec::new();
        for launch in from.launches(run, id)? {
            match there.get(&launch.ordinal) {
                Some(same) if *same == launch => copied.there += 1,
                Some(_) => {
                    return Err(differs(run, format!("launch {} of {id:?} is another one there", launch.ordinal)));
                }
                None => missing.push(launch),
            }
        }
        for batch in missing.chunks(BATCH) {
            let batch: Vec<(&str, &Launch)> = batch.iter().map(|launch| (id, launch)).collect();
            to.put_launches(run, &batch)?;
        }
        copied.launches += missing.len() as u64;
        if let Some(outcome) = &stored.outcome {
            to.put_outcome(run, id, outcome, stored.summary.as_ref())?;
        }
    }
    for (ordinal, comparison) in (0..).zip(&source.comparisons) {
        to.put_comparison(run, ordinal, comparison)?;
    }
    if let Some(load) = from.load(run)? {
        to.put_load(run, &load)?;
    }
    Ok(copied)
}

/// Of a run that is complete there nothing is changed.
fn already_there(from: &dyn Store, to: &dyn Store, source: &StoredRun) -> Result<Copied> {
    let run = source.row.origin.id.as_str();
    let mut there = 0;
    for stored in &source.variants {
        let id = stored.variant.id.as_str();
        if from.launches(run, id)? != to.launches(run, id)? {
            return Err(differs(run, format!("it is complete there, and has other launches of {id:?}")));
        }
        there += stored.launch_count;
    }
    Ok(Copied { launches: 0, there })
}

fn check_same_run(source: &StoredRun, there: &StoredRun) -> Result<()> {
    let what = |run: &StoredRun| {
        let origin = &run.row.origin;
        (origin.started.clone(), origin.seed, origin.policy, origin.tare.clone(), run.request.clone())
    };
    match what(source) == what(there) {
        true => Ok(()),
        false => Err(differs(&source.row.origin.id, "another run has its name there".to_owned())),
    }
}

fn differs(run: &str, what: String) -> StoreError {
    StoreError::Differs { run: run.to_owned(), what }
}
