//! What is said of variants beside each other, the launches that it rests on, and the series that stored runs make.

mod common;

use common::{comparison, launch, origin, summary, variant};
use tare_samples::{Failure, FailureKind, Likeness, Outcome};
use tare_store::{Access, RunState, SeriesRun, SqliteStore, Store, StoreError, StoredComparison};

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(folder.path().join("tare.db"), Access::ReadWrite).expect("a store");
    (folder, store)
}

#[test]
fn comparisons_are_given_back_in_order_as_they_were() {
    let (_folder, mut store) = store();
    let run = origin(1, &[]).id;
    store.begin_run(&origin(1, &[]), "").unwrap();
    let (first, second) = (comparison("a", "b", 1.0 / 3.0), comparison("a", "c@jit \u{1f980}", 1.25));
    store.put_comparison(&run, 1, &second).unwrap();
    store.put_comparison(&run, 0, &first).unwrap();
    let reader = SqliteStore::open(store.path(), Access::ReadOnly).unwrap();
    assert_eq!(reader.run(&run).unwrap().comparisons, [first.clone(), second.clone()]);

    // A resumed run knows more, and says so in the same place.
    let mut later = comparison("a", "b", 1.5);
    later.comparison.ratio = None;
    store.put_comparison(&run, 0, &later).unwrap();
    assert_eq!(reader.run(&run).unwrap().comparisons, [later.clone(), second.clone()]);
    assert_eq!(reader.comparisons(&run).unwrap(), [later, second], "without the rest of the run");
    assert_eq!(reader.comparisons("nothing").unwrap(), []);
    let raw = rusqlite::Connection::open(store.path()).unwrap();
    let columns: Vec<(String, String, String, String, Option<f64>)> = raw
        .prepare("SELECT base, candidate, kind, verdict, ratio FROM comparisons ORDER BY ordinal")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let text = |words: [&str; 4]| words.map(str::to_owned);
    let [first, second] = columns.as_slice() else { panic!("{columns:?}") };
    assert_eq!([&first.0, &first.1, &first.2, &first.3].map(Clone::clone), text(["a", "b", "live", "slower"]));
    assert_eq!((first.4, &second.1, second.4), (None, &"c@jit \u{1f980}".to_owned(), Some(1.25)));
}

/// Versions that didn't look at machine code wrote no word of it.
#[test]
fn what_is_known_of_the_machine_code_is_kept_and_older_documents_are_read() {
    let (_folder, mut store) = store();
    let run = origin(1, &[]).id;
    store.begin_run(&origin(1, &[]), "").unwrap();
    let moved = StoredComparison { machine_code: Some(Likeness::Moved), ..comparison("a", "b", 1.25) };
    let older = comparison("a", "c", 1.25);
    assert!(serde_json::to_value(&older).unwrap().get("machine_code").is_none());
    store.put_comparison(&run, 0, &moved).unwrap();
    store.put_comparison(&run, 1, &older).unwrap();
    assert_eq!(store.run(&run).unwrap().comparisons, [moved, older]);
}

#[test]
fn a_comparison_without_finite_figures_is_left_to_be_computed_again() {
    let (_folder, mut store) = store();
    let run = origin(1, &[]).id;
    store.begin_run(&origin(1, &[]), "").unwrap();
    for (ordinal, bad) in [(0, f64::NAN), (1, f64::INFINITY)] {
        store.put_comparison(&run, ordinal, &comparison("a", "b", bad)).unwrap();
    }
    store.put_comparison(&run, 2, &comparison("a", "c", 1.0)).unwrap();
    assert_eq!(store.run(&run).unwrap().comparisons, [comparison("a", "c", 1.0)]);
}

#[test]
fn launches_of_partners_are_stored_together_or_not_at_all() {
    let (_folder, mut store) = store();
    let run = origin(1, &[]).id;
    let (base, candidate) = (variant("a", "x"), variant("b", "x"));
    store.begin_run(&origin(1, &[]), "").unwrap();
    store.put_variant(&run, 0, &base).unwrap();
    store.put_variant(&run, 1, &candidate).unwrap();
    let counts =
        |store: &SqliteStore| store.run(&run).unwrap().variants.iter().map(|v| v.launch_count).collect::<Vec<_>>();

    store.put_launches(&run, &[(base.id.as_str(), &launch(0)), (candidate.id.as_str(), &launch(0))]).unwrap();
    assert_eq!(counts(&store), [1, 1]);
    assert_eq!(store.launches(&run, &candidate.id).unwrap(), [launch(0)]);

    let unknown = store.put_launches(&run, &[(base.id.as_str(), &launch(1)), ("nobody", &launch(1))]).unwrap_err();
    assert!(matches!(&unknown, StoreError::UnknownVariant { variant, .. } if variant == "nobody"), "{unknown}");
    assert_eq!(counts(&store), [1, 1], "the base isn't a launch ahead");
    let twice =
        store.put_launches(&run, &[(base.id.as_str(), &launch(1)), (candidate.id.as_str(), &launch(0))]).unwrap_err();
    assert!(matches!(twice, StoreError::Duplicate { .. }), "{twice}");
    assert!(twice.to_string().starts_with("launch 0 of \"php/b#md5@x\" in run"), "{twice}");
    assert_eq!(counts(&store), [1, 1]);

    store.put_launches(&run, &[(base.id.as_str(), &launch(1)), (candidate.id.as_str(), &launch(1))]).unwrap();
    store.put_launches(&run, &[]).unwrap();
    assert_eq!(counts(&store), [2, 2]);
}

