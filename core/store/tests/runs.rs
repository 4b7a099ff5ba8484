//! What is stored is what is read.

mod common;

use common::{calibration, comparison, launch, origin, summary, variant};
use tare_samples::{
    Failure, FailureKind, Finding, FindingLevel, Launch, Measurement, Memory, Origin, Outcome, POLICY, Stretch,
    Subject, Turn,
};
use tare_statistics::Estimate;
use tare_store::{Access, RunFilter, RunState, SqliteStore, Store, StoreError};

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(folder.path().join(".tare/tare.db"), Access::ReadWrite).expect("a store");
    (folder, store)
}

fn ids(rows: &[tare_store::RunRow]) -> Vec<&str> {
    rows.iter().map(|row| row.origin.id.as_str()).collect()
}

#[test]
fn a_run_is_read_as_it_was_written_by_another_connection_too() {
    let (_folder, mut store) = store();
    let origin = origin(1, &["main", "before \u{1f980}"]);
    let run = origin.id.as_str();
    let (ok, bad) = (variant("HashBench::benchHash", "php8.2"), variant("Größe::日本\n\u{0}\u{1b}[2J", "jit"));
    let failure = Failure::new(FailureKind::Exception, "no such\u{0} algorithm", "name another").at("HashBench.php", 9);

    store.begin_run(&origin, "{\"paths\":[\"benchmarks\"]}").unwrap();
    store.put_variant(run, 0, &ok).unwrap();
    store.put_variant(run, 1, &bad).unwrap();
    store.put_calibration(run, &ok.id, &calibration()).unwrap();
    for ordinal in 0..3 {
        store.put_launch(run, &ok.id, &launch(ordinal)).unwrap();
    }
    store.put_outcome(run, &ok.id, &Outcome::Ok, Some(&summary(12.345_678_901_234_567))).unwrap();
    store.put_outcome(run, &bad.id, &Outcome::Failed(failure.clone()), None).unwrap();
    store.finish_run(run, RunState::Complete).unwrap();

    let path = store.path().to_owned();
    let reader = SqliteStore::open(&path, Access::ReadOnly).unwrap();
    for store in [&store, &reader] {
        let stored = store.run(run).unwrap();
        assert_eq!(stored.request, "{\"paths\":[\"benchmarks\"]}");
        assert_eq!(stored.row.origin, origin);
        assert_eq!((stored.row.variants, stored.row.failed, stored.row.launches), (2, 1, 3));
        assert_eq!(stored.row.state, RunState::Complete);
        let finished = stored.row.finished.as_deref().unwrap();
        assert!(finished.len() == 24 && finished.ends_with('Z') && finished.contains('T'), "{finished}");

        let [first, second] = stored.variants.as_slice() else { panic!("{stored:?}") };
        assert_eq!((&first.variant, first.ordinal, first.launch_count), (&ok, 0, 3));
        assert_eq!(first.calibration, Some(calibration()));
        assert_eq!(first.outcome, Some(Outcome::Ok));
        assert_eq!(first.summary, Some(summary(12.345_678_901_234_567)));
        assert_eq!(first.memory, Memory { peak_rss_bytes: Some(20 << 20 | 2), runtime_peak_bytes: Some(1) });
        assert_eq!((&second.variant, second.ordinal, second.launch_count), (&bad, 1, 0));
        assert_eq!(second.outcome, Some(Outcome::Failed(failure.clone())));
        assert_eq!((&second.calibration, &second.summary, second.memory), (&None, &None, Memory::default()));

        assert_eq!(
            store.measurement(run, &ok.id).unwrap(),
            Measurement {
                variant: ok.clone(),
                calibration: Some(calibration()),
                launches: (0..3).map(launch).collect(),
                outcome: Outcome::Ok,
                printed: String::new(),
            }
        );
        assert_eq!(store.launches(run, &bad.id).unwrap(), []);
    }
}

