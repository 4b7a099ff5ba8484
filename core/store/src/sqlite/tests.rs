//! What needs the connection itself: faults that are provoked inside SQLite.

use rusqlite::params;

use super::*;

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(folder.path().join("tare.db"), Access::ReadWrite).unwrap();
    store.begin_run(&origin(), "").unwrap();
    (folder, store)
}

fn origin() -> Origin {
    Origin {
        id: "r1".into(),
        started: "2025-01-01T00:00:00Z".into(),
        tags: vec![],
        machine: Default::default(),
        git: Default::default(),
        findings: vec![],
        imported: None,
        policy: 1,
        seed: 7,
        tare: "0.1.0".into(),
    }
}

fn variant() -> Variant {
    serde_json::from_value(serde_json::json!({
        "id": "php/a", "label": "", "calls": "pilot",
        "case": {"index": 0, "language": "php", "benchmark": "a", "parameters": {"name": null, "values": []},
            "file": "a.php", "line": 1, "groups": [],
            "settings": {"iterations": null, "samples": null, "timeout_ms": null, "unit": null, "skip": null}},
        "runtime": {"name": "php", "language": "php", "version": "8", "correction": "serial", "facts": {},
            "command": {"name": "php", "driver": "php", "command": ["php"]}},
    }))
    .unwrap()
}

#[test]
fn a_full_database_is_a_full_disk_and_goes_on_when_there_is_room() {
    let (_folder, mut store) = store();
    store.put_variant("r1", 0, &variant()).unwrap();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages + 1).unwrap();
    let mut stored = 0;
    let error = loop {
        match store.put_launch("r1", "php/a", &Launch { ordinal: stored, ..Launch::default() }) {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(error.to_string().contains("the disk is full. Free some space"), "{error}");
    assert!(stored > 0);

    store.connection.pragma_update(None, "max_page_count", pages + 1_000).unwrap();
    assert_eq!(store.launches("r1", "php/a").unwrap().len() as u32, stored, "the failed launch left nothing");
    store.put_launch("r1", "php/a", &Launch { ordinal: stored, ..Launch::default() }).unwrap();
    assert_eq!(store.launches("r1", "php/a").unwrap().len() as u32, stored + 1);
}

#[test]
fn a_connection_that_may_not_write_says_read_only() {
    let (_folder, mut store) = store();
    store.connection.pragma_update(None, "query_only", true).unwrap();
    let error = store.put_variant("r1", 0, &variant()).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    assert!(store.run("r1").unwrap().variants.is_empty());
}

#[test]
fn the_log_and_its_flushing_are_as_promised() {
    let (_folder, store) = store();
    let text = |name| store.connection.pragma_query_value(None, name, |row| row.get::<_, String>(0)).unwrap();
    let number = |name| store.connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(text("journal_mode"), "wal");
    assert_eq!((number("synchronous"), number("foreign_keys"), number("busy_timeout")), (1, 1, 10_000));
    assert_eq!(number("application_id"), 0x5461_7265);
}

#[test]
fn damaged_samples_name_run_variant_and_launch() {
    let (_folder, mut store) = store();
    store.put_variant("r1", 0, &variant()).unwrap();
    for ordinal in 0..2 {
        store.put_launch("r1", "php/a", &Launch { ordinal, ..Launch::default() }).unwrap();
    }
    store
        .connection
        .execute("UPDATE launches SET turns = ?1 WHERE ordinal = 1", params![&[1u8, 2, 3, 4, 5, 2, 9, 9][..]])
        .unwrap();
    for error in [store.launches("r1", "php/a").unwrap_err(), store.measurement("r1", "php/a").unwrap_err()] {
        assert!(
            error.to_string().starts_with("the samples of launch 1 of \"php/a\" in run \"r1\" cannot be read: "),
            "{error}"
        );
    }
    assert_eq!(store.run("r1").unwrap().variants[0].launch_count, 2, "the rest is still to be seen");
}

#[test]
fn a_damaged_document_is_named_and_a_summary_of_another_shape_is_left_out() {
    let (_folder, mut store) = store();
    store.put_variant("r1", 0, &variant()).unwrap();
    store.put_outcome("r1", "php/a", &Outcome::Ok, Some(&Summary::default())).unwrap();
    assert_eq!(store.run("r1").unwrap().variants[0].summary, Some(Summary::default()));
    store.connection.execute("UPDATE variants SET summary = '{\"median\":1}'", []).unwrap();
    assert_eq!(store.run("r1").unwrap().variants[0].summary, None);
    store.connection.execute("UPDATE variants SET outcome = '{\"unheard\":'", []).unwrap();
    let error = store.run("r1").unwrap_err();
    assert!(error.to_string().starts_with("the outcome of \"php/a\" in the store \""), "{error}");
}

fn plan(store: &SqliteStore, sql: &str, values: impl rusqlite::Params) -> Vec<String> {
    let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    statement.query_map(values, |row| row.get(3)).unwrap().map(|line| line.unwrap()).collect()
}

#[test]
fn a_series_is_found_by_its_index() {
    let (_folder, store) = store();
    let plan = plan(&store, histories::SERIES, params!["php/a", "php", 20]);
    // Both the choice of runs and what is shown of them come of the index alone: no document of a variant is read.
    let found =
        |how: &str| plan.iter().filter(|line| line.contains(&format!("{how} variants_by_series (case_id=?"))).count();
    assert_eq!((found("USING COVERING INDEX"), found("USING INDEX")), (2, 0), "{plan:?}");
    assert!(!plan.iter().any(|line| line.starts_with("SCAN v") || line.starts_with("SCAN r")), "{plan:?}");
}

#[test]
fn a_history_reads_its_index_alone() {
    let (_folder, store) = store();
    let plan = plan(&store, histories::HISTORY, ["php/a", "php"]);
    assert!(plan.iter().any(|line| line.contains("USING COVERING INDEX variants_by_series (case_id=?")), "{plan:?}");
    assert!(!plan.iter().any(|line| line.starts_with("SCAN v")), "{plan:?}");
}

#[test]
fn cases_since_a_time_are_found_without_going_through_their_runs() {
    let (_folder, store) = store();
    let plan = plan(&store, histories::MEASURED_SINCE, ["2025-01-01"]);
    assert!(plan.iter().any(|line| line.contains("USING COVERING INDEX runs_by_start (started>?)")), "{plan:?}");
    // Each name is searched for, and so is each run that has one.
    let searches = plan.iter().filter(|line| line.contains("SEARCH v USING COVERING INDEX variants_by_series")).count();
    assert_eq!((plan.iter().filter(|line| line.starts_with("SCAN v")).count(), searches), (0, 5), "{plan:?}");
}
