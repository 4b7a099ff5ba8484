//! Everything that looks into a store, but for histories of cases.

use rusqlite::{Params, Row, params};
use serde::de::DeserializeOwned;
use tare_samples::{Launch, Measurement, Memory, Origin, Outcome};

use super::SqliteStore;
use crate::claim::Claim;
use crate::launch_row::LaunchRow;
use crate::rows::{RunFilter, RunName, RunRow, RunState, StoredComparison, StoredLoad, StoredRun, StoredVariant};
use crate::{Result, StoreError};

const RUN: &str = "
    SELECT r.number, r.id, r.started, r.finished, r.state, r.seed, r.policy, r.tare, r.machine, r.git,
        (SELECT count(*) FROM variants v WHERE v.run = r.number),
        (SELECT count(*) FROM variants v WHERE v.run = r.number AND v.status = 'failed'),
        (SELECT count(*) FROM variants v JOIN launches l ON l.variant = v.number WHERE v.run = r.number),
        r.findings, (SELECT count(DISTINCT v.case_id) FROM variants v WHERE v.run = r.number),
        (SELECT count(*) FROM comparisons c WHERE c.run = r.number), ";

/// How many targets a load has, and how many of them failed.
const LOAD: &str =
    "(SELECT l.targets FROM loads l WHERE l.run = r.number), (SELECT l.failed FROM loads l WHERE l.run = r.number)";

