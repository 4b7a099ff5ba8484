//! Which cases are compared with which: a method with the others of its class, or a parameter set with the others of its
//! benchmark.

mod error;
mod pattern;

use std::collections::{BTreeMap, HashMap, HashSet};

use tare_samples::{Calls, Case};

pub use error::BaseError;
pub use pattern::BasePattern;

use crate::group::{Group, Pair};

/// How the bases of comparisons are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseRule {
    /// By the marks in the sources ([`CaseSettings::base`](tare_samples::CaseSettings::base)). A benchmark all of whose cases
    /// are marked is the base of the others of its class; marked cases beside others of the same benchmark are the base
    /// of these. Sources without a mark give no comparison, and no error.
    Marked,
    /// By a name that the user gave.
    Named(BasePattern),
}

/// Merges groups of a single case each into groups of a base and its candidates, with their [`Pair`]s. The base's variants come
/// first, then each candidate's, in their order; labels get the name of the method or set in front.
///
/// - *A method as base:* within a class (same language, file and class; functions without a class are together by file) every
///   other method is compared with it, set by set by the names of the sets. Sets that the base lacks stay on their own;
///   a base without parameters is the base of every set.
/// - *A set as base:* within a benchmark every other set is compared with it.
///
/// A candidate's variant is compared with the base's variant on the same runtime with the same calls. Where the two have
/// one variant each on the runtime, they are compared though their sources ask for different numbers of calls, but never a
/// loop with a bare call, which don't measure the same. A case with no such variant stays on its own; so do cases that
/// their source leaves out, and groups of several cases.
///
/// What was paired in a merged group before, such as one runtime with another, is paired no more: a question asked of a suite is
/// one of methods or one of runtimes, and the two together would multiply the comparisons that its family-wise error is
/// shared among. The other runtimes then only stand beside it. Groups that don't take part keep their pairs and their
/// places; a merged one stands where the first of its cases stood.
///
/// # Errors
/// With [`BaseRule::Named`]: a name that no case has, that is only had by cases that are left out, or whose bearers have nothing
/// to be compared with. With either: a class with several bases.
pub fn pair_cases(groups: Vec<Group>, rule: &BaseRule) -> Result<Vec<Group>, BaseError> {
    let cases: Vec<Option<&Case>> = groups.iter().map(single_case).collect();
    let bases = match rule {
        BaseRule::Marked => marked(&cases),
        BaseRule::Named(pattern) => named(pattern, &cases)?,
    };
    let families = families(&groups, &cases, &bases, rule)?;
    if let (BaseRule::Named(pattern), true) = (rule, families.is_empty()) {
        return Err(BaseError::Alone { pattern: pattern.clone() });
    }
    Ok(merge(groups, families))
}

/// What a base stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// Its method: the others of the class are compared with it.
    Method,
    /// Its parameter set: the others of the benchmark are compared with it.
    Set,
}

/// A base and its candidates, as positions of groups.
struct Family {
    base: usize,
    kind: Base,
    /// With the pairs that each makes with the base, as positions within the two groups.
    candidates: Vec<(usize, Vec<(usize, usize)>)>,
}

/// Language, file, and class or benchmark.
type Scope<'a> = (&'a str, &'a str, &'a str);

fn single_case(group: &Group) -> Option<&Case> {
    let (first, rest) = group.variants.split_first()?;
    let case = &first.variant.case;
    let alone = rest.iter().all(|planned| planned.variant.case.id() == case.id());
    alone.then_some(case)
}

fn class_of(case: &Case) -> Scope<'_> {
    let class = case.own_name().rsplit_once("::").map_or("", |(class, _)| class);
    (&case.language, &case.file, class)
}

fn benchmark_of(case: &Case) -> Scope<'_> {
    (&case.language, &case.file, &case.benchmark)
}

fn method_of(case: &Case) -> &str {
    case.own_name().rsplit_once("::").map_or(case.own_name(), |(_, method)| method)
}

/// Cases that can be measured, with their positions.
fn measured<'a, 'b>(cases: &'b [Option<&'a Case>]) -> impl Iterator<Item = (usize, &'a Case)> + use<'a, 'b> {
    let present = cases.iter().enumerate().filter_map(|(position, case)| Some((position, (*case)?)));
    present.filter(|(_, case)| case.settings.skip.is_none())
}

fn marked(cases: &[Option<&Case>]) -> BTreeMap<usize, Base> {
    let mut unmarked = HashSet::new();
    for (_, case) in measured(cases).filter(|(_, case)| !case.settings.base) {
        unmarked.insert(benchmark_of(case));
    }
    let kind = |case| if unmarked.contains(&benchmark_of(case)) { Base::Set } else { Base::Method };
    measured(cases).filter(|(_, case)| case.settings.base).map(|(position, case)| (position, kind(case))).collect()
}

fn named(pattern: &BasePattern, cases: &[Option<&Case>]) -> Result<BTreeMap<usize, Base>, BaseError> {
    let kind = if pattern.is_set() { Base::Set } else { Base::Method };
    let bases: BTreeMap<usize, Base> =
        measured(cases).filter(|(_, case)| pattern.matches(case)).map(|(position, _)| (position, kind)).collect();
    if !bases.is_empty() {
        return Ok(bases);
    }
    let present = || cases.iter().flatten().copied();
    match present().find(|case| pattern.matches(case)) {
        Some(left_out) => Err(BaseError::LeftOut {
            pattern: pattern.clone(),
            reason: left_out.settings.skip.clone().unwrap_or_default(),
        }),
        None => Err(BaseError::NoMatch { pattern: pattern.clone(), remedy: pattern.nearest(present()) }),
    }
}

