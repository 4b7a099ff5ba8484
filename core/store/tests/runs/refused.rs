//! What a store refuses: to write over what was measured, and what belongs to nothing.

use crate::common::{calibration, comparison, launch, origin, variant};
use crate::kinds::Kind;
use tare_samples::Outcome;
use tare_store::{RunState, StoreError};

pub(crate) fn what_is_measured_is_never_written_over(kind: &Kind) {
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

pub(crate) fn what_is_not_there_is_named(kind: &Kind) {
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

pub(crate) fn several_launches_are_stored_together_or_not_at_all(kind: &Kind) {
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
