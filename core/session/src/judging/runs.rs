//! Stored runs as a report takes them.

use std::time::Duration;

use tare_request::{Request, again};
use tare_results::{LogRow, RunState, RunView, VariantView};
use tare_samples::{Failure, FailureKind, Memory, Outcome};
use tare_store::{RunRow, Store, StoreError, StoredRun, StoredVariant};

use crate::error::Error;
use crate::judging::{live, shared_error, unmeasured};
use crate::summaries::of_stored;

/// Refuses a load where a file is to be made of a run.
pub(crate) fn refuse_load(store: &dyn Store, id: &str) -> Result<(), Error> {
    match store.load(id).map_err(Error::failed)? {
        Some(_) => Err(Error::usage(format!(
            "{id} is a load, and files are made of runs of benchmarks; `tare show {id}` shows it, `tare show {id} --json` for other programs"
        ))),
        None => Ok(()),
    }
}

/// A stored run, whole.
pub(crate) fn of_run(store: &dyn Store, stored: StoredRun) -> Result<RunView, StoreError> {
    let run = stored.row.origin.id.clone();
    let damaged = store.damaged(&run)?;
    let variants: Vec<VariantView> = stored
        .variants
        .into_iter()
        .map(|variant| match damage_of(&variant, &damaged) {
            Some(failure) => Ok(spoilt(variant, failure)),
            None => of_stored(store, &run, variant),
        })
        .collect::<Result<_, _>>()?;
    let mut comparisons = live::of_stored(stored.comparisons, &variants);
    let file_failures = stored.row.failures;
    let request: Option<Request> = serde_json::from_str(&stored.request).ok();
    request.iter().for_each(|request| shared_error::apply(request, &mut comparisons));
    let interrupted = stored.row.state != RunState::Complete;
    let mut view = RunView {
        ended: None,
        profiles: Vec::new(),
        origin: stored.row.origin,
        variants,
        comparisons,
        notices: Vec::new(),
        file_failures,
        spent: None,
        stored: true,
        again: request.as_ref().map(again),
    };
    let total = request.and_then(|request| request.settings.total);
    unmeasured::sum_up(&mut view, total.map(|total| (total, Duration::ZERO)), interrupted);
    Ok(view)
}

/// What of the variant's samples isn't what was stored.
fn damage_of(variant: &StoredVariant, damaged: &[StoreError]) -> Option<Failure> {
    let own =
        |error: &&StoreError| matches!(error, StoreError::BadSamples { variant: of, .. } if *of == variant.variant.id);
    let first = damaged.iter().find(own)?;
    let more = damaged.iter().filter(own).count() - 1;
    let more = if more == 0 { String::new() } else { format!(" The same is true of {more} more of its launches.") };
    Some(Failure::new(FailureKind::Load, format!("{first}{more}"), "restore the store from a backup, or measure again"))
}

/// What was measured can't be told any more: figures that were computed of it before say nothing that could be checked.
fn spoilt(stored: StoredVariant, failure: Failure) -> VariantView {
    VariantView {
        variant: stored.variant,
        calibration: stored.calibration,
        outcome: Outcome::Failed(failure),
        summary: None,
        memory: Memory::default(),
        next_run: None,
        distribution: None,
    }
}

/// The commits that a run compares, base first; `None` where its sides aren't two revisions.
pub(crate) fn sides(run: &StoredRun) -> Option<[String; 2]> {
    let revision = |id: &str| {
        let variant = run.variants.iter().find(|stored| stored.variant.id == id)?;
        variant.variant.runtime.revision().map(str::to_owned)
    };
    let mut all = run.comparisons.iter().filter_map(|pair| Some([revision(&pair.base)?, revision(&pair.candidate)?]));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// A run in one line, and the commits of its `sides`.
pub(crate) fn log_row(row: RunRow, sides: Option<[String; 2]>) -> LogRow {
    let git = |name: &str| row.origin.git.get(name).cloned().unwrap_or_default();
    LogRow {
        failed: row.failed_in_all(),
        branch: git("branch"),
        commit: git("commit"),
        dirty: git("dirty") == "true",
        cases: row.load.map_or(row.cases, |(targets, _)| targets),
        load: row.load.is_some(),
        compares: row.comparisons > 0,
        sides,
        state: row.state,
        imported: row.origin.imported.map(|imported| imported.tool),
        id: row.origin.id,
        started: row.origin.started,
        tags: row.origin.tags,
    }
}
