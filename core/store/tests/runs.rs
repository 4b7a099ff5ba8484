//! What is stored is what is read: one suite for every kind of store, and the same answers of each.

#![allow(clippy::unwrap_used)]

mod common;

use common::{calibration, comparison, launch, origin, summary, variant};
use tare_samples::{
    Failure, FailureKind, Finding, FindingLevel, Launch, Measurement, Memory, Origin, Outcome, POLICY, Stretch,
    Subject, Turn,
};
use tare_statistics::Estimate;
use tare_store::{Access, Copied, Place, RunFilter, RunState, Store, StoreError, StoredLoad, copy_run};

/// An empty store of some kind.
struct Kind {
    place: Place,
    _kept: Kept,
}

#[allow(dead_code, reason = "what is held until the test ends")]
enum Kept {
    Folder(tempfile::TempDir),
    Server(std::sync::Arc<common::server::Server>),
}

impl Kind {
    fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { place: Place::folder(folder.path().join(".tare")), _kept: Kept::Folder(folder) }
    }

    /// `None` where PostgreSQL isn't installed.
    fn postgres() -> Option<Self> {
        let server = common::server::Server::shared()?;
        let place = Place::named(&server.database(), std::path::Path::new("/")).expect("an address");
        Some(Self { place, _kept: Kept::Server(server) })
    }

    fn open(&self) -> Box<dyn Store> {
        self.place.open(Access::ReadWrite).expect("a store")
    }

    fn reader(&self) -> Box<dyn Store> {
        self.place.open(Access::ReadOnly).expect("a store")
    }
}

/// Each test, of each kind of store.
macro_rules! of_each_kind {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { super::$name(&super::Kind::sqlite()); })*
        }
        mod postgres {
            $(#[test] fn $name() {
                if let Some(kind) = super::Kind::postgres() {
                    super::$name(&kind);
                }
            })*
        }
    };
}

fn ids(rows: &[tare_store::RunRow]) -> Vec<&str> {
    rows.iter().map(|row| row.origin.id.as_str()).collect()
}

