//! Rows that are shown while a run goes on.

use std::collections::{BTreeSet, HashMap};

use tare_engine::ComparedPair;
use tare_plan::Group;
use tare_results::{EarlyRow, VariantView};
use tare_samples::{Outcome, Variant};
use tare_statistics::comparison::Verdict;

/// The rows of what is compared, without controls. `again`: it is measured a second time.
pub(crate) fn of_pairs(
    groups: &[Group],
    pairs: &[ComparedPair],
    views: &HashMap<String, VariantView>,
    again: bool,
) -> Vec<EarlyRow> {
    let judged: Vec<&ComparedPair> = pairs.iter().filter(|compared| !compared.pair.control).collect();
    let row = |compared: &&ComparedPair| {
        let variants = &groups[compared.group].variants;
        let variant = |index: usize| &variants[index].variant;
        let (base, candidate) = (variant(compared.pair.base), variant(compared.pair.candidate));
        let view = views.get(&candidate.id);
        let failed = [Some(candidate), Some(base)].into_iter().flatten().find_map(|side| failure(views.get(&side.id)?));
        let found = &compared.comparison;
        let several = judged.len() > 1 && base.case.id() == candidate.case.id();
        EarlyRow {
            name: name(candidate, several),
            time: view.and_then(|view| view.summary.as_ref()).map(|summary| summary.time),
            ratio: found.shown(),
            verdict: (failed.is_none() && found.ratio.is_some()).then(|| match (again, found.shown()) {
                // It is flagged, and not called anything yet.
                (true, Some(ratio)) => Verdict::of(&ratio, found.margin),
                _ => found.verdict,
            }),
            again,
            failed,
        }
    };
    judged.iter().map(row).collect()
}

/// The rows of what is measured by itself.
pub(crate) fn of_variants(group: &Group, views: &HashMap<String, VariantView>) -> Vec<EarlyRow> {
    let cases: BTreeSet<String> = group.variants.iter().map(|planned| planned.variant.case.id()).collect();
    let several = cases.len() < group.variants.len();
    let row = |variant: &Variant| {
        let view = views.get(&variant.id)?;
        let time = view.summary.as_ref().map(|summary| summary.time);
        let (ratio, verdict) = (None, None);
        Some(EarlyRow { name: name(variant, several), time, ratio, verdict, again: false, failed: failure(view) })
    };
    group.variants.iter().filter_map(|planned| row(&planned.variant)).collect()
}

/// Why is told once, in the report.
fn failure(view: &VariantView) -> Option<String> {
    match &view.outcome {
        Outcome::Failed(_) => Some("failed".to_owned()),
        Outcome::Skipped(_) => Some("skipped".to_owned()),
        Outcome::Ok | Outcome::Interrupted => None,
    }
}

/// The case as a table names it, and what tells its variants apart where there are several.
fn name(variant: &Variant, several: bool) -> String {
    let label = if several { format!(" {}", crate::judging::live::label(variant)) } else { String::new() };
    variant.case.title() + &label
}
