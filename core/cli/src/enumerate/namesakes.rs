//! Benchmarks of the same name in several sources: told apart where sources are packages or binaries, refused elsewhere.

use std::collections::{BTreeSet, HashMap};

use tare_definition::Filter;
use tare_plan::FoundCase;
use tare_samples::{Case, Failure, FailureKind};

use super::relative;
use crate::request::Request;

/// Packages of a Go module and binaries of a C++ project have benchmarks of the same name as often as not. Those that share one get the
/// path of their source, relative to where the run was asked for, in front: `codec::BenchmarkParse`. What the filter leaves out counts as well:
/// it must not change the names of the others, by which their history is found.
pub(super) fn tell_apart(cases: &mut [FoundCase], request: &Request) {
    let mut sources: HashMap<String, BTreeSet<String>> = HashMap::new();
    let of = |found: &FoundCase| found.sources.first().cloned().unwrap_or_default();
    for found in cases.iter().filter(|found| matches!(found.case.language.as_str(), "go" | "cpp")) {
        sources.entry(found.case.id()).or_default().insert(of(found));
    }
    for found in cases.iter_mut() {
        if sources.get(&found.case.id()).is_none_or(|sources| sources.len() < 2) {
            continue;
        }
        let place = relative(&of(found), request);
        // The package in the folder itself needs nothing in front.
        if !place.is_empty() {
            found.case.prefix = format!("{place}::");
            found.case.benchmark.insert_str(0, &found.case.prefix);
        }
    }
}

/// Whether a filter asks for it, by the name in its source or the one with the source in front.
pub(super) fn matches(filter: &Filter, case: &Case) -> bool {
    let plain = || Case { benchmark: case.own_name().to_owned(), prefix: String::new(), ..case.clone() };
    filter.matches(case) || (!case.prefix.is_empty() && filter.matches(&plain()))
}

/// Two files may define a class of the same name, since each is loaded alone; but their cases would be one in the store and in
/// every comparison. The first one stays, the others are given as failures.
pub(super) fn refuse(cases: &mut Vec<FoundCase>) -> Vec<Failure> {
    let mut refused = Vec::new();
    let mut first: HashMap<String, String> = HashMap::new();
    cases.retain(|FoundCase { case, .. }| {
        let place = format!("{}:{}", case.file, case.line);
        let Some(other) = first.get(&case.id()) else {
            first.insert(case.id(), place);
            return true;
        };
        let message = format!("the case {} has the name of another one, in {other}", case.id());
        let remedy = "give the class or the parameter set another name, or measure the files in runs of their own";
        refused.push(Failure::new(FailureKind::Load, message, remedy).at(case.file.clone(), case.line));
        false
    });
    refused
}
