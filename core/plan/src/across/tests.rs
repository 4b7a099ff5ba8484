use std::collections::BTreeMap;

use tare_samples::{Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand};

use super::{Same, across_languages};
use crate::group::{Enumerated, FoundCase, Group, groups};

/// `Class::method` or `Class::method#set`.
fn side(language: &str, runtime: &str, base: Option<&str>, cases: &[&str]) -> Enumerated {
    let found = |text: &&str| {
        let (benchmark, set) = text.split_once('#').map_or((*text, None), |(name, set)| (name, Some(set)));
        let case = Case {
            index: 0,
            language: language.into(),
            benchmark: benchmark.into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters { name: set.map(str::to_owned), values: vec![] },
            file: "a".into(),
            line: 1,
            groups: vec![],
            settings: CaseSettings::default(),
        };
        FoundCase {
            case,
            source: String::new(),
            sources: vec![],
            start: RuntimeCommand::default(),
            code: vec![],
            startup: Default::default(),
        }
    };
    Enumerated {
        runtime: Runtime {
            name: runtime.into(),
            language: language.into(),
            version: "1".into(),
            command: RuntimeCommand::default(),
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        },
        cases: cases.iter().map(found).collect(),
        bootstrap: None,
        base: base.map(str::to_owned),
    }
}

/// The ids of a group, and its pairs.
type Shape = (Vec<String>, Vec<(usize, usize)>);

fn shape(groups: &[Group]) -> Vec<Shape> {
    let ids = |group: &Group| group.variants.iter().map(|planned| planned.variant.id.clone()).collect();
    let pairs = |group: &Group| group.pairs.iter().map(|pair| (pair.base, pair.candidate)).collect();
    groups.iter().map(|group| (ids(group), pairs(group))).collect()
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|&id| id.to_owned()).collect()
}

#[test]
fn a_case_is_known_by_its_name_in_each_language() {
    let found = [
        side(
            "php",
            "php",
            None,
            &["App\\HashBench::benchSha256#64", "App\\HashBench::benchSha256#n=1", "X::benchOnly"],
        ),
        side("go", "go", None, &["BenchmarkSha256/64", "BenchmarkSHA256/n:1"]),
        side("cpp", "native", None, &["BM_Sha256#64"]),
        side("python", "python3", None, &["bench_sha256#64", "TestSort::test_other"]),
    ];
    let merged = across_languages(groups(&found, &[]), &[]);
    assert_eq!(
        shape(&merged),
        [
            (
                ids(&[
                    "php/App\\HashBench::benchSha256#64",
                    "go/BenchmarkSha256/64",
                    "cpp/BM_Sha256#64",
                    "python/bench_sha256#64"
                ]),
                vec![(0, 1), (0, 2), (0, 3)]
            ),
            (ids(&["php/App\\HashBench::benchSha256#n=1", "go/BenchmarkSHA256/n:1"]), vec![(0, 1)]),
            (ids(&["php/X::benchOnly"]), vec![]),
            (ids(&["python/TestSort::test_other"]), vec![]),
        ]
    );
    let labels: Vec<&str> = merged[0].variants.iter().map(|planned| planned.variant.label.as_str()).collect();
    assert_eq!(labels, ["php", "go", "native", "python3"]);
}

#[test]
fn runtimes_of_another_language_are_compared_with_the_base_of_all() {
    let found = [
        side("php", "old", None, &["A::benchX"]),
        side("php", "new", Some("old"), &["A::benchX"]),
        side("go", "go1", None, &["BenchmarkX"]),
        side("go", "go2", Some("go1"), &["BenchmarkX"]),
    ];
    let merged = across_languages(groups(&found, &[]), &[]);
    assert_eq!(
        shape(&merged),
        [(
            ids(&["php/A::benchX@old", "php/A::benchX@new", "go/BenchmarkX@go1", "go/BenchmarkX@go2"]),
            vec![(0, 1), (0, 2), (0, 3)]
        )]
    );
}

#[test]
fn a_name_that_a_language_has_twice_tells_nothing_but_the_user_may() {
    let found = [
        side("php", "php", None, &["A::benchX", "B::benchX"]),
        side("go", "go", None, &["BenchmarkX", "BenchmarkQuick"]),
    ];
    let alone = across_languages(groups(&found, &[]), &[]);
    assert!(alone.iter().all(|group| group.variants.len() == 1 && group.pairs.is_empty()));
    let same = Same { name: "sorting".into(), cases: vec!["php/B::benchX".into(), "go/BenchmarkQuick".into()] };
    let merged = across_languages(groups(&found, &[]), &[same]);
    let told = shape(&merged);
    assert!(told.contains(&(ids(&["php/B::benchX", "go/BenchmarkQuick"]), vec![(0, 1)])), "{told:?}");
    // What remains of the name is now one in each language.
    assert!(told.contains(&(ids(&["php/A::benchX", "go/BenchmarkX"]), vec![(0, 1)])), "{told:?}");
}

#[test]
fn numbers_that_differ_are_other_parameters() {
    let found = [
        side("php", "php", None, &["A::benchPow#15", "A::benchPow#-2", "A::benchPow#0.5"]),
        side("python", "python3", None, &["bench_pow#1.5", "bench_pow#2", "bench_pow#n=0.5", "bench_pow#0.5"]),
    ];
    let merged = across_languages(groups(&found, &[]), &[]);
    let pairs: Vec<_> = shape(&merged).into_iter().filter(|(_, pairs)| !pairs.is_empty()).map(|(ids, _)| ids).collect();
    assert_eq!(pairs, [ids(&["php/A::benchPow#0.5", "python/bench_pow#0.5"])]);
}
