//! What the earlier runs of a case in the store say: what the next run will read, and by how much runs differ beyond their launches.

use std::collections::HashMap;

use tare_definition::Project;
use tare_plan::{Group, is_control};
use tare_results::{RunView, VariantView};
use tare_samples::{Origin, Outcome, Variant, git_at};
use tare_statistics::BetweenRuns;
use tare_statistics::comparison::{TimeOfRun, between_runs, next_run};
use tare_store::{Access, Store, StoreError};

use crate::judging::comparable_runs::{are_comparable, newest_runs};
use crate::judging::sides::code_of;
use crate::project::{open_store, store_place};

/// What the next run will read, for the variants that were measured and have a time. `view` is the newest run, in the store or not.
pub(crate) fn add_next(view: &mut RunView, store: &dyn Store) -> Result<(), StoreError> {
    let origin = view.origin.clone();
    for variant in &mut view.variants {
        let has_time = variant.summary.as_ref().is_some_and(|summary| !summary.below_resolution);
        if has_time && variant.outcome == Outcome::Ok && !is_control(&variant.variant) {
            let mut runs = earlier(store, &variant.variant, &origin)?;
            runs.extend(own(variant, &origin));
            variant.next_run = next_run(&runs);
        }
    }
    Ok(())
}

/// By how much runs of each variant differ, by its id: from the runs before this one in `store`, or in the project's where this run isn't stored. What
/// can't be read hinders nothing: it is supposed then.
pub(crate) fn differ_by(
    store: Option<&dyn Store>,
    groups: &[Group],
    origin: &Origin,
    project: &Project,
) -> HashMap<String, BetweenRuns> {
    let read_only = || match store_place(project) {
        Ok(place) if place.exists() => open_store(project, Access::ReadOnly).ok(),
        _ => None,
    };
    let opened = if store.is_none() { read_only() } else { None };
    let store = store.or(opened.as_deref());
    let variants = groups.iter().flat_map(|group| &group.variants).map(|planned| &planned.variant);
    let history = |variant: &Variant| match store {
        Some(store) => earlier(store, variant, origin).unwrap_or_default(),
        None => Vec::new(),
    };
    let (ids, histories): (Vec<String>, Vec<_>) =
        variants.map(|variant| (variant.id.clone(), history(variant))).unzip();
    ids.into_iter().zip(between_runs(&histories)).collect()
}

/// The comparable runs of a variant before this one, oldest first.
fn earlier(store: &dyn Store, variant: &Variant, origin: &Origin) -> Result<Vec<TimeOfRun>, StoreError> {
    let earlier = newest_runs(store, variant)?
        .into_iter()
        .filter(|run| run.run != origin.id && run.variant == variant.id && are_comparable(run, origin));
    Ok(earlier.filter_map(|run| Some(TimeOfRun { time: run.time?, commit: code_of(&run.git) })).collect())
}

/// What this run itself reads.
fn own(view: &VariantView, origin: &Origin) -> Option<TimeOfRun> {
    let commit = code_of(&git_at(&origin.git, view.variant.runtime.revision()));
    Some(TimeOfRun { time: view.summary.as_ref()?.time, commit })
}
