//! Everything that looks into a store, but for launches.

use std::sync::LazyLock;

use postgres::Row;
use serde::de::DeserializeOwned;
use tare_samples::{Memory, Origin, Outcome, git_at};
use tare_statistics::Estimate;

use super::PostgresStore;
use super::attempt::{is_held, owner_in};
use super::link::{Work, Worked};
use super::names::{self, unknown_run};
use super::text::{digest, read, stored};
use crate::rows::{
    CaseRow, HistoryPoint, Machines, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad,
    StoredRun, StoredVariant,
};
use crate::{Result, StoreError};

const RUNS: &str = "
    SELECT r.number, r.id, r.started, r.finished, r.state, r.seed, r.policy, r.tare, r.machine, r.git, r.findings, r.imported,
        ARRAY(SELECT t.tag FROM run_tags t WHERE t.run = r.number ORDER BY t.position),
        (SELECT count(*) FROM variants v WHERE v.run = r.number),
        (SELECT count(*) FROM variants v WHERE v.run = r.number AND v.status = 'failed'),
        (SELECT count(*) FROM launches l WHERE l.run = r.number),
        (SELECT l.targets FROM loads l WHERE l.run = r.number), (SELECT l.failed FROM loads l WHERE l.run = r.number),
        r.failures, (SELECT count(DISTINCT v.case_id) FROM variants v WHERE v.run = r.number),
        (SELECT count(*) FROM comparisons c WHERE c.run = r.number)
    FROM runs r
    WHERE ($1::text IS NULL OR r.id = $1)
      AND ($2::text IS NULL OR EXISTS (SELECT 1 FROM run_tags t WHERE left(t.tag, 200) = left($2, 200) AND t.tag = $2 AND t.run = r.number))
      AND ($3::text IS NULL OR r.state = $3)
    ORDER BY r.started DESC, r.id DESC LIMIT $4";

/// The runs are chosen first, so that the documents of the others aren't read.
const SERIES: &str = "
    WITH chosen AS MATERIALIZED (
        SELECT DISTINCT r.started, r.id, r.number FROM variants v JOIN runs r ON r.number = v.run
        WHERE v.series = $1 AND v.status = 'ok' AND r.state = 'complete'
        ORDER BY r.started DESC, r.id DESC LIMIT $2)
    SELECT r.id, r.started, r.policy, r.machine, v.id, r.git, v.time_estimate, v.time_low, v.time_high,
        v.revision, CASE WHEN v.language = 'go' THEN v.variant::json #>> '{case,place}' END, w.work
    FROM chosen c JOIN runs r ON r.number = c.number JOIN variants v ON v.run = c.number LEFT JOIN works w ON w.variant = v.number
    WHERE v.series = $1 AND v.status = 'ok'
    ORDER BY r.started, r.id, v.ordinal";

/// Of a store that doesn't keep the work of variants by itself yet.
static SERIES_WITHOUT_WORKS: LazyLock<String> =
    LazyLock::new(|| SERIES.replace("w.work", "NULL::text").replace(" LEFT JOIN works w ON w.variant = v.number", ""));

fn text(row: &Row, column: usize) -> String {
    read(row.get(column))
}

fn tags(row: &Row, column: usize) -> Vec<String> {
    row.get::<_, Vec<String>>(column).into_iter().map(read).collect()
}

pub(super) fn names(store: &PostgresStore) -> Result<Vec<RunName>> {
    store.link.read(names::names)
}

pub(super) fn runs(store: &PostgresStore, filter: &RunFilter) -> Result<Vec<RunRow>> {
    let rows = store.link.read(|work| {
        let (tag, state) = (filter.tag.as_deref().map(stored), filter.state.map(RunState::name));
        work.query(RUNS, &[&None::<&str>, &tag, &state, &most(filter.limit)])
    })?;
    rows.iter().map(|row| run_row(store, row)).collect()
}

/// No limit is none to PostgreSQL, too.
fn most(limit: Option<usize>) -> Option<i64> {
    limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX))
}

const DURATIONS: &str = "
    SELECT v.case_id, sum(l.duration_ns)::bigint FROM launches l JOIN variants v ON v.number = l.variant
    WHERE v.run = (SELECT number FROM runs WHERE id = $1) GROUP BY v.case_id";

