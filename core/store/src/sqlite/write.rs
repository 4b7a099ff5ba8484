//! Everything that changes a store.

use std::collections::BTreeMap;

use rusqlite::{Error, ToSql, Transaction, params};
use serde::Serialize;
use tare_samples::{Calibration, Failure, Finding, Launch, Origin, Outcome, Variant};
use tare_statistics::Summary;

use super::SqliteStore;
use crate::claim::Claim;
use crate::rows::{RunState, StoredComparison, StoredLoad, kept_work};
use crate::{Result, StoreError, checksum, turns};

pub(super) fn begin_run(store: &mut SqliteStore, origin: &Origin, request: &str) -> Result<()> {
    let machine = document(store, "machine", &origin.id, &origin.machine)?;
    let git = document(store, "git", &origin.id, &origin.git)?;
    let findings = document(store, "findings", &origin.id, &origin.findings)?;
    let imported =
        origin.imported.as_ref().map(|imported| document(store, "imported", &origin.id, imported)).transpose()?;
    let database = store.path.clone();
    Claim::sweep(super::folder_of(&database), &database);
    let claim = store
        .transact(|transaction| {
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, started, state, seed, policy, tare, machine, git, request, findings, imported)
                 VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                )?
                .execute(params![
                    origin.id,
                    origin.started,
                    origin.seed.to_string(),
                    origin.policy,
                    origin.tare,
                    machine,
                    git,
                    request,
                    findings,
                    imported
                ])?;
            let number = transaction.last_insert_rowid();
            let mut insert =
                transaction.prepare_cached("INSERT INTO run_tags (run, position, tag) VALUES (?1, ?2, ?3)")?;
            for (position, tag) in origin.tags.iter().enumerate() {
                insert.execute(params![number, position as i64, tag])?;
            }
            // Before anyone can see the run, so that it never looks killed.
            Ok(Claim::take(&database, number))
        })
        .map_err(|error| duplicate(error, || format!("run {:?}", origin.id)))?;
    store.claims.extend(claim.map(|claim| (origin.id.clone(), claim)));
    Ok(())
}

pub(super) fn resume_run(store: &mut SqliteStore, run: &str) -> Result<()> {
    let claim = claim(store, run)?;
    let resumed = store.transact(|transaction| {
        transaction
            .execute("UPDATE runs SET state = 'running', finished = NULL WHERE id = ?1 AND state <> 'complete'", [run])
    })?;
    if resumed == 0 {
        let error = store.number(run).err().unwrap_or_else(|| StoreError::Complete { run: run.to_owned() });
        if let Some(claim) = claim {
            claim.release();
        }
        return Err(error);
    }
    store.claims.extend(claim.map(|claim| (run.to_owned(), claim)));
    Ok(())
}

pub(super) fn finish_run(store: &mut SqliteStore, run: &str, state: RunState, finished: Option<&str>) -> Result<()> {
    let ended = store.transact(|transaction| {
        transaction.execute(
            "UPDATE runs SET state = ?2, finished = CASE ?2 WHEN 'running' THEN NULL
                    ELSE coalesce(?3, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) END
             WHERE id = ?1",
            params![run, state.name(), finished],
        )
    })?;
    if ended == 0 {
        return Err(store.unknown_run(run));
    }
    if let Some(claim) = store.claims.remove(run) {
        claim.release();
    }
    // All is committed already. What a checkpoint adds is that it is on the disk; where it can't be made now, the
    // next one will be.
    let _ = store.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    Ok(())
}

pub(super) fn delete_run(store: &mut SqliteStore, run: &str) -> Result<()> {
    let claim = claim(store, run)?;
    let deleted = store.transact(|transaction| transaction.execute("DELETE FROM runs WHERE id = ?1", [run]))?;
    if let Some(claim) = store.claims.remove(run).or(claim) {
        claim.release();
    }
    if deleted == 0 { Err(store.unknown_run(run)) } else { Ok(()) }
}

pub(super) fn put_findings(store: &mut SqliteStore, run: &str, findings: &[Finding]) -> Result<()> {
    let json = document(store, "findings", run, &findings)?;
    let stored = put(store, "UPDATE runs SET findings = ?2 WHERE id = ?1", params![run, json], String::new)?;
    if stored { Ok(()) } else { Err(store.unknown_run(run)) }
}

pub(super) fn put_failures(store: &mut SqliteStore, run: &str, failures: &[Failure]) -> Result<()> {
    let json = document(store, "failures", run, &failures)?;
    let stored = put(store, "UPDATE runs SET failures = ?2 WHERE id = ?1", params![run, json], String::new)?;
    if stored { Ok(()) } else { Err(store.unknown_run(run)) }
}

