//! What parts become: a run of its own, with all that was measured in them.

use std::collections::{BTreeSet, HashMap};

use tare_definition::{FailOn, Project};
use tare_results::ComparisonKind;
use tare_samples::{Failure, Finding, Launch, Outcome};
use tare_statistics::comparison::adjusted_p_values;
use tare_store::{RunState, Store, StoreError, StoredComparison, StoredRun, StoredVariant};

use super::parts::{Named, Parts, StoredPart, machines};
use crate::error::Error;
use crate::job;

/// Launches that are stored together.
const BATCH: usize = 64;
/// So many cases are named.
const NAMED: usize = 3;

/// The run that was stored.
pub(super) struct Whole {
    pub(super) run: String,
    pub(super) notices: Vec<String>,
    pub(super) incomplete: Option<String>,
}

pub(super) fn stored(
    parts: &Parts,
    stores: &[Named],
    tags: &[String],
    fail_on: &[FailOn],
    project: &Project,
    target: &mut dyn Store,
) -> Result<Whole, Error> {
    let variants = in_order(parts);
    refuse_twice(&variants, stores)?;
    let incomplete = missing(parts);
    let first = &parts.found[0];
    let mut request = first.request.clone();
    request.part = None;
    request.measuring.shard = None;
    request.asked.measuring.shard = None;
    request.tags = tags.to_vec();
    request.settings.family = 0;
    if !fail_on.is_empty() {
        request.comparing.fail_on = fail_on.to_vec();
        request.asked.comparing.fail_on = fail_on.to_vec();
    }
    let mut origin = job::origin(tags, request.settings.seed, project);
    let all = || parts.found.iter().map(|part| &part.run.row.origin);
    origin.started = all().map(|of| of.started.clone()).min().unwrap_or(origin.started);
    origin.git = first.run.row.origin.git.clone();
    let parts_of: Vec<(String, &StoredRun)> =
        parts.found.iter().map(|part| (part.shard.number.to_string(), &part.run)).collect();
    origin.machine = machines(&parts_of, "part ");
    origin.tare = first.run.row.origin.tare.clone();
    let mut findings: Vec<Finding> = Vec::new();
    for finding in all().flat_map(|of| &of.findings) {
        if !findings.contains(finding) {
            findings.push(finding.clone());
        }
    }
    origin.findings = findings;
    let run = origin.id.clone();
    let text = serde_json::to_string(&request).map_err(Error::failed)?;
    target.begin_run(&origin, &text).map_err(Error::store)?;
    // A source that can't be loaded is none in every part.
    let mut failures: Vec<Failure> = Vec::new();
    for failure in parts.found.iter().flat_map(|part| &part.run.row.failures) {
        if !failures.contains(failure) {
            failures.push(failure.clone());
        }
    }
    let mut put = || -> Result<(), StoreError> {
        target.put_failures(&run, &failures)?;
        for (ordinal, (part, variant)) in (0..).zip(&variants) {
            put_variant(stores[part.at].store.as_ref(), part, variant, ordinal, &run, target)?;
        }
        let mut comparisons = judged(parts);
        let place = |id: &str| variants.iter().position(|(_, variant)| variant.variant.id == id);
        comparisons.sort_by_cached_key(|comparison| place(&comparison.candidate));
        for (ordinal, comparison) in (0..).zip(comparisons) {
            target.put_comparison(&run, ordinal, &comparison)?;
        }
        target.finish_run_at(&run, RunState::Complete, None)
    };
    if let Err(error) = put() {
        // A part of the whole is none.
        let _ = target.finish_run(&run, RunState::Interrupted).and_then(|()| target.delete_run(&run));
        return Err(Error::store(error));
    }
    let mut notices = Vec::new();
    // Where all lies in one store, a launch that is there twice would count twice in every history.
    for part in parts.found.iter().filter(|part| stores[part.at].is_target && incomplete.is_none()) {
        match target.delete_run(part.id()) {
            Ok(()) => {}
            Err(error) => notices.push(format!(
                "run {} (part {}) is still there beside the whole: {error}",
                part.id(),
                part.shard
            )),
        }
    }
    Ok(Whole { run, notices, incomplete })
}

/// All variants in the order of the suite.
fn in_order(parts: &Parts) -> Vec<(&StoredPart, &StoredVariant)> {
    let place: HashMap<&str, usize> =
        parts.found[0].part.split.iter().enumerate().map(|(at, (case, _))| (case.as_str(), at)).collect();
    let mut all: Vec<(usize, &StoredPart, &StoredVariant)> = Vec::new();
    for part in &parts.found {
        // Of a group only the case that names it has a place of its own: what follows stands beside it.
        let mut last = 0;
        for variant in &part.run.variants {
            last = place.get(variant.variant.case.id().as_str()).copied().unwrap_or(last);
            all.push((last, part, variant));
        }
    }
    all.sort_by_key(|(place, part, variant)| (*place, part.shard, variant.ordinal));
    all.into_iter().map(|(_, part, variant)| (part, variant)).collect()
}

