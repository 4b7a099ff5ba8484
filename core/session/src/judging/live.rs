//! From the engine's pairs to what a report and the store take.

use std::collections::HashMap;

use tare_definition::SameCases;
use tare_engine::ComparedPair;
use tare_languages::{Execution, of_name};
use tare_plan::Group;
use tare_results::{
    ComparisonKind, ComparisonView, ComparisonsView, Differing, GroupMean, SideView, UnpairedView, VariantView,
};
use tare_samples::{Case, Memory, Outcome, Proof, Variant};
use tare_statistics::comparison::{CONFIDENCE, Comparison, Rule, Verdict, geometric_mean};
use tare_statistics::work::{FunctionWork, Work, by_function};
use tare_statistics::{Estimate, Warning, WarningCode};
use tare_store::StoredComparison;

use crate::judging::noise;
use crate::listing::counterparts::WithoutCounterpart;
use crate::listing::same;
use crate::measuring::recorder::Recorder;
use tare_request::Request;

/// Comparisons ready to be shown. `variants` are those of the groups, in order; `all_same` is what the user calls the same.
pub(crate) fn views(
    groups: &[Group],
    compared: &[ComparedPair],
    variants: &[VariantView],
    unchanged: Vec<(usize, ComparisonView)>,
    all_same: &[SameCases],
) -> ComparisonsView {
    let time = |id: &str| -> Option<Estimate> {
        let view = variants.iter().find(|view| view.variant.id == id)?;
        view.summary.as_ref().map(|summary| summary.time)
    };
    let outcomes = |compared: &ComparedPair| {
        let of_group = &groups[compared.group].variants;
        [compared.pair.base, compared.pair.candidate].map(|at| {
            let view = variants.iter().find(|view| view.variant.id == of_group[at].variant.id);
            view.map_or(&Outcome::Ok, |view| &view.outcome)
        })
    };
    // What failed before there was a ratio is told as a failure, not as a comparison without a verdict.
    let failed = |compared: &ComparedPair| {
        let any = outcomes(compared).into_iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
        any && compared.comparison.ratio.is_none()
    };
    let told = |compared: &&ComparedPair| !failed(compared) && !are_left_out(outcomes(compared));
    let pairs = compared.iter().filter(told).map(|compared| {
        let group = &groups[compared.group];
        let (base, candidate) =
            (&group.variants[compared.pair.base].variant, &group.variants[compared.pair.candidate].variant);
        let side =
            |variant: &Variant| SideView { id: variant.id.clone(), label: label(variant), time: time(&variant.id) };
        let mut view = ComparisonView {
            title: same::name(all_same, &base.case.id(), &candidate.case.id())
                .map_or_else(|| title(&base.case, &candidate.case), str::to_owned),
            base: side(base),
            candidate: side(candidate),
            kind: if compared.pair.control { ComparisonKind::Control } else { ComparisonKind::Live },
            comparison: compared.comparison.clone(),
            machine_code: compared.pair.code.likeness(),
            machines: None,
            work: work_of(variants, &base.id, &candidate.id).0,
            work_by: work_of(variants, &base.id, &candidate.id).1,
        };
        mark_skipped(&mut view, outcomes(compared));
        (compared.group, view)
    });
    with_means(in_order(pairs.collect(), unchanged))
}

/// Pairs that were measured, with the positions of their groups among those that were, and pairs that are unchanged, with the positions of theirs
/// among all: all of them in the order of all.
fn in_order(measured: Vec<(usize, ComparisonView)>, unchanged: Vec<(usize, ComparisonView)>) -> Vec<ComparisonView> {
    let taken: Vec<usize> = unchanged.iter().map(|(place, _)| *place).collect();
    let place_of = |group: usize| {
        // The place of the group-th that isn't taken.
        (0..).filter(|place| !taken.contains(place)).nth(group).unwrap_or(group)
    };
    let mut all: Vec<(usize, ComparisonView)> =
        measured.into_iter().map(|(group, view)| (place_of(group), view)).collect();
    all.extend(unchanged);
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, view)| view).collect()
}