pub(super) fn put_machine(store: &mut SqliteStore, run: &str, machine: &BTreeMap<String, String>) -> Result<()> {
    let json = document(store, "machine", run, machine)?;
    let stored = put(store, "UPDATE runs SET machine = ?2 WHERE id = ?1", params![run, json], String::new)?;
    if stored { Ok(()) } else { Err(store.unknown_run(run)) }
}

pub(super) fn put_variant(store: &mut SqliteStore, run: &str, ordinal: u32, variant: &Variant) -> Result<()> {
    let json = document(store, "variant", &variant.id, variant)?;
    let case = &variant.case;
    let stored = put(
        store,
        "INSERT INTO variants (run, ordinal, id, case_id, benchmark, parameters, runtime, language, variant, series, revision)
         SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM runs WHERE id = ?1
         ON CONFLICT (run, ordinal) DO UPDATE SET
            case_id = excluded.case_id, benchmark = excluded.benchmark, parameters = excluded.parameters,
            runtime = excluded.runtime, language = excluded.language, variant = excluded.variant,
            series = excluded.series, revision = excluded.revision
         WHERE id = excluded.id",
        params![
            run,
            ordinal,
            variant.id,
            case.id(),
            case.benchmark,
            case.parameters.name,
            variant.runtime.name,
            case.language,
            json,
            variant.runtime.series(),
            variant.runtime.revision()
        ],
        || format!("a variant {:?} of run {run:?}, at another place,", variant.id),
    )?;
    if stored {
        return Ok(());
    }
    store.number(run)?;
    let what = format!("another variant at place {ordinal} of run {run:?}");
    Err(StoreError::Duplicate { path: store.path.clone(), what })
}

pub(super) fn put_calibration(
    store: &mut SqliteStore,
    run: &str,
    variant: &str,
    calibration: &Calibration,
) -> Result<()> {
    let json = document(store, "calibration", variant, calibration)?;
    let work = kept_work(calibration).map(|work| document(store, "work", variant, &work)).transpose()?;
    let stored = store.transact(|transaction| {
        let update =
            "UPDATE variants SET calibration = ?3 WHERE id = ?2 AND run = (SELECT number FROM runs WHERE id = ?1)";
        let stored = transaction.prepare_cached(update)?.execute(params![run, variant, json])? > 0;
        if let Some(work) = work {
            let insert = "INSERT INTO works (variant, work)
                SELECT v.number, ?3 FROM variants v JOIN runs r ON r.number = v.run WHERE r.id = ?1 AND v.id = ?2
                ON CONFLICT (variant) DO UPDATE SET work = excluded.work";
            transaction.prepare_cached(insert)?.execute(params![run, variant, work])?;
        }
        Ok(stored)
    })?;
    if stored { Ok(()) } else { Err(store.unknown_variant(run, variant)) }
}

pub(super) fn put_launches(store: &mut SqliteStore, run: &str, launches: &[(&str, &Launch)]) -> Result<()> {
    if let Some(claim) = store.claims.get_mut(run) {
        claim.renew();
    }
    // Compressing is the larger part of the work, and nobody else has to wait for it.
    let samples: Vec<Vec<u8>> = launches.iter().map(|(_, launch)| turns::encode(&launch.turns)).collect();
    let mut under_way = None;
    let stored = store.transact(|transaction| {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO launches
                (variant, ordinal, started_ns, startup_ns, duration_ns, peak_rss_bytes, runtime_peak_bytes, turns, checksum)
             SELECT v.number, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
             FROM variants v JOIN runs r ON r.number = v.run WHERE r.id = ?1 AND v.id = ?2",
        )?;
        for ((variant, launch), samples) in launches.iter().zip(&samples) {
            under_way = Some((*variant, launch.ordinal));
            let inserted = insert.execute(params![
                run,
                variant,
                launch.ordinal,
                launch.started_ns as i64,
                launch.startup_ns as i64,
                launch.duration_ns as i64,
                launch.memory.peak_rss_bytes.map(|bytes| bytes as i64),
                launch.memory.runtime_peak_bytes.map(|bytes| bytes as i64),
                samples,
                checksum::of_launch(launch, samples)
            ])?;
            if inserted == 0 {
                // Ends the transaction without a commit.
                return Err(Error::StatementChangedRows(0));
            }
        }
        Ok(())
    });
    match (stored, under_way) {
        (Err(StoreError::Sqlite { source: Error::StatementChangedRows(0), .. }), Some((variant, _))) => {
            Err(store.unknown_variant(run, variant))
        }
        (Err(error), Some((variant, ordinal))) => {
            Err(duplicate(error, || format!("launch {ordinal} of {variant:?} in run {run:?}")))
        }
        (stored, _) => stored,
    }
}

