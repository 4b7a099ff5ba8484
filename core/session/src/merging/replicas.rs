//! The same comparison, measured on several machines: each machine's run stays what it is, and a report is made over all of them.

use std::collections::BTreeMap;

use tare_definition::Project;
use tare_request::Request;
use tare_results::{ComparisonKind, ComparisonView, MachineView, MachinesView, RunView};
use tare_statistics::comparison::{Comparison, OnMachine, over_machines};
use tare_store::{RunFilter, RunState, StoredRun};

use super::parts::{Named, apart, machines};
use super::{MergeRequest, Merged, opened};
use crate::error::Error;
use crate::judging::gate::Gates;
use crate::judging::live::with_means;
use crate::judging::runs::of_run;

/// The machine fact that tells kinds of machines apart.
const KIND: &str = "cpu";

/// A machine's run.
struct Replica {
    /// Position of its store.
    at: usize,
    name: String,
    request: Request,
    run: StoredRun,
    view: RunView,
}

impl Replica {
    fn kind(&self) -> &str {
        self.view.origin.machine.get(KIND).map_or("unknown processor", String::as_str)
    }

    /// What it says of a pair of variants, live or a control.
    fn comparison(&self, of: &ComparisonView) -> Option<&Comparison> {
        let is_same = |pair: &&ComparisonView| {
            pair.base.id == of.base.id && pair.candidate.id == of.candidate.id && pair.kind == of.kind
        };
        self.view.comparisons.pairs.iter().find(is_same).map(|pair| &pair.comparison)
    }
}

/// Judges the same comparison over several machines: those of the newest complete run in each store, or of all runs with the tag `only`. Nothing is stored.
///
/// # Errors
///
/// Under two runs, runs of different comparisons, or a store that can't be used.
pub fn pool(request: &MergeRequest, project: &Project) -> Result<Merged, Error> {
    let stores = opened(request, project)?;
    let (replicas, mut notices) = found(&stores, request)?;
    let gates = match request.fail_on.as_slice() {
        [] => Gates::new(&replicas[0].request.comparing.fail_on, project)?,
        given => Gates::new(given, project)?,
    };
    let (mut view, incomplete) = pooled(&replicas);
    gates.judge(&mut view);
    let concluded = gates.conclude(&mut view);
    notices.push(format!(
        "{} machines measured this comparison: changes are over all machines, and their intervals include the differences between machines; times are those of {}",
        replicas.len(),
        replicas[0].name
    ));
    Ok(Merged { view, concluded, notices, incomplete })
}

fn found(stores: &[Named], asked: &MergeRequest) -> Result<(Vec<Replica>, Vec<String>), Error> {
    let only = asked.only.as_deref();
    let mut replicas: Vec<Replica> = Vec::new();
    let mut notices = Vec::new();
    for (at, named) in stores.iter().enumerate() {
        let filter = RunFilter { tag: only.map(str::to_owned), ..RunFilter::default() };
        let rows = named.store.runs(&filter).map_err(Error::store)?;
        let complete = rows.into_iter().filter(|row| row.load.is_none() && row.state == RunState::Complete);
        // Without a tag nothing says that a store's other runs are of this comparison.
        let most = if only.is_some() { usize::MAX } else { 1 };
        for row in complete.take(most) {
            let id = row.origin.id;
            if let Some(same) = replicas.iter().find(|other| other.view.origin.id == id) {
                notices.push(format!("run {id} is in {} and in {}; it counts once", stores[same.at].name, named.name));
                continue;
            }
            let run = named.store.run(&id).map_err(Error::store)?;
            let request: Request = serde_json::from_str(&run.request).map_err(|error| {
                Error::usage(format!(
                    "run {id} in {}: this version of tare can't read its request: {error}",
                    named.name
                ))
            })?;
            if request.part.is_some() {
                return Err(Error::usage(format!(
                    "run {id} in {} is a part of a suite (--shard), not the whole on one machine; `tare merge` without --replicas makes one run of parts",
                    named.name
                )));
            }
            let view = of_run(named.store.as_ref(), run.clone()).map_err(Error::store)?;
            let machine = asked.machines.iter().find(|(tag, _)| view.origin.tags.contains(tag));
            let name = match machine {
                Some((_, machine)) => machine.clone(),
                None if only.is_some() => id.clone(),
                None => named.name.clone(),
            };
            replicas.push(Replica { at, name, request, run, view });
        }
    }
    let names: Vec<&str> = stores.iter().map(|store| store.name.as_str()).collect();
    let (Some(first), true) = (replicas.first(), replicas.len() > 1) else {
        let tagged = only.map_or(String::new(), |tag| format!(" with the tag {tag:?}"));
        return Err(Error::usage(format!(
            "--replicas needs complete runs of one comparison from two machines or more, and there {} {}{tagged} in {}; name a store of each machine, or runs in one store by --only TAG",
            if replicas.len() == 1 { "is" } else { "are" },
            if replicas.is_empty() { "none" } else { "one" },
            names.join(", ")
        )));
    };
    for other in &replicas[1..] {
        if let Some((what, of_first, of_other)) = apart((&first.run, &first.request), (&other.run, &other.request)) {
            return Err(Error::usage(format!(
                "run {} in {} and run {} in {} aren't the same comparison: {what} is {of_first} there and {of_other} here; measure the same on each machine",
                first.view.origin.id, stores[first.at].name, other.view.origin.id, stores[other.at].name
            )));
        }
    }
    if !first.view.comparisons.pairs.iter().any(|pair| pair.kind == ComparisonKind::Live) {
        return Err(Error::usage(format!(
            "run {} compares nothing: --replicas is for comparisons, since Tare doesn't average times of different machines",
            first.view.origin.id
        )));
    }
    Ok((replicas, notices))
}