/// Pairs that are proven to be unchanged, with the positions of their groups.
pub(crate) fn unchanged(
    proven: &[(usize, Group, Proof)],
    rule: &Rule,
    all_same: &[SameCases],
) -> Vec<(usize, ComparisonView)> {
    let pairs = proven.iter().flat_map(|(place, group, proof)| {
        group.pairs.iter().filter(|pair| !pair.control).map(move |pair| {
            let [base, candidate] = [pair.base, pair.candidate].map(|at| &group.variants[at].variant);
            let side = |variant: &Variant| SideView { id: variant.id.clone(), label: label(variant), time: None };
            let view = ComparisonView {
                title: same::name(all_same, &base.case.id(), &candidate.case.id())
                    .map_or_else(|| title(&base.case, &candidate.case), str::to_owned),
                base: side(base),
                candidate: side(candidate),
                kind: ComparisonKind::Live,
                comparison: Comparison::unchanged(proof.clone(), rule),
                machine_code: None,
                machines: None,
                work: None,
                work_by: Vec::new(),
            };
            (*place, view)
        })
    });
    pairs.collect()
}

/// How the reason begins of a variant that wasn't measured because its partner failed or skipped itself.
const NOT_MEASURED: &str = "not measured: ";

/// Marks variants that weren't measured because their partner failed or skipped itself: without samples they aren't `ok`. Call it after the comparisons have been made, which
/// say what became of the partner.
pub(crate) fn mark_unmeasured(groups: &[Group], variants: &mut [VariantView], recorder: &mut Recorder<'_>) {
    for group in groups.iter().filter(|group| !group.pairs.is_empty()) {
        let ids: Vec<&str> = group.variants.iter().map(|planned| planned.variant.id.as_str()).collect();
        let why = |view: &VariantView| match view.outcome {
            Outcome::Failed(_) => Some(format!("{NOT_MEASURED}{} failed", label(&view.variant))),
            Outcome::Skipped(_) => Some(format!("{NOT_MEASURED}{} skipped itself", label(&view.variant))),
            _ => None,
        };
        let of_group = |view: &&VariantView| ids.contains(&view.variant.id.as_str());
        let Some(reason) = variants.iter().filter(of_group).find_map(why) else { continue };
        for view in variants.iter_mut().filter(|view| of_group(&&**view)) {
            if view.outcome == Outcome::Ok && view.summary.is_none() {
                view.outcome = Outcome::Skipped(reason.clone());
                recorder.keep(|store, run| store.put_outcome(run, &view.variant.id, &view.outcome, None));
            }
        }
    }
}

/// Puts variants that are proven to be unchanged, and have no figures, among those that were measured. `order`: all of them, and whether each was measured.
pub(crate) fn add_unchanged(order: &[(Variant, bool)], variants: &mut Vec<VariantView>) {
    variants.extend(order.iter().filter(|(_, is_measured)| !is_measured).map(|(variant, _)| VariantView {
        variant: variant.clone(),
        calibration: None,
        outcome: Outcome::Ok,
        summary: None,
        memory: Memory::default(),
        next_run: None,
        distribution: None,
    }));
    let places: HashMap<&str, usize> =
        order.iter().enumerate().map(|(place, (variant, _))| (variant.id.as_str(), place)).collect();
    variants.sort_by_key(|view| places.get(view.variant.id.as_str()).copied());
}

/// Whether both sides skipped themselves: then there is nothing to compare, and nothing to decide.
pub(crate) fn are_left_out(sides: [&Outcome; 2]) -> bool {
    sides.into_iter().all(|outcome| matches!(outcome, Outcome::Skipped(_)))
}

/// Codes of a comparison whose base, or whose candidate, skipped itself.
const ONE_SIDED: [WarningCode; 2] = [WarningCode::BaseSkipped, WarningCode::CandidateSkipped];

