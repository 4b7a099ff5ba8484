//! Runs are found by tag, state and name, and cases with their history.

use crate::common::{origin, summary, variant};
use crate::kinds::{Kind, ids};
use tare_samples::{Outcome, POLICY};
use tare_store::{RunFilter, RunState, StoreError};

pub(crate) fn runs_come_newest_first_by_tag_state_and_number(kind: &Kind) {
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

pub(crate) fn a_history_is_one_series_oldest_first(kind: &Kind) {
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

pub(crate) fn cases_are_found_by_when_they_were_measured(kind: &Kind) {
    let mut store = kind.open();
    let case = |name: &str| variant(name, "php8.2").case.id();
    // The newest run is stored first, as where an older one is copied or imported later.
    for (number, name) in [(3, "b"), (3, "a\u{0}"), (2, "a\u{0}"), (1, "c"), (1, "b"), (1, "\u{1f980}")] {
        let origin = origin(number, &[]);
        if store.run(&origin.id).is_err() {
            store.begin_run(&origin, "").unwrap();
        }
        let ordinal = store.run(&origin.id).unwrap().variants.len() as u32;
        store.put_variant(&origin.id, ordinal, &variant(name, "php8.2")).unwrap();
        store.put_variant(&origin.id, ordinal + 1, &variant(name, "php8.4")).unwrap();
    }
    let since = |time: &str| store.measured_since(time).unwrap();
    let both = |name: &str| ["php8.2", "php8.4"].map(|runtime| (case(name), runtime.to_owned()));
    assert_eq!(since(&origin(3, &[]).started), [both("a\u{0}"), both("b")].concat());
    assert_eq!(since(&origin(2, &[]).started), [both("a\u{0}"), both("b")].concat());
    assert_eq!(since("2025"), [both("a\u{0}"), both("b"), both("c"), both("\u{1f980}")].concat());
    assert_eq!(since("2026"), []);
}

pub(crate) fn a_series_is_of_complete_runs_and_of_the_newest_where_there_are_many(kind: &Kind) {
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
    assert_eq!((&*newest.machine, &newest.git), (&origin(3, &[]).machine, &origin(3, &[]).git));
    assert_eq!((newest.variant.as_str(), newest.time.unwrap().estimate), (wanted.id.as_str(), 3.0));
    assert_eq!(store.runs(&RunFilter { tag: Some("t".repeat(9_000)), ..RunFilter::default() }).unwrap().len(), 4);
    assert!(store.runs(&RunFilter { tag: Some("t".repeat(8_999)), ..RunFilter::default() }).unwrap().is_empty());
}
