//! What a page has a row and a section for, worst first.

use std::collections::{BTreeMap, BTreeSet};

use tare_samples::Outcome;

use crate::order::ordered;
use tare_results::{ComparisonView, RunView, VariantView};

/// Candidates that are named together.
const NAMED: usize = 6;

/// A comparison, or a variant that is compared with nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    Pair(&'a ComparisonView),
    Alone(&'a VariantView),
}

/// A row of the page.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    /// Id of its section.
    pub(crate) id: String,
    /// As people call it; from outside.
    pub(crate) title: String,
    pub(crate) subject: Subject<'a>,
}

/// The entries of a run, and its variants by id.
pub(crate) struct Entries<'a> {
    pub(crate) all: Vec<Entry<'a>>,
    pub(crate) variants: BTreeMap<&'a str, &'a VariantView>,
    /// The labels of base and candidate, where all comparisons have the same.
    pub(crate) labels: Option<(&'a str, &'a str)>,
}

impl<'a> Entries<'a> {
    pub(crate) fn of(view: &'a RunView) -> Self {
        let variants: BTreeMap<&str, &VariantView> =
            view.variants.iter().map(|variant| (variant.variant.id.as_str(), variant)).collect();
        let pairs: Vec<&ComparisonView> =
            ordered(view.comparisons.judged()).into_iter().map(|(_, pair)| pair).collect();
        let labels: BTreeSet<(&str, &str)> =
            pairs.iter().map(|pair| (pair.base.label.as_str(), pair.candidate.label.as_str())).collect();
        let one = labels.first().copied().filter(|_| labels.len() == 1);
        let paired: BTreeSet<&str> = view
            .comparisons
            .pairs
            .iter()
            .flat_map(|pair| [pair.base.id.as_str(), pair.candidate.id.as_str()])
            .collect();
        let mut alone: Vec<&VariantView> =
            view.variants.iter().filter(|variant| !paired.contains(variant.variant.id.as_str())).collect();
        alone.sort_by(|a, b| place(a).cmp(&place(b)).then(duration(b).total_cmp(&duration(a))));
        let pairs = pairs.into_iter().map(|pair| (pair_title(pair, one.is_none()), Subject::Pair(pair)));
        let alone = alone.into_iter().map(|variant| (variant.full_title(), Subject::Alone(variant)));
        let all = pairs.chain(alone).enumerate();
        let all = all.map(|(number, (title, subject))| Entry { id: format!("c{}", number + 1), title, subject });
        Self { all: all.collect(), variants, labels: one }
    }

    /// The candidates and what all of them are compared with; `None` where these are several, or the candidates are many.
    pub(crate) fn sides(&self) -> Option<(Vec<&'a str>, &'a str)> {
        let mut candidates = Vec::new();
        let mut bases = BTreeSet::new();
        for (_, pair) in self.pairs() {
            bases.insert(pair.base.label.as_str());
            if !candidates.contains(&pair.candidate.label.as_str()) {
                candidates.push(pair.candidate.label.as_str());
            }
        }
        let base = bases.first().copied().filter(|_| bases.len() == 1)?;
        (candidates.len() <= NAMED).then_some((candidates, base))
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&Entry<'a>, &'a ComparisonView)> {
        self.all.iter().filter_map(|entry| match entry.subject {
            Subject::Pair(pair) => Some((entry, pair)),
            Subject::Alone(_) => None,
        })
    }

    pub(crate) fn alone(&self) -> impl Iterator<Item = (&Entry<'a>, &'a VariantView)> {
        self.all.iter().filter_map(|entry| match entry.subject {
            Subject::Pair(_) => None,
            Subject::Alone(variant) => Some((entry, variant)),
        })
    }
}

fn pair_title(pair: &ComparisonView, labelled: bool) -> String {
    let sides = format!("{} vs {}", pair.candidate.label, pair.base.label);
    match (labelled, pair.title.is_empty()) {
        (false, false) => pair.title.clone(),
        (_, true) => sides,
        (true, false) => format!("{} ({sides})", pair.title),
    }
}

/// What failed comes first.
fn place(variant: &VariantView) -> usize {
    match (&variant.outcome, &variant.summary) {
        (Outcome::Failed(_), _) => 0,
        (Outcome::Interrupted, _) => 1,
        (_, Some(summary)) if summary.below_resolution => 3,
        (Outcome::Skipped(_), _) => 4,
        _ => 2,
    }
}

fn duration(variant: &VariantView) -> f64 {
    variant.summary.as_ref().map_or(0.0, |summary| summary.time.estimate)
}