pub(super) fn names(store: &SqliteStore) -> Result<Vec<RunName>> {
    let rows = query(
        store,
        "SELECT r.id, t.tag FROM runs r LEFT JOIN run_tags t ON t.run = r.number
         ORDER BY r.started DESC, r.id DESC, t.position",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut names: Vec<RunName> = Vec::new();
    for (id, tag) in rows {
        let id: String = id;
        let tag: Option<String> = tag;
        match names.last_mut() {
            Some(name) if name.id == id => name.tags.extend(tag),
            _ => names.push(RunName { id, tags: tag.into_iter().collect() }),
        }
    }
    Ok(names)
}

pub(super) fn runs(store: &SqliteStore, filter: &RunFilter) -> Result<Vec<RunRow>> {
    rows(
        store,
        "WHERE (?1 IS NULL OR EXISTS (SELECT 1 FROM run_tags t WHERE t.tag = ?1 AND t.run = r.number))
           AND (?2 IS NULL OR r.state = ?2)
         ORDER BY r.started DESC, r.id DESC LIMIT ?3",
        params![filter.tag, filter.state.map(RunState::name), most(filter.limit)],
    )
}

pub(super) fn load(store: &SqliteStore, run: &str) -> Result<Option<StoredLoad>> {
    store.number(run)?;
    let found = query(
        store,
        "SELECT l.targets, l.failed, l.document, l.kept FROM loads l JOIN runs r ON r.number = l.run WHERE r.id = ?1",
        [run],
        |row| {
            let counts = (row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64);
            Ok(StoredLoad { targets: counts.0, failed: counts.1, document: row.get(2)?, kept: row.get(3)? })
        },
    );
    Ok(found?.pop())
}

pub(super) fn unfinished(store: &SqliteStore) -> Result<Option<RunRow>> {
    let running = query(
        store,
        "SELECT number, id FROM runs WHERE state = 'running' AND imported IS NULL
           AND NOT EXISTS (SELECT 1 FROM loads WHERE run = number) ORDER BY started DESC, id DESC",
        [],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    match running.into_iter().find(|(number, _)| !Claim::is_held(&store.path, *number)) {
        Some((_, id)) => Ok(rows(store, "WHERE r.id = ?1", [id])?.pop()),
        None => Ok(None),
    }
}

pub(super) fn is_measured(store: &SqliteStore, run: &str) -> Result<bool> {
    Ok(Claim::is_held(&store.path, store.number(run)?))
}

pub(super) fn run(store: &SqliteStore, run: &str) -> Result<StoredRun> {
    // One view of the store for all queries, whatever others write in the meantime.
    let view = store.connection.unchecked_transaction().map_err(|error| store.fault(error))?;
    let row = rows(store, "WHERE r.id = ?1", [run])?.pop().ok_or_else(|| store.unknown_run(run))?;
    let request = query(store, "SELECT request FROM runs WHERE id = ?1", [run], |row| row.get(0))?;
    let found = query(
        store,
        "SELECT v.ordinal, v.id, v.variant, v.calibration, v.outcome, v.summary,
                count(l.number), max(l.peak_rss_bytes), max(l.runtime_peak_bytes)
         FROM runs r JOIN variants v ON v.run = r.number LEFT JOIN launches l ON l.variant = v.number
         WHERE r.id = ?1 GROUP BY v.number ORDER BY v.ordinal",
        [run],
        |row| {
            let documents = VariantDocuments::read(row, 1)?;
            Ok((row.get(0)?, documents, row.get::<_, Option<String>>(5)?, row.get::<_, i64>(6)?, memory(row, 7)?))
        },
    )?;
    let mut variants = Vec::with_capacity(found.len());
    for (ordinal, documents, summary, launch_count, memory) in found {
        variants.push(StoredVariant {
            ordinal,
            variant: documents.variant(store)?,
            calibration: documents.calibration(store)?,
            outcome: documents.outcome(store)?,
            summary: summary.and_then(|json| serde_json::from_str(&json).ok()),
            launch_count: launch_count as u64,
            memory,
        });
    }
    let comparisons = comparisons(store, run)?;
    drop(view);
    Ok(StoredRun { row, request: request.into_iter().next().unwrap_or_default(), variants, comparisons })
}

pub(super) fn comparisons(store: &SqliteStore, run: &str) -> Result<Vec<StoredComparison>> {
    let found = query(
        store,
        "SELECT c.document FROM runs r JOIN comparisons c ON c.run = r.number WHERE r.id = ?1 ORDER BY c.ordinal",
        [run],
        |row| row.get::<_, String>(0),
    )?;
    Ok(found.iter().filter_map(|json| serde_json::from_str(json).ok()).collect())
}

pub(super) fn launches(store: &SqliteStore, run: &str, variant: &str) -> Result<Vec<Launch>> {
    let found = rows_of_launches(store, "WHERE r.id = ?1 AND v.id = ?2 ORDER BY l.ordinal", params![run, variant])?;
    if found.is_empty() {
        documents(store, run, variant)?;
    }
    found.into_iter().map(|row| row.whole(run)).collect()
}

pub(super) fn damaged(store: &SqliteStore, run: &str) -> Result<Vec<StoreError>> {
    let found = rows_of_launches(store, "WHERE r.id = ?1 ORDER BY v.ordinal, l.ordinal", params![run])?;
    Ok(found.iter().filter_map(|row| row.fault(run)).collect())
}

fn rows_of_launches(store: &SqliteStore, condition: &str, values: impl Params) -> Result<Vec<LaunchRow>> {
    let sql = format!(
        "SELECT l.ordinal, l.started_ns, l.startup_ns, l.duration_ns, l.peak_rss_bytes, l.runtime_peak_bytes, l.turns, v.id, l.checksum
         FROM runs r JOIN variants v ON v.run = r.number JOIN launches l ON l.variant = v.number {condition}"
    );
    query(store, &sql, values, |row| {
        let launch = Launch {
            ordinal: row.get(0)?,
            started_ns: row.get::<_, i64>(1)? as u64,
            startup_ns: row.get::<_, i64>(2)? as u64,
            duration_ns: row.get::<_, i64>(3)? as u64,
            turns: Vec::new(),
            memory: memory(row, 4)?,
        };
        Ok(LaunchRow { launch, samples: row.get(6)?, variant: row.get(7)?, checksum: row.get(8)? })
    })
}

pub(super) fn measurement(store: &SqliteStore, run: &str, variant: &str) -> Result<Measurement> {
    let view = store.connection.unchecked_transaction().map_err(|error| store.fault(error))?;
    let documents = documents(store, run, variant)?;
    let launches = launches(store, run, variant)?;
    drop(view);
    Ok(Measurement {
        variant: documents.variant(store)?,
        calibration: documents.calibration(store)?,
        launches,
        outcome: documents.outcome(store)?.unwrap_or(Outcome::Interrupted),
        printed: String::new(),
    })
}

/// As SQLite wants it: a negative number is no limit.
pub(super) fn most(limit: Option<usize>) -> i64 {
    limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

/// The JSON documents of a variant, before they are parsed.
struct VariantDocuments {
    id: String,
    variant: String,
    calibration: Option<String>,
    outcome: Option<String>,
}

impl VariantDocuments {
    /// From four neighbouring columns: id, variant, calibration, outcome.
    fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(first)?,
            variant: row.get(first + 1)?,
            calibration: row.get(first + 2)?,
            outcome: row.get(first + 3)?,
        })
    }

    fn variant(&self, store: &SqliteStore) -> Result<tare_samples::Variant> {
        parse(store, "variant", &self.id, &self.variant)
    }

    fn calibration(&self, store: &SqliteStore) -> Result<Option<tare_samples::Calibration>> {
        self.calibration.as_deref().map(|json| parse(store, "calibration", &self.id, json)).transpose()
    }

    fn outcome(&self, store: &SqliteStore) -> Result<Option<Outcome>> {
        self.outcome.as_deref().map(|json| parse(store, "outcome", &self.id, json)).transpose()
    }
}

