//! What is asked of a run, or of the file, as a whole.

use super::SqliteStore;
use super::read::query;
use crate::Result;

const DURATIONS: &str = "
    SELECT v.case_id, sum(l.duration_ns) FROM launches l JOIN variants v ON v.number = l.variant WHERE v.run = ?1 GROUP BY v.case_id";

pub(super) fn durations(store: &SqliteStore, run: &str) -> Result<(String, Vec<(String, u64)>)> {
    let number = store.number(run)?;
    let request = query(store, "SELECT request FROM runs WHERE number = ?1", [number], |row| row.get(0))?;
    let took = query(store, DURATIONS, [number], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    Ok((request.into_iter().next().unwrap_or_default(), took))
}

/// What SQLite finds when it reads all pages, and rows that belong to nothing.
pub(super) fn faults(store: &SqliteStore) -> Result<Vec<String>> {
    let mut found: Vec<String> = query(store, "PRAGMA integrity_check(20)", [], |row| row.get(0))?;
    found.retain(|fault| fault != "ok");
    let loose = |row: &rusqlite::Row<'_>| Ok(format!("a row of {} belongs to nothing", row.get::<_, String>(0)?));
    found.extend(query(store, "PRAGMA foreign_key_check", [], loose)?);
    Ok(found)
}