/// Says of a pair without a ratio which of its sides skipped itself, and why. Nothing else: no number of launches, as other warnings
/// advise, would give a ratio.
pub(crate) fn mark_skipped(pair: &mut ComparisonView, sides: [&Outcome; 2]) {
    if pair.comparison.ratio.is_some() {
        return;
    }
    let labels = [&pair.base.label, &pair.candidate.label];
    for ((code, label), outcome) in ONE_SIDED.into_iter().zip(labels).zip(sides) {
        if let Outcome::Skipped(reason) = outcome {
            pair.comparison.warnings = vec![Warning {
                code: code.into(),
                message: match reason.strip_prefix(NOT_MEASURED) {
                    Some(why) => format!("{label} wasn't measured: {why}"),
                    None => format!("{label} skipped itself: {reason}"),
                },
                remedy: "let the benchmark run on both sides, or leave it out with --exclude".to_owned(),
            }];
        }
    }
}

/// Which side of a pair skipped itself, and why, where only one of them did.
pub(crate) fn one_sided(comparison: &Comparison) -> Option<&Warning> {
    comparison.warnings.iter().find(|warning| ONE_SIDED.iter().any(|code| warning.is(*code)))
}

/// Geometric means over all cases that have the same two sides, as benchstat prints them under its tables. Cases that one side skipped
/// have no part in them.
pub(crate) fn with_means(pairs: Vec<ComparisonView>) -> ComparisonsView {
    let mut sides: Vec<(&str, &str)> = Vec::new();
    let is_told =
        |pair: &&ComparisonView| pair.kind != ComparisonKind::Control && one_sided(&pair.comparison).is_none();
    for pair in pairs.iter().filter(is_told) {
        let labels = (pair.base.label.as_str(), pair.candidate.label.as_str());
        if !sides.contains(&labels) {
            sides.push(labels);
        }
    }
    let geometric_means = sides
        .into_iter()
        .filter_map(|(base_label, candidate_label)| {
            let of = pairs
                .iter()
                .filter(is_told)
                .filter(|pair| pair.base.label == base_label && pair.candidate.label == candidate_label);
            let (unchanged, measured): (Vec<&ComparisonView>, Vec<&ComparisonView>) =
                of.partition(|pair| pair.comparison.verdict == Verdict::Unchanged);
            // One case next to 0 has no part in it: of the others there is a mean all the same.
            let (kept, left): (Vec<&ComparisonView>, Vec<&ComparisonView>) = measured.into_iter().partition(|pair| {
                let has = |estimate: Option<Estimate>| geometric_mean(estimate.as_slice()).is_some();
                has(pair.comparison.asked()) && has(pair.base.time)
            });
            let figures = |of: fn(&ComparisonView) -> Option<Estimate>| -> Option<Estimate> {
                geometric_mean(&kept.iter().filter_map(|pair| of(pair)).collect::<Vec<_>>())
            };
            let all_ratios = figures(|pair| pair.comparison.asked());
            let base = figures(|pair| pair.base.time).map(|mean| mean.estimate);
            // An interval that reaches from a half to the double and beyond is no summary of anything.
            let ratio = all_ratios.filter(|ratio| ratio.high < 4.0 * ratio.low);
            let (verdict, within) = verdict_of_mean(&kept, ratio.as_ref()).unzip();
            (kept.len() > 1).then(|| GroupMean {
                group: String::new(),
                base_label: base_label.to_owned(),
                candidate_label: candidate_label.to_owned(),
                base,
                // As in each row: the two times are those whose quotient the change is.
                candidate: base.zip(all_ratios).map(|(base, ratio)| base * ratio.estimate),
                ratio,
                confidence: CONFIDENCE,
                cases: kept.len(),
                left_out: left.into_iter().map(|pair| pair.title.clone()).collect(),
                unchanged: unchanged.len(),
                verdict,
                within: within.flatten(),
            })
        })
        .collect();
    let differing = Differing::of(&pairs);
    let mut view = ComparisonsView { geometric_means, pairs, differing, ..ComparisonsView::default() };
    view.warnings = noise::above_margin(&view).into_iter().collect();
    view
}

