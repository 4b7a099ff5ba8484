//! What the next run of each case will read: from the times of earlier ones in the store.

use tare_plan::is_control;
use tare_results::{RunView, VariantView};
use tare_samples::{Origin, Outcome, git_at};
use tare_statistics::comparison::{NextRunPoint, next_run};
use tare_store::{Store, StoreError};

use crate::judging::stored::{HISTORY, are_comparable, code_of};

/// Adds it to the variants that were measured and have a time. `view` is the newest run, in the store or not.
pub(crate) fn add(view: &mut RunView, store: &dyn Store) -> Result<(), StoreError> {
    let origin = view.origin.clone();
    for variant in &mut view.variants {
        let has_time = variant.summary.as_ref().is_some_and(|summary| !summary.below_resolution);
        if has_time && variant.outcome == Outcome::Ok && !is_control(&variant.variant) {
            variant.next_run = next_run(&points(store, variant, &origin)?);
        }
    }
    Ok(())
}

/// The comparable runs of a variant, oldest first, and then its own.
fn points(store: &dyn Store, view: &VariantView, origin: &Origin) -> Result<Vec<NextRunPoint>, StoreError> {
    let variant = &view.variant;
    let series = store.series(&variant.case.id(), variant.runtime.series(), Some(HISTORY))?;
    let earlier = series
        .into_iter()
        .filter(|run| run.run != origin.id && run.variant == variant.id && are_comparable(run, origin));
    let earlier = earlier.filter_map(|run| Some(NextRunPoint { time: run.time?.estimate, commit: code_of(&run.git) }));
    let commit = code_of(&git_at(&origin.git, variant.runtime.revision()));
    let own = view.summary.as_ref().map(|summary| NextRunPoint { time: summary.time.estimate, commit });
    Ok(earlier.chain(own).collect())
}