fn refuse_twice(variants: &[(&StoredPart, &StoredVariant)], stores: &[Named]) -> Result<(), Error> {
    let mut seen: HashMap<&str, &StoredPart> = HashMap::new();
    for (part, variant) in variants {
        if let Some(other) = seen.insert(&variant.variant.id, part) {
            return Err(Error::usage(format!(
                "{} is there twice: in part {} (run {} in {}) and in part {} (run {} in {}), since the stores of the two machines had different earlier runs and so divided the suite differently; measure all parts with one store, or with stores without earlier runs",
                variant.variant.id,
                other.shard,
                other.id(),
                stores[other.at].name,
                part.shard,
                part.id(),
                stores[part.at].name
            )));
        }
    }
    Ok(())
}

/// What isn't there, in one line.
fn missing(parts: &Parts) -> Option<String> {
    let mut told = Vec::new();
    let there: BTreeSet<u32> = parts.found.iter().map(|part| part.shard.number).collect();
    let absent: Vec<String> = (1..=parts.of)
        .filter(|number| !there.contains(number))
        .map(|number| format!("{number}/{}", parts.of))
        .collect();
    if !absent.is_empty() {
        told.push(format!("{} {} missing", listed("part", &absent), if absent.len() == 1 { "is" } else { "are" }));
    }
    for part in parts.found.iter().filter(|part| !part.is_complete()) {
        told.push(format!("part {} (run {}) was interrupted", part.shard, part.id()));
    }
    // Divided otherwise here than there.
    let measured: BTreeSet<&str> = parts
        .found
        .iter()
        .flat_map(|part| part.part.split.iter().filter(|(_, number)| *number == part.shard.number))
        .map(|(case, _)| case.as_str())
        .collect();
    let splits = parts.found.iter().flat_map(|part| &part.part.split);
    // What belongs to a part that is missing is told by that.
    let all: BTreeSet<&str> =
        splits.filter(|(_, number)| there.contains(number)).map(|(case, _)| case.as_str()).collect();
    let absent: Vec<String> = all.difference(&measured).map(|case| (*case).to_owned()).collect();
    if !absent.is_empty() {
        told.push(format!(
            "{} {} not measured",
            listed("case", &absent),
            if absent.len() == 1 { "was" } else { "were" }
        ));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

fn listed(what: &str, names: &[String]) -> String {
    let s = if names.len() == 1 { "" } else { "s" };
    let more = names.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{what}{s} {}{more}", names[..names.len().min(NAMED)].join(", "))
}

fn put_variant(
    from: &dyn Store,
    part: &StoredPart,
    stored: &StoredVariant,
    ordinal: u32,
    run: &str,
    to: &mut dyn Store,
) -> Result<(), StoreError> {
    let id = stored.variant.id.as_str();
    to.put_variant(run, ordinal, &stored.variant)?;
    if let Some(calibration) = &stored.calibration {
        to.put_calibration(run, id, calibration)?;
    }
    let launches: Vec<Launch> = from.launches(part.id(), id)?;
    for batch in launches.chunks(BATCH) {
        let batch: Vec<(&str, &Launch)> = batch.iter().map(|launch| (id, launch)).collect();
        to.put_launches(run, &batch)?;
    }
    let outcome = stored.outcome.clone().unwrap_or(Outcome::Interrupted);
    to.put_outcome(run, id, &outcome, stored.summary.as_ref())
}

/// The comparisons of all parts, judged beside each other.
fn judged(parts: &Parts) -> Vec<StoredComparison> {
    let mut all: Vec<StoredComparison> = parts.found.iter().flat_map(|part| part.run.comparisons.clone()).collect();
    // What is proven claims nothing.
    let live = |comparison: &StoredComparison| {
        comparison.kind == ComparisonKind::Live.name() && comparison.comparison.proof.is_none()
    };
    let mut claims: Vec<Option<f64>> = all
        .iter()
        .filter(|comparison| live(comparison))
        .map(|comparison| Some(comparison.comparison.flag?.claim?.second))
        .collect();
    let family = parts.found.iter().map(|part| part.request.settings.family).max().unwrap_or(0);
    claims.resize(claims.len().max(family), None);
    let mut adjusted = adjusted_p_values(&claims).into_iter();
    for stored in all.iter_mut().filter(|comparison| live(comparison)) {
        stored.comparison = stored.comparison.clone().beside(adjusted.next().unwrap_or(1.0));
    }
    all
}