pub(super) fn durations(store: &PostgresStore, run: &str) -> Result<(String, Vec<(String, u64)>)> {
    store.link.read(|work| {
        let request = work.query("SELECT request FROM runs WHERE id = $1", &[&stored(run)])?;
        let Some(request) = request.first() else { return Err(unknown_run(work, run)) };
        let took = work.query(DURATIONS, &[&stored(run)])?;
        Ok((text(request, 0), took.iter().map(|row| (text(row, 0), row.get::<_, i64>(1) as u64)).collect()))
    })
}

fn run_row(store: &PostgresStore, row: &Row) -> Result<RunRow> {
    let id = text(row, 1);
    let bad = |what, reason| bad_document(store, what, &id, reason);
    let (state, seed): (String, String) = (row.get(4), row.get(5));
    let imported: Option<String> = row.get(11);
    let count = |column| row.get::<_, i64>(column) as u64;
    Ok(RunRow {
        origin: Origin {
            started: text(row, 2),
            tags: tags(row, 12),
            machine: parse(store, "machine", &id, row.get(8))?,
            // One that another version wrote otherwise is left out.
            findings: serde_json::from_str(row.get(10)).unwrap_or_default(),
            imported: imported.map(|json| parse(store, "imported", &id, &json)).transpose()?,
            git: parse(store, "git", &id, row.get(9))?,
            policy: row.get::<_, i64>(6) as u32,
            seed: seed.parse().map_err(|_| bad("seed", format!("it is {seed:?}, which is not a number")))?,
            tare: text(row, 7),
            id: id.clone(),
        },
        state: RunState::parse(&state).ok_or_else(|| bad("state", format!("it is {state:?}")))?,
        finished: row.get(3),
        cases: count(19),
        variants: count(13),
        failed: count(14),
        failures: serde_json::from_str(row.get(18)).unwrap_or_default(),
        launches: count(15),
        comparisons: count(20),
        load: row.get::<_, Option<i64>>(16).map(|targets| (targets as u64, count(17))),
    })
}

pub(super) fn load(store: &PostgresStore, run: &str) -> Result<Option<StoredLoad>> {
    let rows = store.link.read(|work| {
        let rows = work.query(
            "SELECT l.targets, l.failed, l.document, l.kept FROM runs r LEFT JOIN loads l ON l.run = r.number WHERE r.id = $1",
            &[&stored(run)],
        )?;
        if rows.is_empty() { Err(unknown_run(work, run)) } else { Ok(rows) }
    })?;
    let row = &rows[0];
    Ok(row.get::<_, Option<i64>>(0).map(|targets| StoredLoad {
        targets: targets as u64,
        failed: row.get::<_, i64>(1) as u64,
        document: text(row, 2),
        kept: row.get(3),
    }))
}

pub(super) fn unfinished(store: &PostgresStore) -> Result<Option<RunRow>> {
    let running = store.link.read(|work| {
        work.query(
            "SELECT r.id, l.owner, extract(epoch FROM clock_timestamp() - l.renewed)::float8
             FROM runs r JOIN leases l ON l.run = r.number
             WHERE r.state = 'running' AND r.imported IS NULL AND NOT EXISTS (SELECT 1 FROM loads o WHERE o.run = r.number)
             ORDER BY r.started DESC, r.id DESC",
            &[],
        )
    })?;
    let left = running.iter().find(|row| !owner_in(row.get(1)).is_some_and(|owner| is_held(&owner, row.get(2))));
    let Some(row) = left else { return Ok(None) };
    let id: String = row.get(0);
    let rows =
        store.link.read(|work| work.query(RUNS, &[&Some(id.as_str()), &None::<&str>, &None::<&str>, &Some(1_i64)]))?;
    rows.first().map(|row| run_row(store, row)).transpose()
}

pub(super) fn is_measured(store: &PostgresStore, run: &str) -> Result<bool> {
    let rows = store.link.read(|work| {
        work.query(
            "SELECT l.owner, extract(epoch FROM clock_timestamp() - l.renewed)::float8
             FROM runs r JOIN leases l ON l.run = r.number WHERE r.id = $1",
            &[&stored(run)],
        )
    })?;
    Ok(rows.first().is_some_and(|row| owner_in(row.get(0)).is_some_and(|owner| is_held(&owner, row.get(1)))))
}