pub(super) fn put_comparison(
    store: &mut SqliteStore,
    run: &str,
    ordinal: u32,
    comparison: &StoredComparison,
) -> Result<()> {
    let StoredComparison { base, candidate, kind, comparison: found, .. } = comparison;
    let json = document(store, "comparison", candidate, comparison)?;
    let ratio = found.ratio.as_ref();
    let stored = put(
        store,
        "INSERT INTO comparisons (run, ordinal, base, candidate, kind, verdict, ratio, low, high, document)
         SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM runs WHERE id = ?1
         ON CONFLICT (run, ordinal) DO UPDATE SET
            base = excluded.base, candidate = excluded.candidate, kind = excluded.kind, verdict = excluded.verdict,
            ratio = excluded.ratio, low = excluded.low, high = excluded.high, document = excluded.document",
        params![
            run,
            ordinal,
            base,
            candidate,
            kind,
            found.verdict.name(),
            ratio.map(|ratio| ratio.estimate),
            ratio.map(|ratio| ratio.low),
            ratio.map(|ratio| ratio.high),
            json
        ],
        String::new,
    )?;
    if stored { Ok(()) } else { Err(store.unknown_run(run)) }
}

pub(super) fn put_outcome(
    store: &mut SqliteStore,
    run: &str,
    variant: &str,
    outcome: &Outcome,
    summary: Option<&Summary>,
) -> Result<()> {
    let json = document(store, "outcome", variant, outcome)?;
    let status = match outcome {
        Outcome::Ok => "ok",
        Outcome::Failed(_) => "failed",
        Outcome::Skipped(_) => "skipped",
        Outcome::Interrupted => "interrupted",
    };
    // JSON has no infinity. A summary that holds one can't be read back, and is better computed again than kept.
    let document = summary
        .map(|summary| document(store, "summary", variant, summary))
        .transpose()?
        .filter(|json| serde_json::from_str::<Summary>(json).is_ok());
    let time = summary.map(|summary| summary.time);
    let stored = put(
        store,
        "UPDATE variants
         SET outcome = ?3, status = ?4, summary = ?5, time_estimate = ?6, time_low = ?7, time_high = ?8
         WHERE id = ?2 AND run = (SELECT number FROM runs WHERE id = ?1)",
        params![
            run,
            variant,
            json,
            status,
            document,
            time.map(|time| time.estimate),
            time.map(|time| time.low),
            time.map(|time| time.high)
        ],
        String::new,
    )?;
    if stored { Ok(()) } else { Err(store.unknown_variant(run, variant)) }
}

/// The claim to the run; `None` when this store has it already.
fn claim(store: &SqliteStore, run: &str) -> Result<Option<Claim>> {
    let number = store.number(run)?;
    if store.claims.contains_key(run) {
        return Ok(None);
    }
    match Claim::take(&store.path, number) {
        Some(claim) => Ok(Some(claim)),
        None => Err(StoreError::InUse { run: run.to_owned() }),
    }
}

/// Runs one statement in a transaction of its own; whether it stored something. `what` names a thing that must not
/// be there already.
fn put(store: &mut SqliteStore, sql: &str, values: &[&dyn ToSql], what: impl FnOnce() -> String) -> Result<bool> {
    store
        .transact(|transaction: &Transaction<'_>| Ok(transaction.prepare_cached(sql)?.execute(values)? > 0))
        .map_err(|error| duplicate(error, what))
}

fn duplicate(error: StoreError, what: impl FnOnce() -> String) -> StoreError {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
    match error {
        StoreError::Sqlite { path, source: Error::SqliteFailure(failure, _) }
            if [SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY].contains(&failure.extended_code) =>
        {
            StoreError::Duplicate { path, what: what() }
        }
        other => other,
    }
}

fn document(store: &SqliteStore, what: &'static str, of: &str, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::BadDocument {
        path: store.path.clone(),
        what,
        of: of.to_owned(),
        reason: error.to_string(),
    })
}

pub(super) fn count_comparison(store: &mut SqliteStore, session: &str, run: &str) -> Result<u64> {
    let counted: i64 = store.transact(|transaction| {
        transaction.query_row(
            "INSERT INTO sessions (name, comparisons, newest) VALUES (?1, 1, ?2)
             ON CONFLICT (name) DO UPDATE SET comparisons = comparisons + (newest <> excluded.newest), newest = excluded.newest
             RETURNING comparisons",
            [session, run],
            |row| row.get(0),
        )
    })?;
    Ok(counted.unsigned_abs())
}

pub(super) fn put_load(store: &mut SqliteStore, run: &str, load: &StoredLoad) -> Result<()> {
    let number = store.number(run)?;
    store.transact(|transaction| {
        transaction
            .prepare_cached(
                "INSERT INTO loads (run, targets, failed, document, kept) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (run) DO UPDATE SET targets = ?2, failed = ?3, document = ?4, kept = ?5",
            )?
            .execute(params![number, load.targets as i64, load.failed as i64, load.document, load.kept])
            .map(drop)
    })
}
