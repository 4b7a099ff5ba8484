//! Stored runs as a report takes them.

use tare_request::again;
use tare_results::{LogRow, RunView, VariantView};
use tare_store::{RunRow, Store, StoreError, StoredRun};

use crate::judging::live;
use crate::summaries::of_stored;

/// A stored run, whole.
pub(crate) fn of_run(store: &dyn Store, stored: StoredRun) -> Result<RunView, StoreError> {
    let run = stored.row.origin.id.clone();
    let variants =
        stored.variants.into_iter().map(|variant| of_stored(store, &run, variant)).collect::<Result<_, _>>()?;
    let variants: Vec<VariantView> = variants;
    let comparisons = live::of_stored(stored.comparisons, &variants);
    Ok(RunView {
        origin: stored.row.origin,
        variants,
        comparisons,
        notices: Vec::new(),
        file_failures: Vec::new(),
        spent: None,
        stored: true,
        again: serde_json::from_str(&stored.request).ok().map(|request| again(&request)),
    })
}

/// A run in one line.
pub(crate) fn log_row(row: RunRow) -> LogRow {
    let git = |name: &str| row.origin.git.get(name).cloned().unwrap_or_default();
    LogRow {
        branch: git("branch"),
        commit: git("commit"),
        dirty: git("dirty") == "true",
        cases: row.variants,
        failed: row.failed,
        state: row.state,
        id: row.origin.id,
        started: row.origin.started,
        tags: row.origin.tags,
    }
}