pub(super) fn run(store: &PostgresStore, run: &str) -> Result<StoredRun> {
    let (row, request, variants, comparisons) = store.link.read(|work| {
        let rows = work.query(RUNS, &[&Some(stored(run)), &None::<&str>, &None::<&str>, &Some(1_i64)])?;
        let Some(row) = rows.into_iter().next() else { return Err(unknown_run(work, run)) };
        let number: i64 = row.get(0);
        let request = work.query("SELECT request FROM runs WHERE number = $1", &[&number])?;
        // Variant by variant: the server's statistics don't know the newest runs, and all launches of one at once would be gone through for each.
        let variants = work.query(
            "SELECT v.ordinal, v.id, v.variant, v.calibration, v.outcome, v.summary, l.launches, l.rss, l.runtime
             FROM variants v LEFT JOIN LATERAL (
                SELECT count(*) AS launches, max(peak_rss_bytes) AS rss, max(runtime_peak_bytes) AS runtime
                FROM launches WHERE variant = v.number) l ON true
             WHERE v.run = $1 ORDER BY v.ordinal",
            &[&number],
        )?;
        let comparisons = work.query("SELECT document FROM comparisons WHERE run = $1 ORDER BY ordinal", &[&number])?;
        Ok((row, request, variants, comparisons))
    })?;
    let variants = variants.iter().map(|row| {
        let documents = Documents::read(row, 1);
        let unsigned = |column| row.get::<_, Option<i64>>(column).map(|figure| figure as u64);
        Ok(StoredVariant {
            ordinal: row.get::<_, i64>(0) as u32,
            variant: documents.variant(store)?,
            calibration: documents.calibration(store)?,
            outcome: documents.outcome(store)?,
            summary: row.get::<_, Option<&str>>(5).and_then(|json| serde_json::from_str(json).ok()),
            launch_count: unsigned(6).unwrap_or(0),
            memory: Memory { peak_rss_bytes: unsigned(7), runtime_peak_bytes: unsigned(8) },
        })
    });
    Ok(StoredRun {
        row: run_row(store, &row)?,
        request: request.first().map(|row| text(row, 0)).unwrap_or_default(),
        variants: variants.collect::<Result<_>>()?,
        comparisons: comparisons.iter().filter_map(|row| serde_json::from_str(row.get(0)).ok()).collect(),
    })
}

pub(super) fn comparisons(store: &PostgresStore, run: &str) -> Result<Vec<StoredComparison>> {
    let rows = store.link.read(|work| {
        let sql =
            "SELECT c.document FROM runs r JOIN comparisons c ON c.run = r.number WHERE r.id = $1 ORDER BY c.ordinal";
        work.query(sql, &[&stored(run)])
    })?;
    Ok(rows.iter().filter_map(|row| serde_json::from_str(row.get(0)).ok()).collect())
}

