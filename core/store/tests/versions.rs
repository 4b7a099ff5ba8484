//! Stores of every version before are read, and say what they said. Rows are those that Tare of that time wrote: a dump of version 1, and from
//! each later version what it was the first to keep.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;

use common::{comparison, launch, origin, summary, variant};
use tare_samples::{Finding, FindingLevel, Imported, Origin};
use tare_store::{Access, RunFilter, RunState, SqliteStore, Store, StoreError, StoredComparison, StoredRun};

const MIGRATIONS: [&str; 6] = [
    include_str!("../migrations/0002-comparisons.sql"),
    include_str!("../migrations/0003-findings.sql"),
    include_str!("../migrations/0004-checksums.sql"),
    include_str!("../migrations/0005-imported.sql"),
    include_str!("../migrations/0006-loads.sql"),
    include_str!("../migrations/0007-series-and-failures.sql"),
];

/// A comparison as version 2 wrote it: without typical calls, what the verdict is about, and machine code.
const COMPARISON: &str = r#"{"base":"a","candidate":"b","kind":"live","title":"HashBench","base_label":"old","candidate_label":"new",
    "comparison":{"ratio":{"estimate":1.25,"low":1.24,"high":1.26},"confidence":0.99,"verdict":"slower","margin":0.005,
    "minimum_detectable_effect":0.02,"pairs":24,"flag":{"first":"slower","pairs":12,"p_value":0.001},"confirmed":true,
    "warnings":[{"code":"few-pairs","message":"there are few","remedy":"measure longer"}]}}"#;

/// A finding as version 3 wrote it, about the machine.
const FINDING: &str = r#"[{"runtime":"","code":"steal","level":"disturbs","found":"12 % was taken","effect":"times vary","remedy":"wait"}]"#;

/// Where a run comes from, as version 5 wrote it.
const IMPORTED: &str =
    r#"{"tool":"hyperfine","version":"1.18.0","format":"hyperfine","file":"a.json","digest":"00ff","time_told":false}"#;

/// A store of that version at the path.
fn write(path: &Path, version: usize) {
    let old = rusqlite::Connection::open(path).unwrap();
    old.execute_batch(include_str!("fixtures/version-1.sql")).unwrap();
    for migration in &MIGRATIONS[..version - 1] {
        old.execute_batch(migration).unwrap();
    }
    if version >= 2 {
        old.execute(
            "INSERT INTO comparisons (run, ordinal, base, candidate, kind, verdict, ratio, low, high, document)
             VALUES (1, 0, 'a', 'b', 'live', 'slower', 1.25, 1.24, 1.26, ?1)",
            [COMPARISON],
        )
        .unwrap();
    }
    if version >= 7 {
        old.execute("UPDATE variants SET series = runtime", []).unwrap();
    }
    if version >= 3 {
        old.execute("UPDATE runs SET findings = ?1", [FINDING]).unwrap();
    }
    if version >= 5 {
        old.execute("UPDATE runs SET imported = ?1", [IMPORTED]).unwrap();
    }
    old.pragma_update(None, "user_version", version as i64).unwrap();
}

fn origin_of(version: usize) -> Origin {
    let mut origin = Origin { policy: 1, ..origin(1, &["main", "before"]) };
    if version >= 3 {
        origin.findings = vec![Finding {
            runtime: String::new(),
            code: "steal".to_owned(),
            level: FindingLevel::Disturbs,
            found: "12 % was taken".to_owned(),
            effect: "times vary".to_owned(),
            remedy: "wait".to_owned(),
        }];
    }
    if version >= 5 {
        origin.imported = Some(serde_json::from_str::<Imported>(IMPORTED).unwrap());
    }
    origin
}

fn check(store: &SqliteStore, version: usize) -> StoredRun {
    let origin = origin_of(version);
    let stored = store.run(&origin.id).unwrap();
    assert_eq!((&stored.row.origin, stored.row.state), (&origin, RunState::Complete), "{version}");
    let kept = variant("HashBench::benchHash", "php8.2");
    assert_eq!((&stored.variants[0].variant, &stored.variants[0].summary), (&kept, &Some(summary(12.5))), "{version}");
    assert_eq!(store.launches(&origin.id, &kept.id).unwrap(), [launch(0), launch(1)], "{version}");
    assert!(store.damaged(&origin.id).unwrap().is_empty(), "{version}");
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1, "{version}");
    assert_eq!(store.load(&origin.id).unwrap(), None, "{version}");
    let series = store.series(&kept.case.id(), "php8.2", None).unwrap();
    assert_eq!((series.len(), store.history(&kept.case.id(), "php8.2").unwrap().len()), (1, 1), "{version}");
    assert_eq!(store.cases().unwrap().len(), 1, "{version}");

    let said: Vec<&StoredComparison> = stored.comparisons.iter().collect();
    if version < 2 {
        assert!(said.is_empty());
    } else {
        let [said] = said.as_slice() else { panic!("{version}: {said:?}") };
        let today = comparison("a", "b", 1.25);
        assert_eq!((said.kind.as_str(), said.machine_code), ("live", None));
        assert_eq!(said.comparison.verdict, today.comparison.verdict, "{version}");
        assert_eq!((said.comparison.typical, said.comparison.within), (None, None));
        assert_eq!(
            said.comparison.shown().map(|ratio| ratio.low),
            Some(1.24),
            "the verdict rests on the ratio that there was"
        );
        assert_eq!(said.comparison.warnings, today.comparison.warnings);
    }
    stored
}

#[test]
fn a_store_of_each_version_says_what_it_said_before_and_after_it_is_brought_up_to_date() {
    for version in 1..=MIGRATIONS.len() + 1 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tare.db");
        write(&path, version);
        let before = match SqliteStore::open(&path, Access::ReadOnly) {
            Ok(store) => Some(check(&store, version)),
            Err(error) => {
                assert!(matches!(error, StoreError::Older { .. }) && version < 3, "{version}: {error}");
                None
            }
        };
        let store = SqliteStore::open(&path, Access::ReadWrite).unwrap();
        let after = check(&store, version);
        assert!(before.is_none_or(|before| before == after), "{version}");
        drop(store);
        check(&SqliteStore::open(&path, Access::ReadOnly).unwrap(), version);
    }
}
