//! Everything that describes what is measured, and what came of it.

use std::collections::BTreeMap;

use postgres::error::SqlState;
use postgres::types::ToSql;
use serde::Serialize;
use tare_samples::{Calibration, Failure, Finding, Origin, Outcome, Variant};
use tare_statistics::{Estimate, Summary};

use super::PostgresStore;
use super::attempt::{self, as_json, writable};
use super::link::{Halt, Work, Worked};
use super::names;
use super::text::{digest, stored};
use crate::rows::{StoredComparison, StoredLoad, kept_work};
use crate::{Result, StoreError};

pub(super) fn begin_run(store: &mut PostgresStore, origin: &Origin, request: &str) -> Result<()> {
    let machine = document(store, "machine", &origin.id, &origin.machine)?;
    let git = document(store, "git", &origin.id, &origin.git)?;
    let findings = document(store, "findings", &origin.id, &origin.findings)?;
    let imported =
        origin.imported.as_ref().map(|imported| document(store, "imported", &origin.id, imported)).transpose()?;
    let tags: Vec<_> = origin.tags.iter().map(|tag| stored(tag)).collect();
    let positions: Vec<i64> = (0..).take(tags.len()).collect();
    let (id, started, tare, request) =
        (stored(&origin.id), stored(&origin.started), stored(&origin.tare), stored(request));
    let path = store.link.address.as_path();
    store.link.write(|work| {
        let begun = work.query(
            "INSERT INTO runs (id, started, state, seed, policy, tare, machine, git, findings, imported, request)
             VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING number",
            &[
                &id,
                &started,
                &origin.seed.to_string(),
                &i64::from(origin.policy),
                &tare,
                &machine,
                &git,
                &findings,
                &imported,
                &request,
            ],
        )?;
        let Some(row) = begun.first() else {
            // Stored by the try whose answer was lost.
            let found = attempt::locked(work, &origin.id)?;
            return match found {
                Some(found) if work.again && found.owner.as_ref() == Some(&store.owner) => Ok(()),
                _ => Err(StoreError::Duplicate { path: path.clone(), what: format!("run {:?}", origin.id) }.into()),
            };
        };
        let number: i64 = row.get(0);
        // In the same transaction, so that the run never looks killed.
        work.execute(
            "INSERT INTO leases (run, attempt, owner, renewed) VALUES ($1, 1, $2, clock_timestamp())",
            &[&number, &as_json(&store.owner)],
        )?;
        work.execute(
            "INSERT INTO run_tags (run, position, tag) SELECT $1, * FROM unnest($2::int8[], $3::text[])",
            &[&number, &positions, &tags],
        )
        .map(drop)
    })?;
    store.held.insert(origin.id.clone(), 1);
    Ok(())
}

pub(super) fn put_findings(store: &mut PostgresStore, run: &str, findings: &[Finding]) -> Result<()> {
    let json = document(store, "findings", run, &findings)?;
    of_run(store, run, "UPDATE runs SET findings = $2 WHERE number = $1", &[&json])
}

pub(super) fn put_failures(store: &mut PostgresStore, run: &str, failures: &[Failure]) -> Result<()> {
    let json = document(store, "failures", run, &failures)?;
    of_run(store, run, "UPDATE runs SET failures = $2 WHERE number = $1", &[&json])
}

pub(super) fn put_machine(store: &mut PostgresStore, run: &str, machine: &BTreeMap<String, String>) -> Result<()> {
    let json = document(store, "machine", run, machine)?;
    of_run(store, run, "UPDATE runs SET machine = $2 WHERE number = $1", &[&json])
}

pub(super) fn put_load(store: &mut PostgresStore, run: &str, load: &StoredLoad) -> Result<()> {
    of_run(
        store,
        run,
        "INSERT INTO loads (run, targets, failed, document, kept) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run) DO UPDATE SET targets = $2, failed = $3, document = $4, kept = $5",
        &[&(load.targets as i64), &(load.failed as i64), &stored(&load.document), &load.kept],
    )
}

pub(super) fn count_comparison(store: &PostgresStore, session: &str, run: &str) -> Result<u64> {
    let (session, run) = (stored(session), stored(run));
    let counted: i64 = store.link.write(|work| {
        // A try whose answer was lost has counted this run: it is the newest, unless another process came between.
        let counted = work.query(
            "INSERT INTO sessions AS s (name, comparisons, newest) VALUES ($1, 1, $2)
             ON CONFLICT (name) DO UPDATE
             SET comparisons = s.comparisons + (s.newest <> excluded.newest)::int, newest = excluded.newest
             RETURNING comparisons",
            &[&session, &run],
        )?;
        Ok(counted[0].get(0))
    })?;
    Ok(counted.unsigned_abs())
}

pub(super) fn put_comparison(
    store: &mut PostgresStore,
    run: &str,
    ordinal: u32,
    comparison: &StoredComparison,
) -> Result<()> {
    let StoredComparison { base, candidate, kind, comparison: found, .. } = comparison;
    let json = document(store, "comparison", candidate, comparison)?;
    let [ratio, low, high] = figures(found.ratio.as_ref());
    of_run(
        store,
        run,
        "INSERT INTO comparisons (run, ordinal, base, candidate, kind, verdict, ratio, low, high, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (run, ordinal) DO UPDATE SET base = $3, candidate = $4, kind = $5, verdict = $6, ratio = $7, low = $8,
            high = $9, document = $10",
        &[
            &i64::from(ordinal),
            &stored(base),
            &stored(candidate),
            &stored(kind),
            &found.verdict.name(),
            &ratio,
            &low,
            &high,
            &json,
        ],
    )
}

