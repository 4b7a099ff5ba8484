//! Launches, in and out.

use std::collections::HashMap;

use postgres::types::ToSql;
use tare_samples::{Launch, Measurement, Memory, Outcome};

use super::PostgresStore;
use super::attempt::writable;
use super::link::{Work, Worked};
use super::read::{Documents, documents};
use super::text::{digest, read, stored};
use super::write::{unknown, unknown_variant};
use crate::launch_row::LaunchRow;
use crate::{Result, StoreError, checksum, turns};

/// Those of several variants, in columns: one statement stores them all.
struct Columns {
    keys: Vec<Vec<u8>>,
    ordinals: Vec<i64>,
    started: Vec<i64>,
    startup: Vec<i64>,
    duration: Vec<i64>,
    rss: Vec<Option<i64>>,
    runtime: Vec<Option<i64>>,
    checksums: Vec<i64>,
    samples: Vec<Vec<u8>>,
}

impl Columns {
    fn of(launches: &[(&str, &Launch)]) -> Self {
        let signed = |figure: fn(&Launch) -> u64| launches.iter().map(|(_, launch)| figure(launch) as i64).collect();
        let maybe = |figure: fn(&Memory) -> Option<u64>| {
            launches.iter().map(|(_, launch)| figure(&launch.memory).map(|bytes| bytes as i64)).collect()
        };
        let samples: Vec<Vec<u8>> = launches.iter().map(|(_, launch)| turns::encode(&launch.turns)).collect();
        let checksum =
            |((_, launch), samples): (&(&str, &Launch), &Vec<u8>)| i64::from(checksum::of_launch(launch, samples));
        Self {
            keys: launches.iter().map(|(variant, _)| digest(&[variant])).collect(),
            ordinals: launches.iter().map(|(_, launch)| i64::from(launch.ordinal)).collect(),
            started: signed(|launch| launch.started_ns),
            startup: signed(|launch| launch.startup_ns),
            duration: signed(|launch| launch.duration_ns),
            rss: maybe(|memory| memory.peak_rss_bytes),
            runtime: maybe(|memory| memory.runtime_peak_bytes),
            checksums: launches.iter().zip(&samples).map(checksum).collect(),
            samples,
        }
    }
}

pub(super) fn put(store: &PostgresStore, run: &str, launches: &[(&str, &Launch)]) -> Result<()> {
    let columns = Columns::of(launches);
    let attempt = store.attempt(run);
    let path = store.link.address.as_path();
    store.link.write(|work| {
        let (number, attempt) = writable(work, run, attempt)?;
        let values: [&(dyn ToSql + Sync); 11] = [
            &number,
            &attempt,
            &columns.keys,
            &columns.ordinals,
            &columns.started,
            &columns.startup,
            &columns.duration,
            &columns.rss,
            &columns.runtime,
            &columns.checksums,
            &columns.samples,
        ];
        let put = work.execute(
            "INSERT INTO launches (run, variant, attempt, ordinal, started_ns, startup_ns, duration_ns, peak_rss_bytes,
                runtime_peak_bytes, checksum, turns)
             SELECT $1, v.number, $2, g.ordinal, g.started, g.startup, g.duration, g.rss, g.runtime, g.checksum, g.turns
             FROM unnest($3::bytea[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::int8[],
                         $11::bytea[]) AS g (key, ordinal, started, startup, duration, rss, runtime, checksum, turns)
             JOIN variants v ON v.run = $1 AND v.key = g.key
             ON CONFLICT (variant, ordinal) DO NOTHING",
            &values,
        )?;
        if put == launches.len() as u64 {
            return Ok(());
        }
        // What was put is taken back: this transaction isn't committed, unless it turns out that all was stored before its answer was lost.
        let there = stored_already(work, number, &columns)?;
        let duplicate = |(variant, launch): (&str, &Launch)| {
            let what = format!("launch {} of {variant:?} in run {run:?}", launch.ordinal);
            Err(StoreError::Duplicate { path: path.clone(), what }.into())
        };
        let mut stored_before = 0;
        for (position, &(variant, launch)) in launches.iter().enumerate() {
            let same = (attempt, columns.checksums[position]);
            match there.get(&(columns.keys[position].clone(), columns.ordinals[position])) {
                None if !has_variant(work, number, &columns.keys[position])? => return Err(unknown_variant(run, variant)),
                None => {}
                // By this transaction, or by one whose answer was lost.
                Some(found) if *found == same && (put > 0 || work.again) => stored_before += 1,
                Some(_) => return duplicate((variant, launch)),
            }
        }
        match launches.last() {
            Some(&last) if put > 0 || stored_before < launches.len() => duplicate(last),
            _ => Ok(()),
        }
    })
}

