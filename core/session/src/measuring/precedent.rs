//! How an earlier comparison of the same cases went, for what is said of the time that this one takes.

use std::collections::{HashMap, HashSet};

use tare_plan::{Group, Precedent};
use tare_request::Request;
use tare_results::ComparisonKind;
use tare_samples::MINIMUM_LAUNCHES;
use tare_store::{RunFilter, RunState, Store, StoreError, StoredComparison};

/// So many of the newest runs are looked at.
const LOOKED_AT: usize = 20;
/// A comparison of fewer of the cases than this part says nothing of the others.
const SAME_CASES: f64 = 0.5;

/// The newest comparison in the store of most of these cases, whose launches ended as those of this one will: by the budget of each comparison. A store that can't be read knows nothing.
pub(crate) fn precedent(store: &dyn Store, groups: &[Group], request: &Request, own: &str) -> Option<Precedent> {
    let cases: HashSet<String> = groups
        .iter()
        .filter(|group| !group.pairs.is_empty())
        .flat_map(|group| &group.variants)
        .map(|planned| planned.variant.case.id())
        .collect();
    if cases.is_empty() || request.settings.launches.is_some() {
        return None;
    }
    find(store, &cases, request, own).unwrap_or_default()
}

fn find(
    store: &dyn Store,
    cases: &HashSet<String>,
    request: &Request,
    own: &str,
) -> Result<Option<Precedent>, StoreError> {
    let filter = RunFilter { state: Some(RunState::Complete), limit: Some(LOOKED_AT), tag: None };
    for row in store.runs(&filter)? {
        let has_pairs = row.load.is_none() && row.origin.imported.is_none() && row.comparisons > 0;
        if !has_pairs || row.origin.id == own {
            continue;
        }
        let stored = store.run(&row.origin.id)?;
        let Ok(asked) = serde_json::from_str::<Request>(&stored.request) else { continue };
        if asked.settings.total.is_some() || asked.settings.launches.is_some() {
            continue;
        }
        let case_of: HashMap<&str, String> = stored
            .variants
            .iter()
            .map(|stored| (stored.variant.id.as_str(), stored.variant.case.id()))
            .filter(|(_, case)| cases.contains(case))
            .collect();
        let compared: Vec<&StoredComparison> = stored
            .comparisons
            .iter()
            .filter(|stored| stored.kind == ComparisonKind::Live.name() && stored.comparison.pairs > 0)
            .filter(|stored| case_of.contains_key(stored.candidate.as_str()))
            .collect();
        let distinct: HashSet<&String> =
            compared.iter().filter_map(|stored| case_of.get(stored.candidate.as_str())).collect();
        if distinct.len() as f64 >= SAME_CASES * cases.len() as f64 {
            let budgets = [&request.settings, &asked.settings].map(|own| own.comparison_budget.as_secs_f64());
            return Ok(Some(of(&compared, budgets[0] / budgets[1].max(f64::MIN_POSITIVE))));
        }
    }
    Ok(None)
}

/// `budget`: of a comparison now, as a part of what it was.
fn of(compared: &[&StoredComparison], budget: f64) -> Precedent {
    let again = |stored: &StoredComparison| stored.comparison.flag.as_ref().map_or(0, |flag| flag.pairs);
    let first = compared.iter().map(|stored| f64::from(stored.comparison.pairs.saturating_sub(again(stored))));
    let count = compared.len().max(1) as f64;
    let flagged = compared.iter().filter(|stored| stored.comparison.flag.is_some()).count() as f64;
    let again: f64 = compared.iter().map(|stored| f64::from(again(stored))).sum();
    Precedent {
        launches: (budget * first.sum::<f64>() / count).max(f64::from(MINIMUM_LAUNCHES)),
        flagged: flagged / count,
        again: if flagged > 0.0 { again / flagged } else { 0.0 },
    }
}