fn a_run_is_read_as_it_was_written_by_another_connection_too(kind: &Kind) {
    let mut store = kind.open();
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

    let reader = kind.reader();
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

fn every_64_bit_figure_survives(kind: &Kind) {
    let mut store = kind.open();
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

fn a_summary_without_finite_figures_is_left_to_be_computed_again(kind: &Kind) {
    let mut store = kind.open();
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

fn runs_come_newest_first_by_tag_state_and_number(kind: &Kind) {
    let mut store = kind.open();
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

fn a_history_is_one_series_oldest_first(kind: &Kind) {
    let mut store = kind.open();
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
    let cases = store.cases().unwrap();
    assert_eq!(
        cases.iter().map(|case| (case.runtime.as_str(), case.runs)).collect::<Vec<_>>(),
        [("php8.2", 3), ("php8.4", 3)]
    );
    assert_eq!((&cases[0].case, &cases[0].newest), (&wanted.case.id(), &origin(3, &[]).started));
}

fn what_is_measured_is_never_written_over(kind: &Kind) {
    let mut store = kind.open();
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

fn what_is_not_there_is_named(kind: &Kind) {
    let mut store = kind.open();
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

fn a_deleted_run_takes_everything_of_its_own_with_it(kind: &Kind) {
    let mut store = kind.open();
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
    for table in ["runs", "run_tags", "variants", "launches", "comparisons"] {
        let count = format!("SELECT count(*) FROM {table}");
        let left: i64 = match &kind.place {
            Place::Folder(folder) => {
                let raw = rusqlite::Connection::open(folder.join("tare.db")).unwrap();
                raw.query_row(&count, [], |row| row.get(0)).unwrap()
            }
            Place::Server(address) => {
                common::server::connect(&address.to_string()).query_one(&count, &[]).unwrap().get(0)
            }
        };
        assert_eq!(left, 1, "{table}");
    }
}

fn an_unfinished_run_is_found_taken_up_and_held(kind: &Kind) {
    let mut first = kind.open();
    let mut second = kind.open();
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
    let mut third = kind.open();
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
    if let Place::Folder(folder) = &kind.place {
        let left: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["tare.db"], "no lock files, and the log went into the database");
    }
}

fn findings_are_kept_with_the_run_and_replaced_at_its_end(kind: &Kind) {
    let mut store = kind.open();
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

fn an_imported_run_says_where_it_comes_from_and_is_none_to_be_resumed(kind: &Kind) {
    let imported = tare_samples::Imported {
        tool: "hyperfine".into(),
        version: "1.20.0".into(),
        format: "hyperfine".into(),
        file: "a \"b\".json".into(),
        digest: "00ff".into(),
        time_told: false,
    };
    let origin = Origin { imported: Some(imported), policy: tare_samples::UNTARED, ..origin(1, &[]) };
    let mut store = kind.open();
    store.begin_run(&origin, "").unwrap();
    // As if the process had been killed while it stored it.
    drop(store);
    let store = kind.open();
    assert_eq!(store.run(&origin.id).unwrap().row.origin, origin);
    assert_eq!(store.runs(&RunFilter::default()).unwrap()[0].origin, origin);
    assert!(store.unfinished().unwrap().is_none());
}

fn several_launches_are_stored_together_or_not_at_all(kind: &Kind) {
    let mut store = kind.open();
    let (origin, first, second) = (origin(1, &[]), variant("a", "x"), variant("b", "x"));
    let run = origin.id.as_str();
    store.begin_run(&origin, "").unwrap();
    store.put_variant(run, 0, &first).unwrap();
    store.put_variant(run, 1, &second).unwrap();
    store.put_launches(run, &[(&first.id, &launch(0)), (&second.id, &launch(0))]).unwrap();
    let error = store.put_launches(run, &[(&first.id, &launch(1)), (&second.id, &launch(0))]).unwrap_err();
    assert!(matches!(&error, StoreError::Duplicate { what, .. } if what.starts_with("launch 0 of \"php/b")), "{error}");
    let error = store.put_launches(run, &[(&first.id, &launch(1)), ("nobody", &launch(1))]).unwrap_err();
    assert!(matches!(&error, StoreError::UnknownVariant { variant, .. } if variant == "nobody"), "{error}");
    let twice = store.put_launches(run, &[(&first.id, &launch(1)), (&first.id, &launch(1))]).unwrap_err();
    assert!(matches!(twice, StoreError::Duplicate { .. }), "{twice}");
    assert_eq!(store.launches(run, &first.id).unwrap(), [launch(0)]);
    assert_eq!(store.launches(run, &second.id).unwrap(), [launch(0)]);
    store.put_launches(run, &[]).unwrap();
    assert!(store.damaged(run).unwrap().is_empty());
}

fn a_series_is_of_complete_runs_and_of_the_newest_where_there_are_many(kind: &Kind) {
    let mut store = kind.open();
    // Longer than an index of PostgreSQL takes.
    let wanted = variant(&"N\u{0}\u{1}".repeat(5_000), "php8.2");
    for number in 1..=4 {
        let origin = origin(number, &[&"t".repeat(9_000)]);
        store.begin_run(&origin, "").unwrap();
        store.put_variant(&origin.id, 0, &wanted).unwrap();
        let outcome = if number == 2 { Outcome::Skipped("why".to_owned()) } else { Outcome::Ok };
        store.put_outcome(&origin.id, &wanted.id, &outcome, Some(&summary(f64::from(number)))).unwrap();
        store.finish_run(&origin.id, if number == 4 { RunState::Interrupted } else { RunState::Complete }).unwrap();
    }
    let series = |limit| -> Vec<String> {
        store.series(&wanted.case.id(), "php8.2", limit).unwrap().into_iter().map(|run| run.run).collect()
    };
    assert_eq!(series(None), [origin(1, &[]).id, origin(3, &[]).id]);
    assert_eq!(series(Some(1)), [origin(3, &[]).id]);
    let newest = &store.series(&wanted.case.id(), "php8.2", Some(1)).unwrap()[0];
    assert_eq!((&newest.machine, &newest.git), (&origin(3, &[]).machine, &origin(3, &[]).git));
    assert_eq!((newest.variant.as_str(), newest.time.unwrap().estimate), (wanted.id.as_str(), 3.0));
    assert_eq!(store.runs(&RunFilter { tag: Some("t".repeat(9_000)), ..RunFilter::default() }).unwrap().len(), 4);
    assert!(store.runs(&RunFilter { tag: Some("t".repeat(8_999)), ..RunFilter::default() }).unwrap().is_empty());
}

fn comparisons_and_loads_are_replaced(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    let run = origin.id.as_str();
    store.begin_run(&origin, "").unwrap();
    assert_eq!(store.load(run).unwrap(), None);
    for ratio in [1.0, 1.5, f64::MIN_POSITIVE] {
        store.put_comparison(run, 1, &comparison("b\u{0}", "c", ratio)).unwrap();
        store.put_comparison(run, 0, &comparison("a", "b", ratio)).unwrap();
        let (a, b) = (comparison("a", "b", ratio), comparison("b\u{0}", "c", ratio));
        assert_eq!(store.run(run).unwrap().comparisons, [a, b]);
    }
    for failed in [0, 2] {
        let load = StoredLoad { targets: 3, failed, document: "{\u{0}".to_owned(), kept: vec![0, 255, failed as u8] };
        store.put_load(run, &load).unwrap();
        assert_eq!(store.load(run).unwrap(), Some(load));
        assert_eq!(store.runs(&RunFilter::default()).unwrap()[0].load, Some((3, failed)));
    }
    assert!(matches!(store.load("nope").unwrap_err(), StoreError::UnknownRun { .. }));
}

fn a_run_that_ended_earlier_keeps_its_end(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    store.finish_run_at(&origin.id, RunState::Complete, Some("2025-01-01T00:09:00.000Z")).unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.finished.as_deref(), Some("2025-01-01T00:09:00.000Z"));
}

fn a_run_is_copied_to_every_other_kind_and_back(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &["main", "\u{0}"]);
    let run = origin.id.as_str();
    let (first, second) = (variant("a", "x"), variant("Größe::日本\n\u{0}\u{1b}[2J", "jit"));
    store.begin_run(&origin, "asked \u{0}").unwrap();
    store.put_variant(run, 0, &first).unwrap();
    store.put_variant(run, 7, &second).unwrap();
    store.put_calibration(run, &first.id, &calibration()).unwrap();
    for ordinal in 0..150 {
        store.put_launches(run, &[(&first.id, &launch(ordinal))]).unwrap();
    }
    store.put_outcome(run, &first.id, &Outcome::Ok, Some(&summary(1.0 / 3.0))).unwrap();
    store.put_comparison(run, 0, &comparison(&first.id, &second.id, 1.25)).unwrap();
    store.put_load(run, &StoredLoad { targets: 1, failed: 0, document: "{}".to_owned(), kept: vec![1, 0] }).unwrap();
    store.finish_run_at(run, RunState::Complete, Some("2025-01-01T00:09:00.000Z")).unwrap();

    for other in [Some(Kind::sqlite()), Kind::postgres()].into_iter().flatten() {
        let mut there = other.open();
        // A copy that was cut off is gone on with.
        there.begin_run(&origin, "asked \u{0}").unwrap();
        there.put_variant(run, 0, &first).unwrap();
        there.put_launch(run, &first.id, &launch(3)).unwrap();
        drop(there);
        let mut there = other.open();
        let copied = copy_run(store.as_ref(), there.as_mut(), run).unwrap();
        assert_eq!((copied.launches, copied.there), (149, 1));
        assert_eq!(copy_run(store.as_ref(), there.as_mut(), run).unwrap(), Copied { launches: 0, there: 150 });
        assert_eq!(there.run(run).unwrap(), store.run(run).unwrap());
        assert_eq!(there.measurement(run, &first.id).unwrap(), store.measurement(run, &first.id).unwrap());
        assert_eq!(there.load(run).unwrap(), store.load(run).unwrap());
        // And back into an empty one of the first kind.
        let back = if matches!(kind.place, Place::Folder(_)) { Kind::sqlite() } else { Kind::postgres().unwrap() };
        let mut home = back.open();
        copy_run(there.as_ref(), home.as_mut(), run).unwrap();
        assert_eq!(home.run(run).unwrap(), store.run(run).unwrap());
        assert_eq!(home.launches(run, &first.id).unwrap(), store.launches(run, &first.id).unwrap());
    }

    // Another run, or another launch, of the same name is never written over.
    let other = Kind::sqlite();
    let mut there = other.open();
    let changed = Origin { seed: 1, ..origin.clone() };
    there.begin_run(&changed, "asked \u{0}").unwrap();
    let error = copy_run(store.as_ref(), there.as_mut(), run).unwrap_err();
    assert!(matches!(error, StoreError::Differs { .. }), "{error}");
    there.delete_run(run).unwrap();
    there.begin_run(&origin, "asked \u{0}").unwrap();
    there.put_variant(run, 0, &first).unwrap();
    there.put_launch(run, &first.id, &Launch { duration_ns: 1, ..launch(3) }).unwrap();
    let error = copy_run(store.as_ref(), there.as_mut(), run).unwrap_err();
    assert!(matches!(&error, StoreError::Differs { what, .. } if what.starts_with("launch 3 of")), "{error}");
}

of_each_kind! {
    sides_of_comparisons_belong_to_their_runtimes_history_at_their_own_commits
    what_could_not_be_listed_is_kept_with_the_run
    a_run_is_measured_while_its_process_lives_and_has_not_ended_it
    a_run_is_copied_to_every_other_kind_and_back
    a_run_is_read_as_it_was_written_by_another_connection_too
    every_64_bit_figure_survives
    a_summary_without_finite_figures_is_left_to_be_computed_again
    runs_come_newest_first_by_tag_state_and_number
    a_history_is_one_series_oldest_first
    what_is_measured_is_never_written_over
    what_is_not_there_is_named
    a_deleted_run_takes_everything_of_its_own_with_it
    an_unfinished_run_is_found_taken_up_and_held
    findings_are_kept_with_the_run_and_replaced_at_its_end
    an_imported_run_says_where_it_comes_from_and_is_none_to_be_resumed
    several_launches_are_stored_together_or_not_at_all
    a_series_is_of_complete_runs_and_of_the_newest_where_there_are_many
    comparisons_and_loads_are_replaced
    a_run_that_ended_earlier_keeps_its_end
}

/// The files beside a comparison of revisions are at a commit of their own, and what a revision was called says nothing of what was measured.
fn sides_of_comparisons_belong_to_their_runtimes_history_at_their_own_commits(kind: &Kind) {
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

fn what_could_not_be_listed_is_kept_with_the_run(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.failed_in_all(), 0);
    let failures = [Failure::new(FailureKind::Exception, "BenchmarkX \u{0}\u{1b}[31m failed", "mend it").at("x_test.go", 7)];
    store.put_failures(&origin.id, &failures).unwrap();
    let row = store.run(&origin.id).unwrap().row;
    assert_eq!((row.failures.as_slice(), row.failed_in_all()), (&failures[..], 1));
    assert!(matches!(store.put_failures("nowhere", &failures).unwrap_err(), StoreError::UnknownRun { .. }));
}

fn a_run_is_measured_while_its_process_lives_and_has_not_ended_it(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    assert!(kind.reader().is_measured(&origin.id).unwrap());
    store.finish_run(&origin.id, RunState::Complete).unwrap();
    assert!(!kind.reader().is_measured(&origin.id).unwrap());
}