/// One view of all machines: the first one's variants, and comparisons over all. What isn't there everywhere, in one line.
fn pooled(replicas: &[Replica]) -> (RunView, Option<String>) {
    let first = &replicas[0].view;
    let mut pairs: Vec<ComparisonView> = Vec::new();
    for pair in replicas.iter().flat_map(|replica| &replica.view.comparisons.pairs) {
        let is_there = |known: &ComparisonView| {
            known.base.id == pair.base.id && known.candidate.id == pair.candidate.id && known.kind == pair.kind
        };
        // A control is the machine's own, and has a base that others don't have.
        if pair.kind == ComparisonKind::Live && !pairs.iter().any(is_there) {
            pairs.push(pair.clone());
        }
    }
    let suite: Vec<Vec<OnMachine<'_>>> = pairs
        .iter()
        .map(|pair| {
            let found = replicas.iter().filter_map(|replica| Some((replica, replica.comparison(pair)?)));
            found.map(|(replica, comparison)| OnMachine { kind: replica.kind(), comparison }).collect()
        })
        .collect();
    let judged = over_machines(&suite);
    let mut absent: BTreeMap<&str, usize> = BTreeMap::new();
    for (pair, over) in pairs.iter_mut().zip(judged) {
        let each: Vec<MachineView> = replicas
            .iter()
            .map(|replica| MachineView {
                machine: replica.name.clone(),
                kind: replica.kind().to_owned(),
                comparison: replica.comparison(pair).cloned(),
            })
            .collect();
        for (replica, machine) in replicas.iter().zip(&each) {
            *absent.entry(replica.name.as_str()).or_default() += usize::from(machine.comparison.is_none());
        }
        if let Some(over) = over {
            pair.comparison = over.comparison;
            pair.machines = Some(MachinesView { each, kinds: over.kinds, between: over.between });
        }
    }
    let missing: Vec<String> = absent
        .into_iter()
        .filter(|(_, cases)| *cases > 0)
        .map(|(name, cases)| format!("{name} didn't measure {cases} of {} comparisons", pairs.len()))
        .collect();
    let mut origin = first.origin.clone();
    let runs: Vec<(String, &StoredRun)> = replicas.iter().map(|replica| (replica.name.clone(), &replica.run)).collect();
    origin.machine = machines(&runs, "");
    let mut comparisons = with_means(pairs);
    comparisons.unpaired.clone_from(&first.comparisons.unpaired);
    let view = RunView { origin, comparisons, notices: Vec::new(), stored: false, ..first.clone() };
    (view, (!missing.is_empty()).then(|| missing.join("; ")))
}