#[test]
fn every_64_bit_figure_survives() {
    let (_folder, mut store) = store();
    let (origin, variant) = (origin(1, &[]), variant("a", "b"));
    let extreme = Launch {
        ordinal: u32::MAX,
        started_ns: u64::MAX,
        startup_ns: 1 << 63,
        duration_ns: u64::MAX - 1,
        turns: vec![Turn {
            round: u32::MAX,
            subject: Subject::Kernel("é".to_owned()),
            warm: u64::MAX,
            iterations: vec![u64::MAX, 0],
            elapsed: vec![0, u64::MAX],
            pauses: vec![],
            at_ns: u64::MAX,
            stretch: Some(Stretch { wall_ns: u64::MAX, cpu_ns: 0, yields: u64::MAX, only_calls: true }),
        }],
        memory: Memory { peak_rss_bytes: Some(u64::MAX), runtime_peak_bytes: Some(0) },
    };
    store.begin_run(&origin, "").unwrap();
    store.put_variant(&origin.id, u32::MAX, &variant).unwrap();
    store.put_launch(&origin.id, &variant.id, &extreme).unwrap();
    assert_eq!(store.launches(&origin.id, &variant.id).unwrap(), [extreme]);
    assert_eq!(store.run(&origin.id).unwrap().variants[0].ordinal, u32::MAX);
}

#[test]
fn a_summary_without_finite_figures_is_left_to_be_computed_again() {
    let (_folder, mut store) = store();
    let (origin, variant) = (origin(1, &[]), variant("a", "b"));
    store.begin_run(&origin, "").unwrap();
    store.put_variant(&origin.id, 0, &variant).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut summary = summary(10.0);
        summary.uncertainty.drift = bad;
        store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary)).unwrap();
        let stored = &store.run(&origin.id).unwrap().variants[0];
        assert_eq!((&stored.summary, &stored.outcome), (&None, &Some(Outcome::Ok)));
    }
    // A descriptive figure may be unknown: another tool doesn't tell each.
    let mut unknown = summary(10.0);
    unknown.statistics.mode = f64::NAN;
    store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&unknown)).unwrap();
    let read = store.run(&origin.id).unwrap().variants[0].summary.clone().unwrap();
    assert!(read.statistics.mode.is_nan() && read.statistics.mean == unknown.statistics.mean);
    // Its time was finite, and stays in the history.
    let history = store.history(&variant.case.id(), "b").unwrap();
    assert_eq!(history[0].time, Some(Estimate { estimate: 10.0, low: 9.9, high: 10.1 }));
}

#[test]
fn runs_come_newest_first_by_tag_state_and_number() {
    let (_folder, mut store) = store();
    // Not in the order of their start: imported runs are older than what is there.
    for (number, tags) in [(3, &["main"][..]), (1, &["main", "old"]), (4, &[]), (2, &["old"])] {
        store.begin_run(&origin(number, tags), "").unwrap();
    }
    let id = |number| origin(number, &[]).id;
    store.finish_run(&id(2), RunState::Complete).unwrap();
    store.finish_run(&id(3), RunState::Interrupted).unwrap();

    let all = store.runs(&RunFilter::default()).unwrap();
    assert_eq!(ids(&all), [id(4), id(3), id(2), id(1)]);
    let main = store.runs(&RunFilter { tag: Some("main".to_owned()), ..RunFilter::default() }).unwrap();
    assert_eq!(ids(&main), [id(3), id(1)]);
    assert_eq!(main[1].origin.tags, ["main", "old"]);
    let newest = store.runs(&RunFilter { limit: Some(2), ..RunFilter::default() }).unwrap();
    assert_eq!(ids(&newest), [id(4), id(3)]);
    let interrupted = RunFilter { state: Some(RunState::Interrupted), ..RunFilter::default() };
    assert_eq!(ids(&store.runs(&interrupted).unwrap()), [id(3)]);
    assert!(store.runs(&RunFilter { limit: Some(0), ..RunFilter::default() }).unwrap().is_empty());

    assert_eq!(store.resolve("latest~1").unwrap(), id(3));
    assert_eq!(store.resolve("old").unwrap(), id(2));
    assert_eq!(store.resolve(&id(1)[..14]).unwrap(), id(1));
    let error = store.resolve("20250101").unwrap_err();
    assert!(matches!(&error, StoreError::Ambiguous { candidates, .. } if candidates.len() == 4), "{error}");
}

