//! Runs that were cut off are taken up, and runs are deleted.

use crate::common::{self, comparison, launch, origin, variant};
use crate::kinds::{Kind, ids};
use tare_store::{RunFilter, RunState, StoreError, StoreLocation};

pub(crate) fn an_unfinished_run_is_found_taken_up_and_held(kind: &Kind) {
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
    if let StoreLocation::Folder(folder) = &kind.place {
        let left: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["tare.db"], "no lock files, and the log went into the database");
    }
}

pub(crate) fn a_deleted_run_takes_everything_of_its_own_with_it(kind: &Kind) {
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
            StoreLocation::Folder(folder) => {
                let raw = rusqlite::Connection::open(folder.join("tare.db")).unwrap();
                raw.query_row(&count, [], |row| row.get(0)).unwrap()
            }
            StoreLocation::Server(address) => {
                common::server::connect(&address.to_string()).query_one(&count, &[]).unwrap().get(0)
            }
        };
        assert_eq!(left, 1, "{table}");
    }
}