/// A run of one benchmark on two runtimes that ended so.
fn put_run(store: &mut SqliteStore, number: u32, outcome: &Outcome, state: RunState) {
    let origin = origin(number, &[]);
    store.begin_run(&origin, "").expect("a run");
    for (ordinal, runtime) in ["jit", "php8.2"].into_iter().enumerate() {
        let variant = variant("HashBench::benchHash", runtime);
        store.put_variant(&origin.id, ordinal as u32, &variant).expect("a variant");
        store.put_launch(&origin.id, &variant.id, &launch(number)).expect("a launch");
        store.put_outcome(&origin.id, &variant.id, outcome, Some(&summary(f64::from(number)))).expect("an outcome");
    }
    store.finish_run(&origin.id, state).expect("an end");
}

#[test]
fn a_series_is_of_complete_runs_and_of_the_newest_that_are_wanted() {
    let (_folder, mut store) = store();
    let failed = Outcome::Failed(Failure::new(FailureKind::Exception, "no", "yes"));
    // Not in the order of their start: imported runs are older than what is there.
    for (number, outcome, state) in [
        (5, &Outcome::Ok, RunState::Complete),
        (1, &Outcome::Ok, RunState::Complete),
        (2, &Outcome::Ok, RunState::Interrupted),
        (3, &failed, RunState::Complete),
        (4, &Outcome::Ok, RunState::Complete),
        (6, &Outcome::Ok, RunState::Running),
    ] {
        put_run(&mut store, number, outcome, state);
    }
    let wanted = variant("HashBench::benchHash", "php8.2");
    let case = wanted.case.id();
    let runs = |limit| {
        let series = store.series(&case, "php8.2", limit).unwrap();
        series.into_iter().map(|run| run.run).collect::<Vec<_>>()
    };
    assert_eq!(runs(None), [1, 4, 5].map(|number| origin(number, &[]).id));
    assert_eq!(runs(Some(2)), [4, 5].map(|number| origin(number, &[]).id));
    assert_eq!(runs(Some(0)), [""; 0]);
    let series = store.series(&case, "php8.2", Some(1)).unwrap();
    let newest = origin(5, &[]);
    let expected = SeriesRun {
        run: newest.id.clone(),
        started: newest.started,
        policy: newest.policy,
        machine: newest.machine.into(),
        git: newest.git,
        side: false,
        variant: wanted.id.clone(),
        place: String::new(),
        time: Some(summary(5.0).time),
        work: None,
    };
    assert_eq!(series, [expected]);
    assert_eq!(store.launches(&series[0].run, &series[0].variant).unwrap(), [launch(5)]);
    assert_eq!(store.series(&case, "php7.4", None).unwrap(), []);
    assert_eq!(store.series("php/SortBench::benchSort", "php8.2", None).unwrap(), []);
}

#[test]
fn a_run_with_several_numbers_of_calls_comes_once_for_each_and_counts_once() {
    let (_folder, mut store) = store();
    for number in 1..=3 {
        let origin = origin(number, &[]);
        store.begin_run(&origin, "").unwrap();
        for (ordinal, calls) in ["*no loop", "*10 calls"].into_iter().enumerate() {
            let mut variant = variant("HashBench::benchHash", "php8.2");
            variant.id.push_str(calls);
            store.put_variant(&origin.id, ordinal as u32, &variant).unwrap();
            store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, None).unwrap();
        }
        store.finish_run(&origin.id, RunState::Complete).unwrap();
    }
    let series = store.series(&variant("HashBench::benchHash", "").case.id(), "php8.2", Some(2)).unwrap();
    let shape: Vec<(&str, bool)> =
        series.iter().map(|run| (run.run.as_str(), run.variant.ends_with("*no loop"))).collect();
    let [two, three] = [2, 3].map(|number| origin(number, &[]).id);
    assert_eq!(shape, [(two.as_str(), true), (&two, false), (&three, true), (&three, false)]);
}