fn documents(store: &SqliteStore, run: &str, variant: &str) -> Result<VariantDocuments> {
    query(
        store,
        "SELECT v.id, v.variant, v.calibration, v.outcome FROM runs r JOIN variants v ON v.run = r.number
         WHERE r.id = ?1 AND v.id = ?2",
        [run, variant],
        |row| VariantDocuments::read(row, 0),
    )?
    .pop()
    .ok_or_else(|| store.unknown_variant(run, variant))
}

/// The runs that `condition` selects, in its order.
fn rows(store: &SqliteStore, condition: &str, values: impl Params) -> Result<Vec<RunRow>> {
    let found =
        query(store, &format!("{RUN} r.imported, {LOAD}, r.failures FROM runs r {condition}"), values, |row| {
            let counts = [row.get::<_, i64>(10)?, row.get(11)?, row.get(12)?, row.get(14)?, row.get(15)?];
            let counts = counts.map(|count| count as u64);
            let origin = Origin {
                id: row.get(1)?,
                started: row.get(2)?,
                tags: tags(store, row.get(0)?)?,
                machine: Default::default(),
                // As with comparisons: one that another version wrote otherwise is left out.
                findings: serde_json::from_str(&row.get::<_, String>(13)?).unwrap_or_default(),
                imported: None,
                git: Default::default(),
                policy: row.get(6)?,
                seed: 0,
                tare: row.get(7)?,
            };
            let texts: [String; 4] = [row.get(4)?, row.get(5)?, row.get(8)?, row.get(9)?];
            let imported: Option<String> = row.get(16)?;
            let targets: Option<i64> = row.get(17)?;
            let load = targets.map(|targets| Ok::<_, rusqlite::Error>((targets as u64, row.get::<_, i64>(18)? as u64)));
            let failures = serde_json::from_str(&row.get::<_, String>(19)?).unwrap_or_default();
            Ok((origin, row.get(3)?, texts, imported, (counts, failures, load.transpose()?)))
        })?;
    found
        .into_iter()
        .map(
            |(
                origin,
                finished,
                [state, seed, machine, git],
                imported,
                ([variants, failed, launches, cases, comparisons], failures, load),
            )| {
                let bad = |what, reason| bad_document(store, what, &origin.id, reason);
                let state = RunState::parse(&state).ok_or_else(|| bad("state", format!("it is {state:?}")))?;
                let seed = seed.parse().map_err(|_| bad("seed", format!("it is {seed:?}, which is not a number")))?;
                let machine = parse(store, "machine", &origin.id, &machine)?;
                let git = parse(store, "git", &origin.id, &git)?;
                let imported = imported.map(|json| parse(store, "imported", &origin.id, &json)).transpose()?;
                let origin = Origin { machine, git, seed, imported, ..origin };
                Ok(RunRow { origin, state, finished, cases, variants, failed, failures, launches, comparisons, load })
            },
        )
        .collect()
}

fn tags(store: &SqliteStore, run: i64) -> rusqlite::Result<Vec<String>> {
    store
        .connection
        .prepare_cached("SELECT tag FROM run_tags WHERE run = ?1 ORDER BY position")?
        .query_map([run], |row| row.get(0))?
        .collect()
}

fn memory(row: &Row<'_>, first: usize) -> rusqlite::Result<Memory> {
    let [rss, runtime] = [row.get::<_, Option<i64>>(first)?, row.get(first + 1)?];
    Ok(Memory { peak_rss_bytes: rss.map(|bytes| bytes as u64), runtime_peak_bytes: runtime.map(|bytes| bytes as u64) })
}

pub(super) fn query<T>(
    store: &SqliteStore,
    sql: &str,
    values: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let read = || store.connection.prepare_cached(sql)?.query_map(values, row)?.collect::<rusqlite::Result<Vec<T>>>();
    read().map_err(|error| store.fault(error))
}

pub(super) fn parse<T: DeserializeOwned>(store: &SqliteStore, what: &'static str, of: &str, json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| bad_document(store, what, of, error.to_string()))
}

fn bad_document(store: &SqliteStore, what: &'static str, of: &str, reason: String) -> StoreError {
    StoreError::BadDocument { path: store.path.clone(), what, of: of.to_owned(), reason }
}
