//! Benchmarks of the same name in several sources: told apart where sources are packages, modules or binaries, refused elsewhere.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use tare_languages::{SharedNames, of_name};
use tare_plan::FoundCase;
use tare_samples::{Case, Failure, FailureKind};

use tare_request::{Request, relative, text};

/// Packages of a Go module, binaries of a C++ project and files of a Python one have benchmarks of the same name as often as not. Those that
/// share one get the path of their source below the project's root in front: `codec::BenchmarkParse`. What the filter leaves out counts as
/// well, and so does what another runtime or revision has (`case_lists` holds the cases of each): neither may change the names of the others, by which they are paired
/// and their history is found.
/// Every Go case keeps its place, by which it is found among stored runs.
pub(super) fn tell_apart(mut case_lists: Vec<&mut Vec<FoundCase>>, request: &Request) {
    let mut places: HashMap<String, BTreeSet<String>> = HashMap::new();
    let mut several: HashSet<String> = HashSet::new();
    for cases in &case_lists {
        let mut here: HashMap<String, BTreeSet<String>> = HashMap::new();
        for found in cases.iter().filter(|found| sharing(found) != SharedNames::Refused) {
            let place = place_of(found, request);
            places.entry(shared(found)).or_default().insert(place.clone());
            // A Go package is what its benchmarks are known by; a file or a binary may be renamed from one revision to the next.
            let known = if sharing(found) == SharedNames::ByPackage { &mut places } else { &mut here };
            let known = known.entry(shared(found)).or_default();
            known.insert(place);
            if known.len() > 1 {
                several.insert(shared(found));
            }
        }
    }
    for found in case_lists.iter_mut().flat_map(|cases| cases.iter_mut()) {
        let place = place_of(found, request);
        if sharing(found) == SharedNames::ByPackage {
            found.case.place = if place.is_empty() { ".".to_owned() } else { place.clone() };
        }
        let name = shared(found);
        let Some(places) = places.get(&name).filter(|_| several.contains(&name)) else { continue };
        let front = match sharing(found) {
            SharedNames::ByModule | SharedNames::ByTarget => module(&place, places),
            _ => &place,
        };
        // The package in the root itself needs nothing in front.
        if !front.is_empty() {
            found.case.prefix = format!("{front}::");
            found.case.benchmark.insert_str(0, &found.case.prefix);
        }
    }
}

/// What becomes of names that several sources share.
fn sharing(found: &FoundCase) -> SharedNames {
    of_name(&found.case.language).shared_names
}

/// What several may have in common. In Python the sets of one function are to have one name, whichever of them another file has too.
fn shared(found: &FoundCase) -> String {
    if matches!(sharing(found), SharedNames::ByModule | SharedNames::ByTarget) {
        format!("{}/{}", found.case.language, found.case.benchmark)
    } else {
        found.case.id()
    }
}

/// A Python file's name without `.py`, or a target's, where the names of all `places` differ, else its path.
fn module<'a>(place: &'a str, places: &BTreeSet<String>) -> &'a str {
    let names: BTreeSet<&str> = places.iter().map(|place| file_name(place)).collect();
    let told = if names.len() == places.len() { file_name(place) } else { place };
    told.strip_suffix(".py").unwrap_or(told)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn place_of(found: &FoundCase, request: &Request) -> String {
    let source = found.sources.first().map_or("", String::as_str);
    match &found.start.folder {
        Some(folder) if sharing(found) == SharedNames::ByTarget => place(&target(folder, source), request),
        _ => place(source, request),
    }
}

/// A target as a path below its package's folder, for a program that a hash of its content names: that is another in each revision.
fn target(folder: &Path, program: &str) -> String {
    let name = file_name(program);
    text(&folder.join(name.rsplit_once('-').map_or(name, |(name, _)| name)))
}

/// Where a source lies below the root of its side, the same from whichever folder the run is asked for.
pub(super) fn place(source: &str, request: &Request) -> String {
    // Checkouts lie in the working tree: the longest first.
    let mut roots: Vec<&Path> = request.sides.iter().map(|side| side.root.as_path()).collect();
    roots.sort_by_key(|root| std::cmp::Reverse(root.as_os_str().len()));
    let below = roots.iter().find_map(|root| Path::new(source).strip_prefix(root).ok());
    below.map_or_else(|| relative(source, request), text)
}

/// Two files may define a class of the same name, since each is loaded alone; but their cases would be one in the store and in
/// every comparison. All of them are given with their failures: which of them comes first is no property of any.
pub(super) fn refuse(cases: &mut Vec<FoundCase>) -> Vec<(Case, Failure)> {
    let mut refused = Vec::new();
    let mut places: HashMap<String, Vec<String>> = HashMap::new();
    for FoundCase { case, .. } in cases.iter() {
        places.entry(case.id()).or_default().push(place_in_file(case));
    }
    cases.retain(|FoundCase { case, .. }| {
        let own = place_in_file(case);
        let namesakes = places.get(&case.id()).filter(|places| places.len() > 1);
        let Some(other) =
            namesakes.and_then(|places| places.iter().take(2).find(|other| **other != own).or(places.first()))
        else {
            return true;
        };
        let message = format!("the case {} has the name of another one, in {other}", case.id());
        let remedy = "give the class or the parameter set another name, or measure the files in runs of their own";
        refused.push((case.clone(), Failure::new(FailureKind::Load, message, remedy).at(case.file.clone(), case.line)));
        false
    });
    refused
}

fn place_in_file(case: &Case) -> String {
    format!("{}:{}", case.file, case.line)
}
