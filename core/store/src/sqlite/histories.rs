//! Cases over their runs.

use rusqlite::{Row, params};
use tare_samples::git_at;
use tare_statistics::Estimate;

use super::SqliteStore;
use super::read::{most, parse, query};
use crate::Result;
use crate::rows::{CaseRow, HistoryPoint, Machines, SeriesRun};

pub(super) const HISTORY: &str = "
    SELECT r.id, r.started, r.policy, v.id, v.status, v.time_estimate, v.time_low, v.time_high
    FROM variants v JOIN runs r ON r.number = v.run
    WHERE v.case_id = ?1 AND v.series = ?2
    ORDER BY r.started, r.id, v.ordinal";

/// The runs are chosen first, so that those of the others aren't read, and from the newest back, so that nothing is sorted and the limit ends it. No document
/// of a variant is read. The order of the joins (`CROSS`) and the index (no other, by `+`) are said: left to itself SQLite chose others, which took seconds.
pub(super) const SERIES: &str = "
    WITH chosen AS MATERIALIZED (
        SELECT r.started, r.id, r.number FROM runs r
        WHERE r.state = 'complete' AND (
            SELECT 1 FROM variants v WHERE v.case_id = ?1 AND v.series = ?2 AND v.run = r.number AND +v.status = 'ok' LIMIT 1) = 1
        ORDER BY r.started DESC, r.id DESC LIMIT ?3)
    SELECT r.id, r.started, r.policy, r.machine, v.id, r.git, v.time_estimate, v.time_low, v.time_high,
        v.revision, NULL AS place, w.work AS work
    FROM chosen c CROSS JOIN runs r ON r.number = c.number CROSS JOIN variants v ON v.run = c.number LEFT JOIN works w ON w.variant = v.number
    WHERE v.case_id = ?1 AND v.series = ?2 AND +v.status = 'ok'
    ORDER BY r.started, r.id, v.ordinal";

/// The package of a Go benchmark, instead of none: nothing but the variant's document has it.
fn with_places(sql: &str) -> String {
    let place = "CASE WHEN json_valid(v.variant) THEN json_extract(v.variant, '$.case.place') END AS place";
    sql.replace("NULL AS place", place)
}

/// Of a store that doesn't keep the work of variants by itself yet.
fn without_works(sql: &str) -> String {
    sql.replace("w.work AS work", "NULL AS work").replace(" LEFT JOIN works w ON w.variant = v.number", "")
}

/// The names are found by leaps: the index gives the next one after each without going through its runs. A case counts as soon as one of the wanted runs,
/// the newest first, has it.
pub(super) const MEASURED_SINCE: &str = "
    WITH RECURSIVE wanted AS MATERIALIZED (SELECT number FROM runs WHERE started >= ?1 ORDER BY started DESC),
    cases(case_id) AS (
        SELECT min(v.case_id) FROM variants v
        UNION ALL
        SELECT (SELECT min(v.case_id) FROM variants v WHERE v.case_id > c.case_id) FROM cases c WHERE c.case_id IS NOT NULL),
    each(case_id, runtime) AS (
        SELECT c.case_id, (SELECT min(v.series) FROM variants v WHERE v.case_id = c.case_id) FROM cases c WHERE c.case_id IS NOT NULL
        UNION ALL
        SELECT e.case_id, (SELECT min(v.series) FROM variants v WHERE v.case_id = e.case_id AND v.series > e.runtime)
        FROM each e WHERE e.runtime IS NOT NULL)
    SELECT e.case_id, e.runtime FROM each e
    WHERE e.runtime IS NOT NULL AND EXISTS (
        SELECT 1 FROM wanted w CROSS JOIN variants v WHERE v.case_id = e.case_id AND v.series = e.runtime AND v.run = w.number)
    ORDER BY e.case_id, e.runtime";

pub(super) fn history(store: &SqliteStore, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>> {
    query(store, HISTORY, [case, runtime], |row| {
        Ok(HistoryPoint {
            run: row.get(0)?,
            started: row.get(1)?,
            policy: row.get(2)?,
            variant: row.get(3)?,
            status: row.get(4)?,
            time: time(row, 5)?,
        })
    })
}

/// By the index of series alone; what run is the newest, its number says.
pub(super) fn cases(store: &SqliteStore) -> Result<Vec<CaseRow>> {
    let sql = "SELECT c.case_id, c.runtime, c.runs, r.started
        FROM (SELECT case_id, v.series AS runtime, count(DISTINCT run) AS runs, max(run) AS newest FROM variants v GROUP BY case_id, v.series) c
        JOIN runs r ON r.number = c.newest ORDER BY c.case_id, c.runtime";
    query(store, sql, [], |row| {
        Ok(CaseRow { case: row.get(0)?, runtime: row.get(1)?, runs: row.get::<_, i64>(2)? as u64, newest: row.get(3)? })
    })
}

pub(super) fn measured_since(store: &SqliteStore, since: &str) -> Result<Vec<(String, String)>> {
    query(store, MEASURED_SINCE, [since], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// From three neighbouring columns: estimate, low, high.
fn time(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Estimate>> {
    let figures: [Option<f64>; 3] = [row.get(first)?, row.get(first + 1)?, row.get(first + 2)?];
    Ok(match figures {
        [Some(estimate), Some(low), Some(high)] => Some(Estimate { estimate, low, high }),
        _ => None,
    })
}

pub(super) fn series(store: &SqliteStore, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>> {
    let mut sql = if case.starts_with("go/") { with_places(SERIES) } else { SERIES.to_owned() };
    if !store.has_works {
        sql = without_works(&sql);
    }
    let found = query(store, &sql, params![case, runtime, most(limit)], |row| {
        let texts: [String; 5] = [row.get(0)?, row.get(1)?, row.get(3)?, row.get(4)?, row.get(5)?];
        let place: Option<String> = row.get(10)?;
        let work: Option<String> = row.get(11)?;
        Ok((texts, row.get(2)?, time(row, 6)?, row.get(9)?, (place.unwrap_or_default(), work)))
    })?;
    let mut machines = Machines::default();
    let runs: Result<Vec<SeriesRun>> = found
        .into_iter()
        .map(|([run, started, machine, variant, git], policy, time, revision, (place, work))| {
            let revision: Option<String> = revision;
            let machine = machines.of(&machine, || parse(store, "machine", &run, &machine))?;
            let git = git_at(&parse(store, "git", &run, &git)?, revision.as_deref());
            let work = work.and_then(|json| serde_json::from_str(&json).ok());
            Ok(SeriesRun { run, started, policy, machine, git, side: revision.is_some(), variant, place, time, work })
        })
        .collect();
    Ok(SeriesRun::shown(runs?, case))
}