#[test]
fn a_history_is_one_series_oldest_first() {
    let (_folder, mut store) = store();
    let (wanted, other) = (variant("HashBench::benchHash", "php8.2"), variant("HashBench::benchHash", "php8.4"));
    for number in [2, 1, 3] {
        let origin = origin(number, &[]);
        store.begin_run(&origin, "").unwrap();
        store.put_variant(&origin.id, 0, &other).unwrap();
        store.put_variant(&origin.id, 1, &wanted).unwrap();
        if number != 3 {
            store.put_outcome(&origin.id, &wanted.id, &Outcome::Ok, Some(&summary(f64::from(number)))).unwrap();
        }
    }
    let history = store.history(&wanted.case.id(), "php8.2").unwrap();
    assert_eq!(history.iter().map(|point| point.run.clone()).collect::<Vec<_>>(), [1, 2, 3].map(|n| origin(n, &[]).id));
    assert!(history.iter().all(|point| point.variant == wanted.id && point.policy == POLICY));
    assert_eq!(history[1].time.map(|time| time.estimate), Some(2.0));
    assert_eq!(history[1].status.as_deref(), Some("ok"));
    assert_eq!((history[2].time, &history[2].status), (None, &None));
    assert_eq!(store.history(&wanted.case.id(), "php7.4").unwrap(), []);
}

#[test]
fn what_is_measured_is_never_written_over() {
    let (_folder, mut store) = store();
    let (origin, first, second) = (origin(1, &[]), variant("a", "x"), variant("b", "x"));
    store.begin_run(&origin, "the first request").unwrap();
    store.put_variant(&origin.id, 0, &first).unwrap();
    store.put_launch(&origin.id, &first.id, &launch(0)).unwrap();

    let mut changed = launch(0);
    changed.duration_ns += 1;
    let error = store.put_launch(&origin.id, &first.id, &changed).unwrap_err();
    assert!(matches!(error, StoreError::Duplicate { .. }), "{error}");
    assert!(error.to_string().starts_with("launch 0 of \"php/a#md5@x\" in run"), "{error}");
    for (ordinal, variant) in [(0, &second), (1, &first)] {
        let error = store.put_variant(&origin.id, ordinal, variant).unwrap_err();
        assert!(matches!(error, StoreError::Duplicate { .. }), "{error}");
    }
    let error = store.begin_run(&origin, "the second request").unwrap_err();
    assert!(matches!(error, StoreError::Duplicate { .. }), "{error}");

    // A resumed run may describe its variant again: a runtime that now says more of itself.
    let mut described = first.clone();
    described.runtime.facts.insert("opcache".to_owned(), "on".to_owned());
    store.put_variant(&origin.id, 0, &described).unwrap();
    let stored = store.run(&origin.id).unwrap();
    assert_eq!(stored.request, "the first request");
    assert_eq!(stored.variants.len(), 1);
    assert_eq!(stored.variants[0].variant, described);
    assert_eq!(store.launches(&origin.id, &first.id).unwrap(), [launch(0)]);
}

#[test]
fn what_is_not_there_is_named() {
    let (_folder, mut store) = store();
    let (origin, variant) = (origin(1, &["main"]), variant("a", "x"));
    store.begin_run(&origin, "").unwrap();
    let run = origin.id.clone();
    let unknown_run = [
        store.put_variant("nope", 0, &variant),
        store.put_launch("nope", &variant.id, &launch(0)),
        store.put_outcome("nope", &variant.id, &Outcome::Ok, None),
        store.put_calibration("nope", &variant.id, &calibration()),
        store.put_launches("nope", &[(variant.id.as_str(), &launch(0))]),
        store.put_comparison("nope", 0, &comparison("a", "b", 1.0)),
        store.finish_run("nope", RunState::Complete),
        store.resume_run("nope"),
        store.delete_run("nope"),
        store.run("nope").map(drop),
        store.launches("nope", &variant.id).map(drop),
        store.measurement("nope", &variant.id).map(drop),
        store.resolve("nope").map(drop),
    ];
    for result in unknown_run {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("no run is called \"nope\". The store holds one run: \"202501"), "{error}");
        assert!(error.contains("tags: \"main\""), "{error}");
    }
    let unknown_variant = [
        store.put_launch(&run, &variant.id, &launch(0)),
        store.put_outcome(&run, &variant.id, &Outcome::Ok, None),
        store.put_calibration(&run, &variant.id, &calibration()),
        store.launches(&run, &variant.id).map(drop),
        store.measurement(&run, &variant.id).map(drop),
    ];
    for result in unknown_variant {
        assert!(matches!(result.unwrap_err(), StoreError::UnknownVariant { .. }));
    }
    assert_eq!(store.run(&run).unwrap().row.variants, 0);
}

