use std::collections::BTreeMap;

use proptest::prelude::*;
use tare_samples::{Calls, Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand};

use super::{BaseError, BasePattern, BaseRule, pair_cases};
use crate::group::{Enumerated, FoundCase, Group, Pair, groups};

fn runtime(name: &str) -> Runtime {
    Runtime {
        name: name.into(),
        language: "php".into(),
        version: "8.2".into(),
        command: RuntimeCommand {
            name: name.into(),
            driver: "php".into(),
            command: vec!["php".into()],
            folder: None,
            environment: Vec::new(),
        },
        correction: Correction::Serial,
        facts: BTreeMap::new(),
    }
}

/// `Class::method`, or `Class::method#set`; a `*` in front marks it as base.
fn case(text: &str) -> Case {
    let (base, text) = text.strip_prefix('*').map_or((false, text), |text| (true, text));
    let (benchmark, set) = text.split_once('#').map_or((text, None), |(name, set)| (name, Some(set)));
    Case {
        index: 0,
        language: "php".into(),
        benchmark: benchmark.into(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters { name: set.map(str::to_owned), values: vec![] },
        file: "a.php".into(),
        line: 1,
        groups: vec![],
        settings: CaseSettings { base, ..CaseSettings::default() },
    }
}

fn enumerated(name: &str, cases: &[Case]) -> Enumerated {
    let start = || runtime(name).command;
    let cases = cases
        .iter()
        .map(|case| FoundCase {
            case: case.clone(),
            source: String::new(),
            sources: vec![],
            start: start(),
            code: vec![],
            startup: Default::default(),
        })
        .collect();
    Enumerated { runtime: runtime(name), cases, bootstrap: None, base: None }
}

fn suite(cases: &[&str]) -> Vec<Group> {
    let cases: Vec<Case> = cases.iter().map(|text| case(text)).collect();
    groups(&[enumerated("php", &cases)], &[])
}

fn named(text: &str) -> BaseRule {
    BaseRule::Named(text.parse().unwrap())
}

/// Each group in a line: its labels, or the id where it was left alone, and its pairs.
fn shape(groups: &[Group]) -> Vec<String> {
    let line = |group: &Group| {
        let alone = group.pairs.is_empty();
        let name = |planned: &crate::group::Planned| match alone {
            true => planned.variant.id.clone(),
            false => planned.variant.label.clone(),
        };
        let members: Vec<String> = group.variants.iter().map(name).collect();
        let pairs: String = group.pairs.iter().map(|pair| format!(" {}<{}", pair.base, pair.candidate)).collect();
        format!("{}{pairs}", members.join(" | "))
    };
    groups.iter().map(line).collect()
}

fn paired(cases: &[&str], rule: &BaseRule) -> Vec<String> {
    shape(&pair_cases(suite(cases), rule).unwrap())
}

#[test]
fn the_other_methods_of_the_class_are_compared_with_the_base() {
    let cases = ["X::before", "A::benchNew", "B::benchNew", "A::benchOld", "A::benchNewer", "C::benchOld", "C::x"];
    let merged = pair_cases(suite(&cases), &named("benchOld")).unwrap();
    assert_eq!(
        shape(&merged),
        ["php/X::before", "benchOld | benchNew | benchNewer 0<1 0<2", "php/B::benchNew", "benchOld | x 0<1"]
    );
    assert_eq!(merged[1].case, "php/A::benchOld");
    let ids: Vec<&str> = merged[1].variants.iter().map(|planned| planned.variant.id.as_str()).collect();
    assert_eq!(ids, ["php/A::benchOld", "php/A::benchNew", "php/A::benchNewer"], "ids stay");
    assert!(merged[1].pairs.iter().all(|pair| !pair.control));
    assert_eq!(merged[0], suite(&cases)[0], "what takes no part stays as it is");
    assert_eq!(
        paired(&cases, &named("A::benchOld")),
        ["php/X::before", "benchOld | benchNew | benchNewer 0<1 0<2", "php/B::benchNew", "php/C::benchOld", "php/C::x"]
    );
}

#[test]
fn sets_are_compared_with_the_set_of_the_same_name() {
    let cases = ["A::old#x", "A::old#y", "A::new#y", "A::new#z", "A::new#x", "A::plain"];
    assert_eq!(
        paired(&cases, &named("old")),
        ["old | new 0<1", "old | new 0<1", "php/A::new#z", "php/A::plain"],
        "the base lacks z, and a case without parameters"
    );
    let merged = pair_cases(suite(&cases), &named("old")).unwrap();
    assert_eq!([&merged[0].case, &merged[1].case], ["php/A::old#x", "php/A::old#y"]);
}

#[test]
fn a_base_without_parameters_is_the_base_of_every_set() {
    assert_eq!(
        paired(&["A::new#x", "A::new#y", "A::other", "A::old"], &named("old")),
        ["old | new#x | new#y | other 0<1 0<2 0<3"]
    );
    // Both forms under one name: the nearer one counts.
    assert_eq!(
        paired(&["A::old", "A::old#x", "A::new#x", "A::new#y"], &named("old")),
        ["old | new#y 0<1", "old | new 0<1"]
    );
}

#[test]
fn the_other_sets_of_the_benchmark_are_compared_with_a_set() {
    let cases = ["A::f#sha1", "A::f#md5", "A::g#md5", "A::g#sha1", "B::f#md5", "B::f#crc", "A::h#sha1"];
    let of_f = ["md5 | sha1 0<1", "md5 | crc 0<1"];
    assert_eq!(paired(&cases, &named("#md5")), [of_f[0], "md5 | sha1 0<1", of_f[1], "php/A::h#sha1"]);
    assert_eq!(paired(&cases, &named("f#md5")), [of_f[0], "php/A::g#md5", "php/A::g#sha1", of_f[1], "php/A::h#sha1"]);
    assert_eq!(
        paired(&cases, &named("A::f#md5")),
        [of_f[0], "php/A::g#md5", "php/A::g#sha1", "php/B::f#md5", "php/B::f#crc", "php/A::h#sha1"]
    );
}

#[test]
fn a_name_means_the_end_of_a_namespaced_name_exactly() {
    let full = case(r"App\Bench\HashBench::benchHash#a#b (1)");
    for text in [
        "benchHash",
        "HashBench::benchHash",
        r"Bench\HashBench::benchHash",
        r"\App\Bench\HashBench::benchHash",
        r"php/App\Bench\HashBench::benchHash",
        "#a#b (1)",
        "benchHash#a#b (1)",
    ] {
        assert!(text.parse::<BasePattern>().unwrap().matches(&full), "{text}");
    }
    for text in [
        "Hash",
        "benchhash",
        "hBench::benchHash",
        "HashBench",
        "#a",
        "#A#b (1)",
        "b#a#b (1)",
        r"pp\HashBench::benchHash",
    ] {
        assert!(!text.parse::<BasePattern>().unwrap().matches(&full), "{text}");
    }
    assert!("f".parse::<BasePattern>().unwrap().matches(&case("f")), "a function without a class");
}

#[test]
fn classes_of_one_name_in_two_files_or_languages_are_two() {
    let mut cases = ["A::old", "A::new"].map(case);
    cases[1].file = "b.php".into();
    let of = |cases: &[Case]| pair_cases(groups(&[enumerated("php", cases)], &[]), &named("old"));
    assert!(matches!(of(&cases), Err(BaseError::Alone { .. })));
    cases[1].file = "a.php".into();
    cases[1].language = "python".into();
    assert!(matches!(of(&cases), Err(BaseError::Alone { .. })));
}

#[test]
fn a_text_that_names_nothing_is_refused() {
    for (text, reason) in [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("#", "set is missing"),
        ("benchHash#", "set is missing"),
        ("HashBench::", "method is missing"),
        ("::benchHash", "a name is missing"),
    ] {
        let message = text.parse::<BasePattern>().unwrap_err().to_string();
        assert!(message.contains(reason) && message.contains("; write a method"), "{text:?}: {message}");
    }
}

#[test]
fn a_name_that_nothing_has_names_near_ones() {
    let cases = [r"App\HashBench::benchHash#md5", r"App\HashBench::benchHash#sha1", r"App\HashBench::benchNothing"];
    let message = |text| pair_cases(suite(&cases), &named(text)).unwrap_err().to_string();
    for (text, remedy) in [
        ("benchhash", "did you mean `benchHash`?"),
        ("HashBench::benchHsah", "did you mean `HashBench::benchHash`?"),
        ("old", "there are `benchHash`, `benchNothing`"),
        ("#md4", "did you mean `#md5`?"),
        ("benchHash#md4", "did you mean `benchHash#md5`?"),
        ("benchHash#crc32b", "there are `benchHash#md5`, `benchHash#sha1`"),
        ("benchNothing#md5", "there are `benchHash#md5`, `benchHash#sha1`"),
    ] {
        assert!(message(text).contains(&format!("the base `{text}` is no case of this run")), "{}", message(text));
        assert!(message(text).ends_with(remedy), "{}", message(text));
    }
    let error = pair_cases(suite(&["A::x"]), &named("#md5")).unwrap_err().to_string();
    assert!(error.ends_with("no case has parameter sets; name a method, such as benchOld"), "{error}");
    let hostile = format!("A::\u{1b}[2J{}", "x".repeat(10_000));
    let error = pair_cases(suite(&[&hostile]), &named("old")).unwrap_err().to_string();
    assert!(!error.contains('\u{1b}') && error.len() < 400, "{error}");
}

#[test]
fn a_base_that_nothing_can_be_compared_with_is_an_error_and_not_an_empty_comparison() {
    let error = pair_cases(suite(&["A::old", "B::new"]), &named("old")).unwrap_err().to_string();
    assert!(error.starts_with("the base `old` has no candidate: there is no other method of its class"), "{error}");
    let error = pair_cases(suite(&["A::old#x", "A::new#x"]), &named("#x")).unwrap_err().to_string();
    assert!(error.contains("no other parameter set of its benchmark"), "{error}");
}

#[test]
fn what_is_left_out_is_neither_base_nor_candidate() {
    let mut cases = ["A::old", "A::new", "A::newer"].map(case);
    cases[1].settings.skip = Some("not now".into());
    let merged = pair_cases(groups(&[enumerated("php", &cases)], &[]), &named("old")).unwrap();
    assert_eq!(shape(&merged), ["old | newer 0<1", "php/A::new"]);
    cases[0].settings.skip = Some("too slow".into());
    let error = pair_cases(groups(&[enumerated("php", &cases)], &[]), &named("old")).unwrap_err().to_string();
    assert!(error.contains("its source asks to skip it (too slow)"), "{error}");
}

#[test]
fn marks_of_the_sources_are_obeyed() {
    assert_eq!(paired(&["A::x", "A::y#1", "A::y#2"], &BaseRule::Marked), ["php/A::x", "php/A::y#1", "php/A::y#2"]);
    assert_eq!(
        paired(&["A::new#x", "*A::old#x", "*A::old#y", "B::new", "C::new", "*C::old"], &BaseRule::Marked),
        ["old | new 0<1", "php/A::old#y", "php/B::new", "old | new 0<1"]
    );
    // One set of several is the base of its benchmark, which then takes no part in its class.
    assert_eq!(
        paired(&["*A::old", "A::new", "*A::hash#md5", "A::hash#sha1"], &BaseRule::Marked),
        ["old | new 0<1", "md5 | sha1 0<1"]
    );
    assert_eq!(paired(&["*A::old"], &BaseRule::Marked), ["php/A::old"], "alone, but nobody asked by name");
}

#[test]
fn a_class_has_one_base() {
    let error = pair_cases(suite(&["*A::one", "A::new", "*A::two"]), &BaseRule::Marked).unwrap_err().to_string();
    assert_eq!(
        error,
        "A has two bases, `A::one` and `A::two`; leave the mark at one of them, or name the base on the command line"
    );
    let error = pair_cases(suite(&["*A::f#1", "*A::f#2", "A::f#3"]), &BaseRule::Marked).unwrap_err().to_string();
    assert!(error.starts_with("A has two bases, `A::f#1` and `A::f#2`; "), "{error}");
    let error = pair_cases(suite(&["x/old", "y/old", "new"]), &named("old")).unwrap_err().to_string();
    assert_eq!(error, "a.php has two bases, `x/old` and `y/old`; give more of the name");
}

#[test]
fn each_runtime_and_number_of_calls_has_pairs_of_its_own() {
    let cases = ["A::old", "A::new"].map(case);
    let both = [enumerated("a", &cases), enumerated("b", &cases)];
    let merged = pair_cases(groups(&both, &[Calls::Loop(10), Calls::Bare]), &named("old")).unwrap();
    assert_eq!(
        shape(&merged),
        ["old, a, 10 calls | old, a, no loop | old, b, 10 calls | old, b, no loop | \
          new, a, 10 calls | new, a, no loop | new, b, 10 calls | new, b, no loop 0<4 1<5 2<6 3<7"]
    );
    // The base is missing on b, where the candidate then only stands beside it.
    let some = [enumerated("a", &cases), enumerated("b", &cases[1..])];
    let merged = pair_cases(groups(&some, &[]), &named("old")).unwrap();
    assert_eq!(shape(&merged), ["old, a | new, a | new, b 0<1"]);
    let none = [enumerated("a", &cases[..1]), enumerated("b", &cases[1..])];
    let alone = pair_cases(groups(&none, &[]), &named("old"));
    assert!(matches!(alone, Err(BaseError::Alone { .. })), "{alone:?}");
}

#[test]
fn pairs_of_runtimes_end_where_cases_are_paired_and_stay_elsewhere() {
    let cases = ["A::old", "A::new", "B::other"].map(case);
    let mut both = groups(&[enumerated("a", &cases), enumerated("b", &cases)], &[]);
    let runtimes = Pair::new(0, 1);
    for group in &mut both {
        group.pairs = vec![runtimes];
    }
    let merged = pair_cases(both, &named("old")).unwrap();
    let pairs: Vec<Vec<(usize, usize)>> =
        merged.iter().map(|group| group.pairs.iter().map(|pair| (pair.base, pair.candidate)).collect()).collect();
    assert_eq!(pairs, [vec![(0, 2), (1, 3)], vec![(0, 1)]]);
}

#[test]
fn numbers_of_calls_in_the_sources_may_differ_but_a_bare_call_is_another_thing() {
    let with = |old: Option<u64>, new: Option<u64>| {
        let mut cases = ["A::old", "A::new"].map(case);
        (cases[0].settings.iterations, cases[1].settings.iterations) = (old, new);
        pair_cases(groups(&[enumerated("php", &cases)], &[]), &named("old")).is_ok()
    };
    assert!(with(Some(1_000), None) && with(Some(1_000), Some(10)) && with(Some(0), Some(0)));
    assert!(!with(Some(0), None) && !with(Some(1), Some(0)));
}

#[test]
fn groups_of_several_cases_take_no_part() {
    let mixed = crate::group::together(suite(&["A::old", "A::new"]));
    assert_eq!(pair_cases(mixed.clone(), &BaseRule::Marked).unwrap(), mixed);
    assert!(matches!(pair_cases(mixed, &named("old")), Err(BaseError::NoMatch { .. })));
}

proptest! {
    /// Whatever is marked: no variant is lost or doubled, and pairs are of the same runtime.
    #[test]
    fn every_variant_is_in_one_group(
        cases in prop::collection::btree_set((0u8..2, 0u8..3, prop::option::of(0u8..3)), 1..12),
        marks in prop::collection::vec(prop::bool::weighted(0.2), 12),
        runtimes in 1usize..3,
    ) {
        let mut all = Vec::new();
        for (&(class, method, set), &base) in cases.iter().zip(&marks) {
            let set = set.map(|set| format!("#{set}")).unwrap_or_default();
            let mut case = case(&format!("C{class}::m{method}{set}"));
            case.settings.base = base;
            all.push(case);
        }
        let names = ["a", "b"];
        let enumerated: Vec<Enumerated> = names[..runtimes].iter().map(|name| enumerated(name, &all)).collect();
        let before = groups(&enumerated, &[]);
        let ids = |groups: &[Group]| {
            let mut ids: Vec<String> =
                groups.iter().flat_map(|group| &group.variants).map(|planned| planned.variant.id.clone()).collect();
            ids.sort();
            ids
        };
        if let Ok(after) = pair_cases(before.clone(), &BaseRule::Marked) {
            prop_assert_eq!(ids(&before), ids(&after));
            for group in &after {
                let labels: std::collections::BTreeSet<&str> =
                    group.variants.iter().map(|planned| planned.variant.label.as_str()).collect();
                prop_assert_eq!(labels.len(), group.variants.len());
                for pair in &group.pairs {
                    let [base, candidate] = [pair.base, pair.candidate].map(|at| &group.variants[at].variant);
                    prop_assert!(base.case.settings.base && !candidate.case.settings.base);
                    prop_assert_eq!(&base.runtime.name, &candidate.runtime.name);
                }
            }
        }
    }
}
