//! What is stored is what is read.

use crate::common::{calibration, comparison, launch, origin, summary, variant};
use crate::kinds::Kind;
use tare_samples::{
    Failure, FailureKind, Finding, FindingLevel, Launch, Measurement, Memory, Origin, Outcome, Stretch, Subject, Turn,
};
use tare_statistics::Estimate;
use tare_store::{RunFilter, RunState, StoreError, StoredLoad};

pub(crate) fn a_run_is_read_as_it_was_written_by_another_connection_too(kind: &Kind) {
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

pub(crate) fn every_64_bit_figure_survives(kind: &Kind) {
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

pub(crate) fn a_summary_without_finite_figures_is_left_to_be_computed_again(kind: &Kind) {
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

pub(crate) fn findings_are_kept_with_the_run_and_replaced_at_its_end(kind: &Kind) {
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

pub(crate) fn an_imported_run_says_where_it_comes_from_and_is_none_to_be_resumed(kind: &Kind) {
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

pub(crate) fn comparisons_and_loads_are_replaced(kind: &Kind) {
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

pub(crate) fn a_run_that_ended_earlier_keeps_its_end(kind: &Kind) {
    let mut store = kind.open();
    let origin = origin(1, &[]);
    store.begin_run(&origin, "").unwrap();
    store.finish_run_at(&origin.id, RunState::Complete, Some("2025-01-01T00:09:00.000Z")).unwrap();
    assert_eq!(store.run(&origin.id).unwrap().row.finished.as_deref(), Some("2025-01-01T00:09:00.000Z"));
}
