//! The part of a suite that this machine measures.

use std::collections::HashMap;

use tare_definition::Project;
use tare_plan::{Group, split};
use tare_request::{Part, Request};
use tare_store::{Access, RunFilter, RunState, Store, StoreError};

use crate::error::Error;
use crate::project::{open_store, store_place};

/// Looks at so many of the newest runs for how long cases take.
const LOOKED_AT: usize = 20;

/// Leaves those of the groups that this part measures, and says in the request how all of them are divided.
pub(crate) fn keep_own(groups: Vec<Group>, request: &mut Request, project: &Project) -> Result<Vec<Group>, Error> {
    let Some(part) = &request.part else { return Ok(groups) };
    let shard = part.shard;
    if request.settings.interleave {
        return Err(Error::usage(
            "--shard divides a suite, and --interleave measures all of it in the same rounds; leave one of them out",
        ));
    }
    if groups.is_empty() {
        return Ok(groups);
    }
    if (shard.of as usize) > groups.len() {
        return Err(Error::usage(format!(
            "--shard {shard}: there {}, so at most {} parts",
            if groups.len() == 1 { "is 1 case".to_owned() } else { format!("are {} cases", groups.len()) },
            groups.len()
        )));
    }
    let judged = |group: &Group| group.pairs.iter().filter(|pair| !pair.control).count();
    request.settings.family = groups.iter().map(judged).sum();
    // What is gone on with is divided as it was.
    let belongs: Vec<u32> = if part.split.len() == groups.len() {
        part.split.iter().map(|(_, part)| *part).collect()
    } else {
        split(&durations(&groups, project), shard.of)
    };
    let names = groups.iter().map(|group| group.case.clone());
    request.part = Some(Part { shard, split: names.zip(belongs.iter().copied()).collect() });
    Ok(groups.into_iter().zip(belongs).filter(|(_, part)| *part == shard.number).map(|(group, _)| group).collect())
}

/// How long each group took once. Parts of suites are left out, so that those which are measured one after the other come to the same answer. A store
/// that can't be read, or isn't there yet, knows nothing.
fn durations(groups: &[Group], project: &Project) -> Vec<(String, Option<u64>)> {
    let known = store_place(project).is_ok_and(|place| place.exists());
    let store = known.then(|| open_store(project, Access::ReadOnly).ok()).flatten();
    let took = store.and_then(|store| of_cases(store.as_ref()).ok()).unwrap_or_default();
    let of_group = |group: &Group| {
        let mut cases: Vec<String> = group.variants.iter().map(|planned| planned.variant.case.id()).collect();
        cases.sort_unstable();
        cases.dedup();
        cases.iter().map(|case| took.get(case).copied()).sum()
    };
    groups.iter().map(|group| (group.case.clone(), of_group(group))).collect()
}

fn of_cases(store: &dyn Store) -> Result<HashMap<String, u64>, StoreError> {
    let mut took = HashMap::new();
    let filter = RunFilter { state: Some(RunState::Complete), limit: Some(LOOKED_AT), tag: None };
    for row in store.runs(&filter)?.into_iter().filter(|row| row.load.is_none() && row.origin.imported.is_none()) {
        let (request, durations) = store.durations(&row.origin.id)?;
        if serde_json::from_str::<Request>(&request).is_ok_and(|request| request.part.is_some()) {
            continue;
        }
        for (case, ns) in durations {
            took.entry(case).or_insert(ns);
        }
    }
    Ok(took)
}
