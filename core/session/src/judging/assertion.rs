//! PHPBench's assertions as gates: read before anything is measured, and judged on the figures with their intervals.

use tare_definition::{Assertion, Side, Truth};
use tare_results::{AssertionCounts, ComparisonView, GateKind, GateOutcome, GateView, RunView, VariantView};
use tare_samples::{Case, CaseAssertion, Outcome};
use tare_statistics::comparison::Verdict;

use crate::error::Error;

use crate::judging::assertion::state::States;

mod state;

/// Refuses the first assertion of these cases that can't be evaluated.
pub(crate) fn check(cases: &[&Case]) -> Result<(), Error> {
    for case in cases {
        for assertion in &case.settings.assertions {
            if let Err(error) = Assertion::parse(&assertion.text) {
                return Err(Error::usage(format!("{}: {error}", place(assertion, case))));
            }
        }
    }
    Ok(())
}

/// Assertions of a case that can be read.
fn parsed(case: &Case) -> impl Iterator<Item = (&CaseAssertion, Assertion)> {
    let written = case.settings.assertions.iter();
    written.filter_map(|written| Some((written, Assertion::parse(&written.text).ok()?)))
}

/// Whether something is asserted of what a case holds in memory: it is weighed then.
pub(crate) fn need_memory(case: &Case) -> bool {
    parsed(case).any(|(_, assertion)| assertion.needs_memory())
}

/// Assertions about a baseline where nothing is compared: they say nothing, and that is said.
pub(crate) fn without_effect(cases: &[&Case]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for case in cases {
        for (assertion, _) in parsed(case).filter(|(_, assertion)| assertion.needs_baseline()) {
            let message = format!(
                "{}: `{}` is not judged: it needs a baseline, and this run has no comparison; use `tare compare` or --against",
                place(assertion, case),
                assertion.text
            );
            if !told.contains(&message) {
                told.push(message);
            }
        }
    }
    told
}

/// Where an assertion is said.
fn place(assertion: &CaseAssertion, case: &Case) -> String {
    match (assertion.place.as_str(), case.line) {
        ("", 0) => case.file.clone(),
        ("", line) => format!("{}:{line}", case.file),
        (place, _) => place.to_owned(),
    }
}

/// Judges the assertions of `variants`; those about a baseline in each comparison whose candidate they belong to.
pub(crate) fn judge<'a>(
    view: &'a RunView,
    variants: impl Iterator<Item = &'a VariantView>,
) -> (Vec<GateView>, AssertionCounts) {
    let (mut gates, mut counts) = (Vec::new(), AssertionCounts::default());
    let compares = view.comparisons.judged().next().is_some();
    for variant in variants.filter(|variant| variant.outcome == Outcome::Ok) {
        let case = &variant.variant.case;
        for (written, assertion) in parsed(case) {
            let pairs = view.comparisons.judged().filter(|pair| pair.candidate.id == variant.variant.id);
            let pairs: Vec<Option<&ComparisonView>> = match assertion.needs_baseline() {
                false => vec![None],
                true => pairs.map(Some).collect(),
            };
            let mut add = |found: AssertionResult, base: Option<&ComparisonView>| {
                let outcome = match found.truth {
                    Truth::Holds => return counts.held += 1,
                    Truth::Fails => GateOutcome::Tripped,
                    Truth::Open => GateOutcome::Undecided,
                };
                *(if outcome == GateOutcome::Tripped { &mut counts.failed } else { &mut counts.undecided }) += 1;
                gates.push(GateView {
                    title: variant.full_title(),
                    variant: variant.variant.id.clone(),
                    base: base.map(|pair| pair.base.id.clone()),
                    kind: GateKind::Assertion,
                    rule: format!("assertion {}", written.text),
                    message: format!("{} ({})", found.message, place(written, case)),
                    outcome,
                });
            };
            if pairs.is_empty() && compares {
                add(AssertionResult::open("it has no base".to_owned()), None);
            }
            for pair in pairs {
                let base = pair.and_then(|pair| view.variants.iter().find(|v| v.variant.id == pair.base.id));
                add(found(&assertion, variant, pair.zip(base)), pair);
            }
        }
    }
    (gates, counts)
}

/// Whether an assertion holds, and why.
struct AssertionResult {
    truth: Truth,
    message: String,
}

impl AssertionResult {
    fn open(message: String) -> Self {
        Self { truth: Truth::Open, message }
    }
}

fn found(
    assertion: &Assertion,
    variant: &VariantView,
    compared: Option<(&ComparisonView, &VariantView)>,
) -> AssertionResult {
    let mut states = States::default();
    for figure in assertion.figures() {
        let added = match (compared, figure.side) {
            (None, Side::Baseline) => Err("the base was not measured".to_owned()),
            (Some((_, base)), Side::Baseline) => states.add(figure, base, None),
            // By the ratio, which is known more narrowly than either side; but alone it has an interval of its own.
            (Some((pair, base)), Side::Variant) => states.add(figure, variant, Some((pair, base))),
            (None, Side::Variant) => states.add(figure, variant, None),
        };
        if let Err(why) = added {
            return AssertionResult::open(format!("{figure} isn't known: {why}"));
        }
    }
    let truth = assertion.judge(&states.rows());
    let figures = states.described();
    let told = if figures.is_empty() { "it is about constants alone".to_owned() } else { figures };
    match (truth, compared.map(|(pair, _)| pair.comparison.verdict)) {
        (Truth::Fails, Some(Verdict::Inconclusive)) => {
            AssertionResult::open(format!("{told}: it would fail, but the comparison is inconclusive"))
        }
        (Truth::Open, _) => AssertionResult::open(format!("{told}: too uncertain to decide")),
        (truth, _) => AssertionResult { truth, message: told },
    }
}
