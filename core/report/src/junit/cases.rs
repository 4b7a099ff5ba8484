use std::collections::HashSet;

use tare_samples::{Failure, TimeUnit};
use tare_statistics::comparison::Verdict;
use tare_statistics::{Estimate, Warning};

use crate::figure::{Figure, bound, share};
use crate::typical;
use crate::wording::{self, Detail};
use tare_results::{ComparisonView, GateOutcome, GateView, RunView, SideView, VariantView};

/// Test cases under one name.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) cases: Vec<Case>,
}

/// One test case.
pub(super) struct Case {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) outcome: Outcome,
    pub(super) out: String,
    pub(super) err: String,
}

pub(super) enum Outcome {
    Passed,
    Failure { kind: String, message: String, text: String },
    Error { kind: String, message: String, text: String },
    Skipped(String),
}

/// Variants, comparisons, files that couldn't be loaded, and gates on what isn't among them. A variant that was measured for a comparison is in its test
/// case, and has one of its own only if a gate is on it alone.
pub(super) fn suites(view: &RunView) -> Vec<Suite> {
    let gates = &view.comparisons.gates;
    let judged = || view.comparisons.judged();
    let lost = gates.iter().filter(|gate| {
        let of_variant = gate.base.is_none() && view.variants.iter().any(|v| v.variant.id == gate.variant);
        !of_variant && !judged().any(|pair| concerns(gate, pair))
    });
    let compared: HashSet<&str> =
        view.comparisons.pairs.iter().flat_map(|pair| [pair.base.id.as_str(), pair.candidate.id.as_str()]).collect();
    let gated: HashSet<&str> =
        gates.iter().filter(|gate| gate.base.is_none()).map(|gate| gate.variant.as_str()).collect();
    let is_alone = |one: &&VariantView| {
        let id = one.variant.id.as_str();
        one.outcome != tare_samples::Outcome::Ok || gated.contains(id) || !compared.contains(id)
    };
    vec![
        Suite {
            name: "benchmarks",
            cases: view.variants.iter().filter(is_alone).map(|one| variant(one, gates)).collect(),
        },
        Suite { name: "comparisons", cases: judged().map(|one| comparison(one, view)).collect() },
        Suite { name: "files", cases: view.file_failures.iter().map(file).collect() },
        Suite { name: "gates", cases: lost.map(alone).collect() },
    ]
}

fn concerns(gate: &GateView, pair: &ComparisonView) -> bool {
    gate.variant == pair.candidate.id && gate.base.as_ref() == Some(&pair.base.id)
}

/// Class and method as CI servers want them: packages end at dots.
fn named(language: &str, title: &str) -> (String, String) {
    let (benchmark, rest) = title.split_once(' ').map_or((title, ""), |(benchmark, rest)| (benchmark, rest));
    let (class, method) = benchmark.rsplit_once("::").unwrap_or(("", benchmark));
    let class = class.replace("::", ".").replace(['\\', '/'], ".");
    let parts = [language, class.trim_matches('.')];
    let class = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(".");
    (class, format!("{method} {rest}").trim_end().to_owned())
}

/// The first gate of these that was broken decides, else the first that couldn't be decided.
fn gated<'a>(gates: impl Iterator<Item = &'a GateView> + Clone) -> Option<Outcome> {
    let tripped = gates.clone().find(|gate| gate.outcome == GateOutcome::Tripped);
    let text = || gates.clone().map(|gate| format!("{}: {}", gate.rule, gate.message)).collect::<Vec<_>>().join("\n");
    match (tripped, gates.clone().next()) {
        (Some(gate), _) => {
            Some(Outcome::Failure { kind: gate.rule.clone(), message: gate.message.clone(), text: text() })
        }
        (None, Some(gate)) => Some(Outcome::Skipped(format!("undecided, {}: {}", gate.rule, gate.message))),
        (None, None) => None,
    }
}

fn variant(view: &VariantView, gates: &[GateView]) -> Case {
    let (class, name) = named(&view.variant.case.language, &view.title());
    let distinction = view.distinction();
    let name = if distinction.is_empty() { name } else { format!("{name} ({distinction})") };
    let own = gates.iter().filter(|gate| gate.variant == view.variant.id && gate.base.is_none());
    let (mut outcome, mut err) = (gated(own).unwrap_or(Outcome::Passed), String::new());
    let mut out = figures(view);
    match &view.outcome {
        tare_samples::Outcome::Ok => {}
        tare_samples::Outcome::Failed(failure) => {
            outcome = error(failure);
            out = format!("{out}\n{}", failure.stdout).trim_start().to_owned();
            err = error_output(failure);
        }
        tare_samples::Outcome::Skipped(reason) => outcome = Outcome::Skipped(reason.clone()),
        tare_samples::Outcome::Interrupted => outcome = Outcome::Skipped("interrupted".into()),
    }
    Case { class, name, outcome, out, err }
}

