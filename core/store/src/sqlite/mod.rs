//! The store in one SQLite file.

mod faults;
mod histories;
mod holder;
mod open;
mod read;
mod schema;
mod whole;
mod write;

pub(crate) use faults::folder_of;

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use tare_samples::{Calibration, Failure, Finding, Launch, Measurement, Origin, Outcome, Variant};
use tare_statistics::Summary;

use crate::claim::Claim;
use crate::rows::{
    CaseRow, HistoryPoint, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad, StoredRun,
};
use crate::{Access, Result, Store, StoreError, name};

/// How long a writer waits for others, unless told otherwise.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A store in one SQLite database.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    /// Whether it keeps the work of variants by itself: one of an older version that is only read doesn't.
    has_works: bool,
    /// Device and number of the file, by which it is known to be still there.
    file: Option<(u64, u64)>,
    busy_timeout: Duration,
    claims: HashMap<String, Claim>,
}

impl SqliteStore {
    /// Opens the database at `path`, by custom `.tare/tare.db`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] with [`Access::ReadOnly`]; [`StoreError::Folder`] and
    /// [`StoreError::ReadOnly`] with [`Access::ReadWrite`]; [`StoreError::NotADatabase`], [`StoreError::Foreign`],
    /// [`StoreError::Newer`], [`StoreError::Older`], [`StoreError::CannotOpen`], [`StoreError::Damaged`], [`StoreError::Full`],
    /// [`StoreError::Locked`] with either.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        Self::open_within(path, access, BUSY_TIMEOUT)
    }

    /// The same, with another [time to wait](Self::set_busy_timeout) for other processes.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_within(path: impl AsRef<Path>, access: Access, busy_timeout: Duration) -> Result<Self> {
        let path = path.as_ref();
        let connection = open::open(path, access, busy_timeout)?;
        let file = file_at(path);
        let path = path.to_owned();
        let mut store = Self { path, connection, has_works: false, file, busy_timeout, claims: HashMap::new() };
        let version = schema::identity(&store.connection).map_err(|error| store.fault(error))?.version;
        store.has_works = version >= schema::WITH_WORKS;
        Ok(store)
    }

    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long to wait for other processes before [`StoreError::Locked`]; 10 s at first. Whole milliseconds.
    ///
    /// # Errors
    ///
    /// [`StoreError::Sqlite`], which SQLite has no cause for.
    pub fn set_busy_timeout(&mut self, timeout: Duration) -> Result<()> {
        let timeout = timeout.min(Duration::from_secs(86_400));
        self.connection.busy_timeout(timeout).map_err(|error| self.fault(error))?;
        self.busy_timeout = timeout;
        Ok(())
    }

    fn fault(&self, error: rusqlite::Error) -> StoreError {
        faults::explain(&self.path, self.busy_timeout, error)
    }

    /// Does `work` in a transaction that holds the right to write from its start, so that it waits for other
    /// writers before it has read anything that they may change.
    fn transact<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        let done = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
        // SQLite goes on with a file that has lost its name, and what is written there is gone when it is closed.
        if self.file != file_at(&self.path) {
            return Err(StoreError::Gone { path: self.path.clone() });
        }
        done.map_err(|error| self.fault(error))
    }

    /// The number by which the tables know the run.
    fn number(&self, run: &str) -> Result<i64> {
        self.connection
            .prepare_cached("SELECT number FROM runs WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([run], |row| row.get(0)).optional())
            .map_err(|error| self.fault(error))?
            .ok_or_else(|| self.unknown_run(run))
    }

    /// Why a variant wasn't found: there is no such run, or it has no such variant.
    fn unknown_variant(&self, run: &str, variant: &str) -> StoreError {
        match self.number(run) {
            Ok(_) => StoreError::UnknownVariant { run: run.to_owned(), variant: variant.to_owned() },
            Err(error) => error,
        }
    }

    fn unknown_run(&self, run: &str) -> StoreError {
        match self.names() {
            Ok(names) => name::unknown(run, &names),
            Err(error) => error,
        }
    }
}