pub(super) fn put_variant(store: &mut PostgresStore, run: &str, ordinal: u32, variant: &Variant) -> Result<()> {
    let json = document(store, "variant", &variant.id, variant)?;
    let case = &variant.case;
    let case_id = case.id();
    let (key, series) = (digest(&[&variant.id]), digest(&[&case_id, variant.runtime.series()]));
    let values: [&(dyn ToSql + Sync); 12] = [
        &i64::from(ordinal),
        &stored(&variant.id),
        &key,
        &series,
        &stored(&case_id),
        &stored(&case.benchmark),
        &case.parameters.name.as_deref().map(stored),
        &stored(&variant.runtime.name),
        &stored(&case.language),
        &json,
        &stored(variant.runtime.series()),
        &variant.runtime.revision().map(stored),
    ];
    let attempt = store.attempt(run);
    let path = store.link.address.as_path();
    let duplicate = |what: String| StoreError::Duplicate { path: path.clone(), what };
    store.link.write(|work| {
        let (number, _) = writable(work, run, attempt)?;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&number];
        all.extend(values);
        let put = work.execute(
            "INSERT INTO variants
                (run, ordinal, id, key, series, case_id, benchmark, parameters, runtime, language, variant, series_name, revision)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (run, ordinal) DO UPDATE SET
                series = $5, case_id = $6, benchmark = $7, parameters = $8, runtime = $9, language = $10, variant = $11,
                series_name = $12, revision = $13
             WHERE variants.key = $4",
            &all,
        );
        match put {
            Ok(0) => Err(duplicate(format!("another variant at place {ordinal} of run {run:?}")).into()),
            Ok(_) => Ok(()),
            Err(Halt::Server(error)) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                Err(duplicate(format!("a variant {:?} of run {run:?}, at another place,", variant.id)).into())
            }
            Err(halt) => Err(halt),
        }
    })
}

pub(super) fn put_calibration(
    store: &mut PostgresStore,
    run: &str,
    variant: &str,
    calibration: &Calibration,
) -> Result<()> {
    let json = document(store, "calibration", variant, calibration)?;
    let update = "UPDATE variants SET calibration = $3 WHERE run = $1 AND key = $2";
    let Some(work) = kept_work(calibration) else { return of_variant(store, run, variant, update, &[&json]) };
    let work = document(store, "work", variant, &work)?;
    let both = "WITH calibrated AS (UPDATE variants SET calibration = $3 WHERE run = $1 AND key = $2 RETURNING number)
        INSERT INTO works (variant, work) SELECT number, $4 FROM calibrated
        ON CONFLICT (variant) DO UPDATE SET work = excluded.work";
    of_variant(store, run, variant, both, &[&json, &work])
}

pub(super) fn put_outcome(
    store: &mut PostgresStore,
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
    let [time, low, high] = figures(summary.map(|summary| &summary.time));
    of_variant(
        store,
        run,
        variant,
        "UPDATE variants SET outcome = $3, status = $4, summary = $5, time_estimate = $6, time_low = $7, time_high = $8
         WHERE run = $1 AND key = $2",
        &[&json, &status, &document, &time, &low, &high],
    )
}

/// As SQLite keeps them: what is no number isn't there.
fn figures(estimate: Option<&Estimate>) -> [Option<f64>; 3] {
    let number = |figure: f64| Some(figure).filter(|figure| !figure.is_nan());
    estimate.map_or([None; 3], |estimate| [estimate.estimate, estimate.low, estimate.high].map(number))
}

/// One statement on a run, whose number comes before the values. It may be done twice.
fn of_run(store: &PostgresStore, run: &str, sql: &'static str, values: &[&(dyn ToSql + Sync)]) -> Result<()> {
    let attempt = store.attempt(run);
    store.link.write(|work| {
        let (number, _) = writable(work, run, attempt)?;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&number];
        all.extend(values);
        work.execute(sql, &all).map(drop)
    })
}

/// The same on a variant, whose digest comes behind the run's number.
fn of_variant(
    store: &PostgresStore,
    run: &str,
    variant: &str,
    sql: &'static str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<()> {
    let attempt = store.attempt(run);
    let key = digest(&[variant]);
    store.link.write(|work| {
        let (number, _) = writable(work, run, attempt)?;
        let mut all: Vec<&(dyn ToSql + Sync)> = vec![&number, &key];
        all.extend(values);
        match work.execute(sql, &all)? {
            0 => Err(unknown_variant(run, variant)),
            _ => Ok(()),
        }
    })
}

pub(super) fn unknown_variant(run: &str, variant: &str) -> Halt {
    StoreError::UnknownVariant { run: run.to_owned(), variant: variant.to_owned() }.into()
}

/// Why a variant wasn't found: there is no such run, or it has no such variant.
pub(super) fn unknown(work: &mut Work<'_>, run: &str, variant: &str) -> Worked<Halt> {
    let there = !work.query("SELECT 1 FROM runs WHERE id = $1", &[&stored(run)])?.is_empty();
    Ok(if there { unknown_variant(run, variant) } else { names::unknown_run(work, run) })
}

fn document(store: &PostgresStore, what: &'static str, of: &str, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::BadDocument {
        path: store.link.address.as_path(),
        what,
        of: of.to_owned(),
        reason: error.to_string(),
    })
}