fn families(
    groups: &[Group],
    cases: &[Option<&Case>],
    bases: &BTreeMap<usize, Base>,
    rule: &BaseRule,
) -> Result<Vec<Family>, BaseError> {
    // A benchmark whose sets are compared with each other takes no part in a comparison of methods: a case is in one group.
    let mut of_benchmark: HashMap<Scope<'_>, usize> = HashMap::new();
    let mut of_class: HashMap<Scope<'_>, Vec<usize>> = HashMap::new();
    for (&position, &kind) in bases {
        let Some(case) = cases[position] else { continue };
        match kind {
            Base::Set => {
                if let Some(other) = of_benchmark.insert(benchmark_of(case), position) {
                    return Err(BaseError::several(rule, [other, position].map(|at| cases[at])));
                }
            }
            Base::Method => {
                let class = of_class.entry(class_of(case)).or_default();
                let other = class.iter().find(|&&at| cases[at].is_some_and(|it| it.benchmark != case.benchmark));
                if let Some(&other) = other {
                    return Err(BaseError::several(rule, [other, position].map(|at| cases[at])));
                }
                class.push(position);
            }
        }
    }
    let mut families: BTreeMap<usize, Family> = BTreeMap::new();
    for (position, case) in measured(cases).filter(|(position, _)| !bases.contains_key(position)) {
        let base = match of_benchmark.get(&benchmark_of(case)) {
            Some(&base) => Some((base, Base::Set)),
            None => of_class.get(&class_of(case)).and_then(|positions| {
                let of_set = |set: &Option<String>| {
                    positions.iter().find(|&&at| cases[at].is_some_and(|base| base.parameters.name == *set))
                };
                let base = of_set(&case.parameters.name).or_else(|| of_set(&None));
                base.map(|&base| (base, Base::Method))
            }),
        };
        let Some((base, kind)) = base else { continue };
        let pairs = comparable(&groups[base], &groups[position]);
        if !pairs.is_empty() {
            let family = families.entry(base).or_insert(Family { base, kind, candidates: Vec::new() });
            family.candidates.push((position, pairs));
        }
    }
    Ok(families.into_values().collect())
}

/// Positions of variants that can be compared: of the base, and of the candidate.
fn comparable(base: &Group, candidate: &Group) -> Vec<(usize, usize)> {
    let alone = |group: &Group, runtime: &str| {
        group.variants.iter().filter(|planned| planned.variant.runtime.name == runtime).count() == 1
    };
    let mut pairs = Vec::new();
    for (position, planned) in candidate.variants.iter().enumerate() {
        let (runtime, calls) = (&planned.variant.runtime.name, planned.variant.calls);
        let both_alone = alone(base, runtime) && alone(candidate, runtime);
        let fits = |of_base: Calls| of_base == calls || both_alone && of_base != Calls::Bare && calls != Calls::Bare;
        let partner = base
            .variants
            .iter()
            .position(|planned| planned.variant.runtime.name == *runtime && fits(planned.variant.calls));
        pairs.extend(partner.map(|partner| (partner, position)));
    }
    pairs
}

fn merge(groups: Vec<Group>, families: Vec<Family>) -> Vec<Group> {
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    let mut merged: BTreeMap<usize, Group> = BTreeMap::new();
    for Family { base, kind, candidates } in families {
        let first = candidates.iter().map(|(position, _)| *position).fold(base, usize::min);
        let Some(Group { case, mut variants, .. }) = groups[base].take() else { continue };
        let mut pairs = Vec::new();
        for (position, partners) in candidates {
            let before = variants.len();
            variants.extend(groups[position].take().into_iter().flat_map(|candidate| candidate.variants));
            pairs.extend(partners.into_iter().map(|(base, candidate)| Pair::new(base, before + candidate)));
        }
        let mut group = Group { case, variants, pairs };
        label(&mut group, kind);
        merged.insert(first, group);
    }
    let rest = groups.into_iter().enumerate().filter_map(|(position, group)| Some((position, group?)));
    merged.extend(rest);
    merged.into_values().collect()
}

/// Tells members apart: by set, by method, or by both where a base without parameters is compared with sets.
fn label(group: &mut Group, kind: Base) {
    let sets: HashSet<Option<String>> =
        group.variants.iter().map(|planned| planned.variant.case.parameters.name.clone()).collect();
    for planned in &mut group.variants {
        let variant = &mut planned.variant;
        let method = method_of(&variant.case);
        let name = match (&variant.case.parameters.name, kind) {
            (Some(set), Base::Set) => set.clone(),
            (Some(set), Base::Method) if sets.len() > 1 => format!("{method}#{set}"),
            _ => method.to_owned(),
        };
        variant.label = if variant.label.is_empty() { name } else { format!("{name}, {}", variant.label) };
    }
}

#[cfg(test)]
#[path = "base/tests.rs"]
mod tests;
