//! The same case in several languages.

use std::collections::BTreeMap;

use tare_samples::Case;

use crate::group::{Group, Pair};

/// What begins the names of benchmarks, and says no more than that they are some.
const PREFIXES: [&str; 5] = ["benchmark", "bench", "bm", "test", "subject"];

/// Cases that the user calls the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Same {
    /// What they have in common.
    pub name: String,
    /// Their ids: `php/HashBench::benchSha256#64`.
    pub cases: Vec<String>,
}

/// Merges groups of one case each into groups of the same case in several languages, each compared with the first. Cases are the
/// same by `same`, or by name: without class, without what says that it is a benchmark, upper and lower case and punctuation
/// aside, with their parameters. `HashBench::benchSha256#64`, `BenchmarkSha256/64`, `BM_Sha256/64` and `bench_sha256#64` are. A name
/// that one language has twice tells nothing, and groups them with nobody.
///
/// The first runtime of the first language is the base of all others; pairs of runtimes within the first language stay, those
/// within another one go: its runtimes are compared with the base. A merged group stands where the first of its cases stood.
pub fn across_languages(groups: Vec<Group>, same: &[Same]) -> Vec<Group> {
    let mut families: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, group) in groups.iter().enumerate() {
        if let Some(case) = single_case(group) {
            families.entry(key(case, same)).or_default().push(position);
        }
    }
    let language = |position: usize| groups[position].variants[0].variant.case.language.as_str();
    families.retain(|_, members| {
        let mut languages: Vec<&str> = members.iter().map(|&member| language(member)).collect();
        languages.sort_unstable();
        let all = languages.len();
        languages.dedup();
        all > 1 && languages.len() == all
    });
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    for members in families.into_values() {
        let mut members = members.into_iter();
        let Some(first) = members.next() else { continue };
        let Some(mut merged) = groups[first].take() else { continue };
        for member in members {
            let before = merged.variants.len();
            merged.variants.extend(groups[member].take().into_iter().flat_map(|group| group.variants));
            let candidates = before..merged.variants.len();
            merged.pairs.extend(candidates.map(|candidate| Pair::new(0, candidate)));
        }
        for planned in &mut merged.variants {
            let variant = &mut planned.variant;
            if variant.label.is_empty() {
                variant.label.clone_from(&variant.runtime.name);
            }
        }
        groups[first] = Some(merged);
    }
    groups.into_iter().flatten().collect()
}

/// The case of a group that holds one, and compares no methods with each other.
fn single_case(group: &Group) -> Option<&Case> {
    let case = &group.variants.first()?.variant.case;
    group.variants.iter().all(|planned| planned.variant.case.id() == case.id()).then_some(case)
}

fn key(case: &Case, same: &[Same]) -> String {
    let id = case.id();
    match same.iter().find(|same| same.cases.contains(&id)) {
        // No name that is made of a benchmark's holds a space.
        Some(same) => format!("same {}", same.name),
        None => name(case),
    }
}

/// What is left of a benchmark's name and parameters.
fn name(case: &Case) -> String {
    let method = case.benchmark.rsplit("::").next().unwrap_or(&case.benchmark);
    // Go and Google Benchmark write parameters into the name.
    let (method, inside) = method.split_once('/').unwrap_or((method, ""));
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let method = plain(method);
    let bare = PREFIXES.iter().find_map(|prefix| method.strip_prefix(prefix).filter(|rest| !rest.is_empty()));
    let parameters = format!("{inside}/{}", case.parameters.name.as_deref().unwrap_or(""));
    let parameters: Vec<String> = parameters.split('/').map(numbers).filter(|part| !part.is_empty()).collect();
    format!("{}/{}", bare.unwrap_or(&method), parameters.join("/"))
}

/// A parameter without punctuation, save what belongs to a number: `n=-1.5` is not `n=15`.
fn numbers(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let kept = |&(at, letter): &(usize, &char)| match letter {
        '.' => digit(at.checked_sub(1)) && digit(Some(at + 1)),
        '-' | '+' => {
            let after_a_word = at > 0 && letters[at - 1].is_alphanumeric();
            *letter == '-' && !after_a_word && digit(Some(at + 1))
        }
        letter => letter.is_alphanumeric(),
    };
    letters.iter().enumerate().filter(kept).flat_map(|(_, letter)| letter.to_lowercase()).collect()
}

#[cfg(test)]
#[path = "across/tests.rs"]
mod tests;