fn has_variant(work: &mut Work<'_>, run: i64, key: &[u8]) -> Worked<bool> {
    Ok(!work.query("SELECT 1 FROM variants WHERE run = $1 AND key = $2", &[&run, &key])?.is_empty())
}

/// Attempts and checksums of launches that are there, by variant and ordinal.
type StoredLaunches = HashMap<(Vec<u8>, i64), (i64, i64)>;

fn stored_already(work: &mut Work<'_>, run: i64, columns: &Columns) -> Worked<StoredLaunches> {
    let found = work.query(
        "SELECT v.key, l.ordinal, l.attempt, l.checksum
         FROM variants v JOIN launches l ON l.variant = v.number
         WHERE v.run = $1 AND v.key = ANY ($2) AND l.ordinal = ANY ($3)",
        &[&run, &columns.keys, &columns.ordinals],
    )?;
    Ok(found.iter().map(|row| ((row.get(0), row.get(1)), (row.get(2), row.get(3)))).collect())
}

/// The variant's own; of all of the run where none is named.
fn rows(work: &mut Work<'_>, run: &str, variant: Option<&str>) -> Worked<Vec<LaunchRow>> {
    let found = work.query(
        "SELECT l.ordinal, l.started_ns, l.startup_ns, l.duration_ns, l.peak_rss_bytes, l.runtime_peak_bytes, l.turns, v.id,
                l.checksum
         FROM runs r JOIN variants v ON v.run = r.number JOIN launches l ON l.variant = v.number
         WHERE r.id = $1 AND ($2::bytea IS NULL OR v.key = $2) ORDER BY v.ordinal, l.ordinal",
        &[&stored(run), &variant.map(|variant| digest(&[variant]))],
    )?;
    let unsigned = |figure: Option<i64>| figure.map(|figure| figure as u64);
    Ok(found
        .iter()
        .map(|row| LaunchRow {
            launch: Launch {
                ordinal: row.get::<_, i64>(0) as u32,
                started_ns: row.get::<_, i64>(1) as u64,
                startup_ns: row.get::<_, i64>(2) as u64,
                duration_ns: row.get::<_, i64>(3) as u64,
                turns: Vec::new(),
                memory: Memory { peak_rss_bytes: unsigned(row.get(4)), runtime_peak_bytes: unsigned(row.get(5)) },
            },
            samples: row.get(6),
            variant: read(row.get(7)),
            checksum: row.get(8),
        })
        .collect())
}

fn described(work: &mut Work<'_>, run: &str, variant: &str) -> Worked<Documents> {
    match documents(work, run, variant)? {
        Some(documents) => Ok(documents),
        None => Err(unknown(work, run, variant)?),
    }
}

pub(super) fn of_variant(store: &PostgresStore, run: &str, variant: &str) -> Result<Vec<Launch>> {
    let found = store.link.read(|work| {
        let found = rows(work, run, Some(variant))?;
        if found.is_empty() {
            described(work, run, variant)?;
        }
        Ok(found)
    })?;
    found.into_iter().map(|row| row.whole(run)).collect()
}

pub(super) fn damaged(store: &PostgresStore, run: &str) -> Result<Vec<StoreError>> {
    let found = store.link.read(|work| rows(work, run, None))?;
    Ok(found.iter().filter_map(|row| row.fault(run)).collect())
}

pub(super) fn measurement(store: &PostgresStore, run: &str, variant: &str) -> Result<Measurement> {
    let (documents, found) =
        store.link.read(|work| Ok((described(work, run, variant)?, rows(work, run, Some(variant))?)))?;
    Ok(Measurement {
        variant: documents.variant(store)?,
        calibration: documents.calibration(store)?,
        launches: found.into_iter().map(|row| row.whole(run)).collect::<Result<_>>()?,
        outcome: documents.outcome(store)?.unwrap_or(Outcome::Interrupted),
        printed: String::new(),
    })
}