#[test]
fn a_deleted_run_takes_everything_of_its_own_with_it() {
    let (_folder, mut store) = store();
    let variant = variant("a", "x");
    for number in [1, 2] {
        let origin = origin(number, &["main"]);
        store.begin_run(&origin, "").unwrap();
        store.put_variant(&origin.id, 0, &variant).unwrap();
        store.put_launch(&origin.id, &variant.id, &launch(number)).unwrap();
        store.put_comparison(&origin.id, 0, &comparison(&variant.id, &variant.id, 1.0)).unwrap();
    }
    store.delete_run(&origin(1, &[]).id).unwrap();
    assert_eq!(ids(&store.runs(&RunFilter::default()).unwrap()), [origin(2, &[]).id]);
    assert_eq!(store.launches(&origin(2, &[]).id, &variant.id).unwrap(), [launch(2)]);
    let raw = rusqlite::Connection::open(store.path()).unwrap();
    for table in ["runs", "run_tags", "variants", "launches", "comparisons"] {
        let left: i64 = raw.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1, "{table}");
    }
}

#[test]
fn an_unfinished_run_is_found_taken_up_and_held() {
    let (_folder, mut first) = store();
    let path = first.path().to_owned();
    let mut second = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    let (old, new) = (origin(1, &[]).id, origin(2, &[]).id);
    first.begin_run(&origin(1, &[]), "old").unwrap();
    assert_eq!(first.unfinished().unwrap(), None, "a run that is being measured is not unfinished");
    assert_eq!(second.unfinished().unwrap(), None);
    for result in [second.resume_run(&old), second.delete_run(&old)] {
        assert!(matches!(result, Err(StoreError::InUse { .. })), "{result:?}");
    }
    second.begin_run(&origin(2, &[]), "new").unwrap();
    first.resume_run(&old).expect("its own run");

    // What the system does when a process ends.
    drop(first);
    assert_eq!(second.unfinished().unwrap().unwrap().origin.id, old);
    let mut third = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    third.resume_run(&old).unwrap();
    assert_eq!(second.unfinished().unwrap(), None);

    third.finish_run(&old, RunState::Interrupted).unwrap();
    assert_eq!(second.unfinished().unwrap(), None, "it was ended on request");
    second.resume_run(&old).unwrap();
    let row = second.run(&old).unwrap().row;
    assert_eq!((row.state, row.finished), (RunState::Running, None));
    second.finish_run(&old, RunState::Complete).unwrap();
    assert!(matches!(third.resume_run(&old), Err(StoreError::Complete { .. })));

    drop(second);
    assert_eq!(third.unfinished().unwrap().unwrap().origin.id, new);
    third.resume_run(&new).unwrap();
    third.finish_run(&new, RunState::Complete).unwrap();
    drop(third);
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["tare.db"], "no lock files, and the log went into the database");
}

#[test]
fn findings_are_kept_with_the_run_and_replaced_at_its_end() {
    let (_folder, mut store) = store();
    let finding = |code: &str| Finding {
        runtime: String::new(),
        code: code.to_owned(),
        level: FindingLevel::Disturbs,
        found: "powersave \u{1b}[31m".to_owned(),
        effect: "slower".to_owned(),
        remedy: String::new(),
    };
    let origin = Origin { findings: vec![finding("governor")], ..origin(1, &[]) };
    store.begin_run(&origin, "").unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.origin, origin);
    let all = [finding("governor"), finding("steal")];
    store.put_findings(&origin.id, &all).unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.origin.findings, all);
    assert!(matches!(store.put_findings("nowhere", &all).unwrap_err(), StoreError::UnknownRun { .. }));
}

#[test]
fn an_imported_run_says_where_it_comes_from_and_is_none_to_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    let imported = tare_samples::Imported {
        tool: "hyperfine".into(),
        version: "1.20.0".into(),
        format: "hyperfine".into(),
        file: "a \"b\".json".into(),
        digest: "00ff".into(),
        time_told: false,
    };
    let origin = Origin { imported: Some(imported), policy: tare_samples::UNTARED, ..origin(1, &[]) };
    let mut store = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    store.begin_run(&origin, "").unwrap();
    // As if the process had been killed while it stored it.
    drop(store);
    let store = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.origin, origin);
    assert_eq!(store.runs(&RunFilter::default()).unwrap()[0].origin, origin);
    assert!(store.unfinished().unwrap().is_none());
}