fn error(failure: &Failure) -> Outcome {
    let place = if failure.file.is_empty() { String::new() } else { format!("\n{}:{}", failure.file, failure.line) };
    let remedy = if failure.remedy.is_empty() { String::new() } else { format!("\n{}", failure.remedy) };
    Outcome::Error {
        kind: failure.kind.to_string(),
        message: failure.message.clone(),
        text: format!("{}{place}{remedy}", failure.message),
    }
}

fn file(failure: &Failure) -> Case {
    Case {
        class: "files".into(),
        // A build that fails, or a runtime that can't be started, is of no file.
        name: if failure.file.is_empty() { failure.kind.to_string() } else { failure.file.clone() },
        outcome: error(failure),
        out: failure.stdout.clone(),
        err: error_output(failure),
    }
}

/// What was written to standard error, and the trace.
fn error_output(failure: &Failure) -> String {
    let line_end = if failure.stderr.is_empty() || failure.stderr.ends_with('\n') { "" } else { "\n" };
    if failure.trace.is_empty() {
        failure.stderr.clone()
    } else {
        format!("{}{line_end}{}", failure.stderr, failure.trace)
    }
}

fn alone(gate: &GateView) -> Case {
    let (class, name) = named("", &gate.title);
    let outcome = gated(std::iter::once(gate)).unwrap_or(Outcome::Passed);
    Case { class, name, outcome, out: String::new(), err: String::new() }
}

/// The figures of a variant, a line each, and its warnings.
fn figures(view: &VariantView) -> String {
    let Some(summary) = &view.summary else { return String::new() };
    let time = match summary.below_resolution {
        true => format!("below resolution (< {})", bound(finite(summary.time.high))),
        false => interval(&summary.time),
    };
    let mut lines = vec![
        format!("time {time} a call ({:.0} %)", summary.confidence * 100.0),
        format!("raw {}", interval(&summary.raw)),
        format!("{} launches, {} samples, {} calls a sample", summary.launches, summary.samples, summary.iterations),
    ];
    lines.extend(typical::phrase(summary, TimeUnit::fitting(summary.time.estimate)));
    lines.extend(summary.warnings.iter().map(warned));
    lines.join("\n")
}

fn comparison(pair: &ComparisonView, view: &RunView) -> Case {
    let (class, name) = named("comparison", &pair.title);
    let found = &pair.comparison;
    let own = view.comparisons.gates.iter().filter(|gate| concerns(gate, pair));
    let undecided = || match found.verdict {
        Verdict::Inconclusive => Outcome::Skipped(wording::verdict(pair, Detail::Full)),
        _ => Outcome::Passed,
    };
    let verdict = wording::verdict(pair, Detail::Full);
    let said = match (wording::ratio(found.shown()), wording::proof(found)) {
        (Some(ratio), _) => {
            format!("{verdict}: {} ({:.0} %)", Figure::ratio(&ratio).inline(), found.confidence * 100.0)
        }
        (None, Some(proof)) => format!("{verdict}: {proof}"),
        (None, None) => verdict,
    };
    if found.verdict == Verdict::Unchanged {
        let (name, out) = (format!("{name}: {} vs {}", pair.candidate.label, pair.base.label), said);
        return Case { class, name, outcome: gated(own).unwrap_or(Outcome::Passed), out, err: String::new() };
    }
    let mut lines = vec![
        said,
        format!("base {}: {}", pair.base.label, side(&pair.base)),
        format!("candidate {}: {}", pair.candidate.label, side(&pair.candidate)),
        format!("{} launch pairs, margin {}, {}", found.pairs, share(found.margin), pair.kind.name()),
    ];
    lines.extend(found.warnings.iter().map(warned));
    for side in [&pair.base, &pair.candidate] {
        let summary = view.variants.iter().find(|one| one.variant.id == side.id).and_then(|one| one.summary.as_ref());
        let warnings = summary.iter().flat_map(|summary| &summary.warnings);
        lines.extend(warnings.map(|warning| format!("{}: {}", side.label, warned(warning))));
    }
    Case {
        class,
        name: format!("{name}: {} vs {}", pair.candidate.label, pair.base.label),
        outcome: gated(own).unwrap_or_else(undecided),
        out: lines.join("\n"),
        err: String::new(),
    }
}

fn side(side: &SideView) -> String {
    side.time.as_ref().map_or_else(|| "not measured".to_owned(), interval)
}

fn warned(warning: &Warning) -> String {
    let remedy = if warning.remedy.is_empty() { String::new() } else { format!(" -> {}", warning.remedy) };
    format!("warning {}: {}{remedy}", warning.code, warning.message)
}

fn interval(time: &Estimate) -> String {
    Figure::interval(time, TimeUnit::fitting(time.estimate)).inline()
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