pub(super) fn history(store: &PostgresStore, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>> {
    let rows = store.link.read(|work| {
        work.query(
            "SELECT r.id, r.started, r.policy, v.id, v.status, v.time_estimate, v.time_low, v.time_high
             FROM variants v JOIN runs r ON r.number = v.run WHERE v.series = $1 ORDER BY r.started, r.id, v.ordinal",
            &[&digest(&[case, runtime])],
        )
    })?;
    let point = |row: &Row| HistoryPoint {
        run: text(row, 0),
        started: text(row, 1),
        policy: row.get::<_, i64>(2) as u32,
        variant: text(row, 3),
        status: row.get(4),
        time: time(row, 5),
    };
    Ok(rows.iter().map(point).collect())
}

pub(super) fn series(store: &PostgresStore, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>> {
    let sql = if store.has_works { SERIES } else { SERIES_WITHOUT_WORKS.as_str() };
    let rows = store.link.read(|work| work.query(sql, &[&digest(&[case, runtime]), &most(limit)]))?;
    let mut machines = Machines::default();
    let runs: Result<Vec<SeriesRun>> = rows
        .iter()
        .map(|row| {
            let run = text(row, 0);
            let machine: &str = row.get(3);
            let revision = row.get::<_, Option<String>>(9).map(read);
            Ok(SeriesRun {
                started: text(row, 1),
                policy: row.get::<_, i64>(2) as u32,
                machine: machines.of(machine, || parse(store, "machine", &run, machine))?,
                git: git_at(&parse(store, "git", &run, row.get(5))?, revision.as_deref()),
                side: revision.is_some(),
                variant: text(row, 4),
                place: row.get::<_, Option<String>>(10).map(read).unwrap_or_default(),
                time: time(row, 6),
                work: row.get::<_, Option<&str>>(11).and_then(|json| serde_json::from_str(json).ok()),
                run,
            })
        })
        .collect();
    Ok(SeriesRun::shown(runs?, case))
}

/// The newest run is the one that was stored last.
pub(super) fn cases(store: &PostgresStore) -> Result<Vec<CaseRow>> {
    let rows = store.link.read(|work| {
        work.query(
            "SELECT c.case_id, c.runtime, c.runs, r.started
             FROM (SELECT case_id, series_name AS runtime, count(DISTINCT run) AS runs, max(run) AS newest FROM variants GROUP BY case_id, series_name) c
             JOIN runs r ON r.number = c.newest ORDER BY c.case_id, c.runtime",
            &[],
        )
    })?;
    let case = |row: &Row| CaseRow {
        case: text(row, 0),
        runtime: text(row, 1),
        runs: row.get::<_, i64>(2) as u64,
        newest: text(row, 3),
    };
    Ok(rows.iter().map(case).collect())
}

pub(super) fn measured_since(store: &PostgresStore, since: &str) -> Result<Vec<(String, String)>> {
    let rows = store.link.read(|work| {
        work.query(
            "SELECT DISTINCT v.case_id, v.series_name FROM runs r JOIN variants v ON v.run = r.number WHERE r.started >= $1",
            &[&since],
        )
    })?;
    let mut names: Vec<(String, String)> = rows.iter().map(|row| (text(row, 0), text(row, 1))).collect();
    names.sort();
    Ok(names)
}

/// From three neighbouring columns: estimate, low, high.
fn time(row: &Row, first: usize) -> Option<Estimate> {
    match [row.get(first), row.get(first + 1), row.get(first + 2)] {
        [Some(estimate), Some(low), Some(high)] => Some(Estimate { estimate, low, high }),
        _ => None,
    }
}

/// The JSON documents of a variant, before they are parsed.
pub(super) struct Documents {
    id: String,
    variant: String,
    calibration: Option<String>,
    outcome: Option<String>,
}

impl Documents {
    /// From four neighbouring columns: id, variant, calibration, outcome.
    fn read(row: &Row, first: usize) -> Self {
        Self {
            id: text(row, first),
            variant: row.get(first + 1),
            calibration: row.get(first + 2),
            outcome: row.get(first + 3),
        }
    }

    pub(super) fn variant(&self, store: &PostgresStore) -> Result<tare_samples::Variant> {
        parse(store, "variant", &self.id, &self.variant)
    }

    pub(super) fn calibration(&self, store: &PostgresStore) -> Result<Option<tare_samples::Calibration>> {
        self.calibration.as_deref().map(|json| parse(store, "calibration", &self.id, json)).transpose()
    }

    pub(super) fn outcome(&self, store: &PostgresStore) -> Result<Option<Outcome>> {
        self.outcome.as_deref().map(|json| parse(store, "outcome", &self.id, json)).transpose()
    }
}

pub(super) fn documents(work: &mut Work<'_>, run: &str, variant: &str) -> Worked<Option<Documents>> {
    let found = work.query(
        "SELECT v.id, v.variant, v.calibration, v.outcome FROM runs r JOIN variants v ON v.run = r.number
         WHERE r.id = $1 AND v.key = $2",
        &[&stored(run), &digest(&[variant])],
    )?;
    Ok(found.first().map(|row| Documents::read(row, 0)))
}

fn parse<T: DeserializeOwned>(store: &PostgresStore, what: &'static str, of: &str, json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| bad_document(store, what, of, error.to_string()))
}

fn bad_document(store: &PostgresStore, what: &'static str, of: &str, reason: String) -> StoreError {
    StoreError::BadDocument { path: store.link.address.as_path(), what, of: of.to_owned(), reason }
}