/// What is said of all pairs together.
pub(crate) struct Means {
    pub(crate) geometric_means: Vec<GroupMean>,
    pub(crate) warnings: Vec<Warning>,
}

/// The same of some of them.
pub(crate) fn means_of(pairs: &[ComparisonView]) -> Means {
    let ComparisonsView { geometric_means, warnings, .. } = with_means(pairs.to_vec());
    Means { geometric_means, warnings }
}

/// What is said of the geometric mean of these pairs, by the rule of each of them; `None` where their errors go together: of stored runs, over several machines.
fn verdict_of_mean(pairs: &[&ComparisonView], ratio: Option<&Estimate>) -> Option<(Verdict, Option<f64>)> {
    let first = &pairs.first()?.comparison;
    let are_independent = pairs.iter().all(|pair| pair.kind == ComparisonKind::Live && pair.machines.is_none());
    let found = first.rule().of(ratio.filter(|_| are_independent)?);
    // Where a base differs from itself, or launches are missing, no difference of a row is called, and so none of all.
    let doubts = [WarningCode::ControlDiffers, WarningCode::Interrupted, WarningCode::FewPairs];
    let is_doubtful =
        |pair: &&ComparisonView| doubts.iter().any(|code| pair.comparison.warnings.iter().any(|told| told.is(*code)));
    Some(if found.0.is_difference() && pairs.iter().any(is_doubtful) { (Verdict::Inconclusive, None) } else { found })
}

pub(crate) fn label(variant: &Variant) -> String {
    if variant.label.is_empty() { variant.runtime.name.clone() } else { variant.label.clone() }
}

/// What two cases have in common.
pub(crate) fn title(base: &Case, candidate: &Case) -> String {
    let set =
        |case: &Case| case.parameters.name.as_deref().map_or(String::new(), |set| format!("{}{set}", case.separator()));
    let shared_set = if set(base) == set(candidate) { set(base) } else { String::new() };
    if base.language != candidate.language {
        // The same case, which each language calls in its own way.
        return base.benchmark.clone() + &set(base);
    }
    if base.benchmark == candidate.benchmark {
        let same_set = base.parameters.name == candidate.parameters.name;
        return if same_set || candidate.is_named_by_set() { candidate.title() } else { base.benchmark.clone() };
    }
    let class = |case: &Case| case.benchmark.rsplit_once("::").map_or("", |(class, _)| class).to_owned();
    class(base) + &shared_set
}

/// Cases that not every runtime or revision of a comparison has; without those that may be there and couldn't be loaded (`unmatched`).
pub(crate) fn unpaired(request: &Request, groups: &[Group], unmatched: &WithoutCounterpart) -> Vec<UnpairedView> {
    let runtimes: Vec<_> = request.started().into_iter().map(|(command, _, _)| command).collect();
    if runtimes.len() < 2 || request.comparing.base.is_some() {
        return Vec::new();
    }
    let in_languages = |group: &Group| {
        let language = |at: usize| group.variants[at].variant.case.language.as_str();
        group.pairs.iter().any(|pair| language(pair.base) != language(pair.candidate))
    };
    let across = groups.iter().any(in_languages);
    let mut unpaired: Vec<UnpairedView> = Vec::new();
    let all = groups.iter().flat_map(|group| group.variants.iter().map(move |planned| (group, planned)));
    for (group, planned) in all.filter(|(_, planned)| !unmatched.has(&planned.variant.case)) {
        let variant = &planned.variant;
        let of_language = runtimes.iter().filter(|runtime| runtime.driver == variant.runtime.command.driver);
        let names: Vec<&str> = of_language.map(|runtime| runtime.name.as_str()).collect();
        if names.len() < 2 {
            // The only runtime of its language: another language may have the case.
            if across && group.pairs.is_empty() {
                unpaired.push(UnpairedView {
                    title: title(&variant.case, &variant.case),
                    side: variant.runtime.name.clone(),
                });
            }
            continue;
        }
        let others = groups.iter().flat_map(|group| &group.variants).map(|planned| &planned.variant);
        let on: Vec<&str> = others
            .filter(|other| other.case.id() == variant.case.id())
            .map(|other| other.runtime.name.as_str())
            .collect();
        let everywhere = names.iter().all(|name| on.contains(name));
        let view = UnpairedView { title: title(&variant.case, &variant.case), side: variant.runtime.name.clone() };
        if !everywhere && !unpaired.contains(&view) {
            unpaired.push(view);
        }
    }
    unpaired
}