/// Device and number of the file at the path, without opening it.
fn file_at(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

impl Store for SqliteStore {
    fn begin_run(&mut self, origin: &Origin, request: &str) -> Result<()> {
        write::begin_run(self, origin, request)
    }

    fn resume_run(&mut self, run: &str) -> Result<()> {
        write::resume_run(self, run)
    }

    fn finish_run_at(&mut self, run: &str, state: RunState, finished: Option<&str>) -> Result<()> {
        write::finish_run(self, run, state, finished)
    }

    fn delete_run(&mut self, run: &str) -> Result<()> {
        write::delete_run(self, run)
    }

    fn put_findings(&mut self, run: &str, findings: &[Finding]) -> Result<()> {
        write::put_findings(self, run, findings)
    }

    fn put_failures(&mut self, run: &str, failures: &[Failure]) -> Result<()> {
        write::put_failures(self, run, failures)
    }

    fn put_machine(&mut self, run: &str, machine: &BTreeMap<String, String>) -> Result<()> {
        write::put_machine(self, run, machine)
    }

    fn put_variant(&mut self, run: &str, ordinal: u32, variant: &Variant) -> Result<()> {
        write::put_variant(self, run, ordinal, variant)
    }

    fn put_calibration(&mut self, run: &str, variant: &str, calibration: &Calibration) -> Result<()> {
        write::put_calibration(self, run, variant, calibration)
    }

    fn put_launches(&mut self, run: &str, launches: &[(&str, &Launch)]) -> Result<()> {
        write::put_launches(self, run, launches)
    }

    fn put_outcome(&mut self, run: &str, variant: &str, outcome: &Outcome, summary: Option<&Summary>) -> Result<()> {
        write::put_outcome(self, run, variant, outcome, summary)
    }

    fn put_comparison(&mut self, run: &str, ordinal: u32, comparison: &StoredComparison) -> Result<()> {
        write::put_comparison(self, run, ordinal, comparison)
    }

    fn put_load(&mut self, run: &str, load: &StoredLoad) -> Result<()> {
        write::put_load(self, run, load)
    }

    fn count_comparison(&mut self, session: &str, run: &str) -> Result<u64> {
        write::count_comparison(self, session, run)
    }

    fn load(&self, run: &str) -> Result<Option<StoredLoad>> {
        read::load(self, run)
    }

    fn names(&self) -> Result<Vec<RunName>> {
        read::names(self)
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>> {
        read::runs(self, filter)
    }

    fn run(&self, run: &str) -> Result<StoredRun> {
        read::run(self, run)
    }

    fn comparisons(&self, run: &str) -> Result<Vec<StoredComparison>> {
        read::comparisons(self, run)
    }

    fn launches(&self, run: &str, variant: &str) -> Result<Vec<Launch>> {
        read::launches(self, run, variant)
    }

    fn durations(&self, run: &str) -> Result<(String, Vec<(String, u64)>)> {
        whole::durations(self, run)
    }

    fn faults(&self) -> Result<Vec<String>> {
        whole::faults(self)
    }

    fn damaged(&self, run: &str) -> Result<Vec<StoreError>> {
        read::damaged(self, run)
    }

    fn measurement(&self, run: &str, variant: &str) -> Result<Measurement> {
        read::measurement(self, run, variant)
    }

    fn cases(&self) -> Result<Vec<CaseRow>> {
        histories::cases(self)
    }

    fn measured_since(&self, since: &str) -> Result<Vec<(String, String)>> {
        histories::measured_since(self, since)
    }

    fn history(&self, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>> {
        histories::history(self, case, runtime)
    }

    fn series(&self, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>> {
        histories::series(self, case, runtime, limit)
    }

    fn unfinished(&self) -> Result<Option<RunRow>> {
        read::unfinished(self)
    }

    fn is_measured(&self, run: &str) -> Result<bool> {
        read::is_measured(self, run)
    }
}

#[cfg(test)]
mod tests;
