//! Whose history a variant belongs to; what has no variant; whether somebody measures a run.

use crate::common::{origin, summary, variant};
use crate::kinds::Kind;
use tare_samples::{Failure, FailureKind, Outcome};
use tare_store::{RunState, StoreError};

/// The files beside a comparison of revisions are at a commit of their own, and what a revision was called says nothing of what was measured.
pub(crate) fn sides_of_comparisons_belong_to_their_runtimes_history_at_their_own_commits(kind: &Kind) {
    let mut store = kind.open();
    let whole = |digit: char| format!("35e5ec8776{}", digit.to_string().repeat(30));
    let case = variant("HashBench::benchHash", "php8.2").case.id();
    let mut put = |number: u32, label: &str, revision: Option<&str>, control: bool| {
        let origin = origin(number, &[]);
        let _ = store.begin_run(&origin, "");
        let mut side = variant("HashBench::benchHash", if label.is_empty() { "php8.2" } else { label });
        if let Some(revision) = revision {
            side.runtime.at_revision(revision.to_owned(), "php8.2");
        }
        if control {
            side.id.push_str("~control");
        }
        let ordinal = store.run(&origin.id).unwrap().variants.len() as u32;
        store.put_variant(&origin.id, ordinal, &side).unwrap();
        store.put_outcome(&origin.id, &side.id, &Outcome::Ok, Some(&summary(5.0))).unwrap();
    };
    // `HEAD~1` is another commit each time.
    put(1, "HEAD~1", Some(&whole('1')), false);
    put(1, "HEAD", Some(&whole('2')), false);
    put(1, "HEAD~1", Some(&whole('1')), true);
    put(2, "HEAD~1", Some(&whole('2')), false);
    put(2, "working tree", Some("3cb0ace7cd with changes"), false);
    // As older versions wrote it, of two commits that begin alike and of one.
    put(3, "", None, false);
    put(3, "main", Some("35e5ec8776"), false);
    put(3, "old", Some(&whole('2')[..12]), false);
    for number in 1..=3 {
        store.finish_run(&origin(number, &[]).id, RunState::Complete).unwrap();
    }
    let found: Vec<(bool, String, bool)> = store
        .series(&case, "php8.2", None)
        .unwrap()
        .into_iter()
        .map(|run| (run.side, run.git["commit"].clone(), run.git.get("dirty").is_some_and(|dirty| dirty == "true")))
        .collect();
    let own = origin(3, &[]).git;
    let expected = [
        (true, whole('1'), false),
        (true, whole('2'), false),
        (true, whole('2'), false),
        (true, "3cb0ace7cd".to_owned(), true),
        (false, own["commit"].clone(), own["dirty"] == "true"),
        (true, "35e5ec8776".to_owned(), false),
        (true, whole('2'), false),
    ];
    assert_eq!(found, expected, "without the control; abbreviated commits written out where they are clear");
    let cases = store.cases().unwrap();
    assert_eq!(cases.len(), 1, "{cases:?}");
    assert_eq!((cases[0].runtime.as_str(), cases[0].runs), ("php8.2", 3));
    assert_eq!(store.series(&case, "HEAD~1", None).unwrap(), []);
}

pub(crate) fn what_could_not_be_listed_is_kept_with_the_run(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.failed_in_all(), 0);
    let failures =
        [Failure::new(FailureKind::Exception, "BenchmarkX \u{0}\u{1b}[31m failed", "mend it").at("x_test.go", 7)];
    store.put_failures(&origin.id, &failures).unwrap();
    let row = store.run(&origin.id).unwrap().row;
    assert_eq!((row.failures.as_slice(), row.failed_in_all()), (&failures[..], 1));
    assert!(matches!(store.put_failures("nowhere", &failures).unwrap_err(), StoreError::UnknownRun { .. }));
}

pub(crate) fn a_run_is_measured_while_its_process_lives_and_has_not_ended_it(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    assert!(kind.reader().is_measured(&origin.id).unwrap());
    store.finish_run(&origin.id, RunState::Complete).unwrap();
    assert!(!kind.reader().is_measured(&origin.id).unwrap());
}

/// Where each package is run by itself, its path is no part of a benchmark's name.
pub(crate) fn runs_of_go_benchmarks_know_their_package(kind: &Kind) {
    let mut store = kind.open();
    let mut case = String::new();
    for (number, place) in [(1, "codec"), (2, "."), (3, "")] {
        let origin = origin(number, &[]);
        let _ = store.begin_run(&origin, "");
        let mut variant = variant("BenchmarkSort", "go");
        (variant.case.language, variant.case.place) = ("go".to_owned(), place.to_owned());
        case = variant.case.id();
        store.put_variant(&origin.id, 0, &variant).unwrap();
        store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary(5.0))).unwrap();
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let places: Vec<String> = store.series(&case, "go", None).unwrap().into_iter().map(|run| run.place).collect();
    assert_eq!(places, ["codec", ".", ""]);
}