/// Keeps the comparisons with the run.
/// Each has the same place whenever it is stored: `places` are by the ids of base and candidate.
pub(crate) fn store(recorder: &mut Recorder<'_>, comparisons: &ComparisonsView, places: &Places) {
    for view in &comparisons.pairs {
        let Some(&ordinal) = places.get(&(view.base.id.clone(), view.candidate.id.clone())) else { continue };
        let stored = StoredComparison {
            base: view.base.id.clone(),
            candidate: view.candidate.id.clone(),
            kind: view.kind.name().to_owned(),
            title: view.title.clone(),
            base_label: view.base.label.clone(),
            candidate_label: view.candidate.label.clone(),
            comparison: view.comparison.clone(),
            machine_code: view.machine_code,
        };
        recorder.keep(|store, run| store.put_comparison(run, ordinal, &stored));
    }
}

/// What is said of the work of two variants, where both were counted, and by which functions it differs.
fn work_of(variants: &[VariantView], base: &str, candidate: &str) -> (Option<Work>, Vec<FunctionWork>) {
    let counted = |id: &str| {
        let view = variants.iter().find(|view| view.variant.id == id)?;
        let language = of_name(&view.variant.runtime.language);
        Some((view.calibration.as_ref()?.work.as_ref()?, language.execution == Execution::Interpreted))
    };
    let (Some((base, interpreted)), Some((candidate, _))) = (counted(base), counted(candidate)) else {
        return (None, Vec::new());
    };
    let work = Work::of(base, candidate);
    let differs = work.is_some_and(|work| work.verdict.is_difference());
    (work, if differs { by_function(base, candidate, interpreted) } else { Vec::new() })
}

/// The places of comparisons among those of their run, by the ids of base and candidate.
pub(crate) type Places = HashMap<(String, String), u32>;

/// Stored comparisons of a run, whose variants are those.
pub(crate) fn of_stored(stored: Vec<StoredComparison>, variants: &[VariantView]) -> ComparisonsView {
    let time = |id: &str| {
        let view = variants.iter().find(|view| view.variant.id == id)?;
        view.summary.as_ref().map(|summary| summary.time)
    };
    let pairs = stored.into_iter().map(|stored| ComparisonView {
        work: work_of(variants, &stored.base, &stored.candidate).0,
        work_by: work_of(variants, &stored.base, &stored.candidate).1,
        title: stored.title,
        base: SideView { time: time(&stored.base), id: stored.base, label: stored.base_label },
        candidate: SideView { time: time(&stored.candidate), id: stored.candidate, label: stored.candidate_label },
        kind: [ComparisonKind::Live, ComparisonKind::Control, ComparisonKind::Stored]
            .into_iter()
            .find(|kind| kind.name() == stored.kind)
            .unwrap_or(ComparisonKind::Stored),
        comparison: stored.comparison,
        machine_code: stored.machine_code,
        machines: None,
    });
    with_means(pairs.collect())
}

#[cfg(test)]
mod tests;
