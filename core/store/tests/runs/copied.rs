//! Runs go from one store to another.

use crate::common::{calibration, comparison, launch, origin, summary, variant};
use crate::kinds::Kind;
use tare_samples::{Launch, Origin, Outcome};
use tare_store::{Copied, RunState, StoreError, StoreLocation, StoredLoad, copy_run};

pub(crate) fn a_run_is_copied_to_every_other_kind_and_back(kind: &Kind) {
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
        // A copy that was cut off is resumed.
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
        let back =
            if matches!(kind.place, StoreLocation::Folder(_)) { Kind::sqlite() } else { Kind::postgres().unwrap() };
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
