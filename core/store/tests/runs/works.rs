//! What calls execute, over the runs of a series.

use tare_samples::{
    Calibration, CountEnvironment, CountedFunction, CountedLaunch, CountedWork, ExecutedFunctions, Outcome,
};
use tare_store::RunState;

use crate::common::{calibration, origin, summary, variant};
use crate::kinds::Kind;

/// A count that needs 64 bits, with functions.
pub(crate) fn counted(each: u64) -> CountedWork {
    let launch = CountedLaunch { calls: [1, 2, 3], subject: [each, 2 * each, u64::MAX], ..CountedLaunch::default() };
    let functions = vec![CountedFunction { name: "f\u{0}\"work\":{".to_owned(), ..CountedFunction::default() }];
    CountedWork {
        launches: vec![launch, CountedLaunch { several_threads: true, ..launch }],
        executed: Some(ExecutedFunctions { unit: Default::default(), functions: functions.clone() }),
        functions,
        environment: Some(CountEnvironment {
            tool: "valgrind-3.24.0".to_owned(),
            runtime: "8\u{0}\u{1}\u{1f980}".to_owned(),
            libraries: "00ff".to_owned(),
        }),
    }
}

/// Without functions, of which a history says nothing.
pub(crate) fn a_series_has_what_was_counted(kind: &Kind) {
    let mut store = kind.open();
    let variant = variant("HashBench::benchHash", "php8.2");
    for (number, work) in [(1, None), (2, Some(counted(7))), (3, Some(counted(1)))] {
        let run = origin(number, &[]).id;
        store.begin_run(&origin(number, &[]), "").unwrap();
        store.put_variant(&run, 0, &variant).unwrap();
        store.put_calibration(&run, &variant.id, &calibration()).unwrap();
        let calibration = Calibration { work: work.clone(), ..calibration() };
        store.put_calibration(&run, &variant.id, &calibration).unwrap();
        if number == 3 {
            // Counted once more, as of a run that was resumed.
            store.put_calibration(&run, &variant.id, &Calibration { work: Some(counted(9)), ..calibration }).unwrap();
        }
        store.put_outcome(&run, &variant.id, &Outcome::Ok, Some(&summary(5.0))).unwrap();
        store.finish_run(&run, RunState::Complete).unwrap();
    }
    let expected = |each: u64| CountedWork { functions: Vec::new(), executed: None, ..counted(each) };
    let works = |store: &dyn tare_store::Store| -> Vec<Option<CountedWork>> {
        store.series(&variant.case.id(), "php8.2", None).unwrap().into_iter().map(|run| run.work).collect()
    };
    assert_eq!(works(&*store), [None, Some(expected(7)), Some(expected(9))]);
    let stored = store.run(&origin(2, &[]).id).unwrap();
    assert_eq!(stored.variants[0].calibration.as_ref().unwrap().work, Some(counted(7)));
    store.delete_run(&origin(2, &[]).id).unwrap();
    assert_eq!(works(&*kind.reader()), [None, Some(expected(9))]);
    let unknown =
        store.put_calibration(&origin(1, &[]).id, "none", &Calibration { work: Some(counted(1)), ..calibration() });
    assert!(matches!(unknown.unwrap_err(), tare_store::StoreError::UnknownVariant { .. }));
}
