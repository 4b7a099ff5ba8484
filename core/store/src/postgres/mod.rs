//! The store in a PostgreSQL database.

mod address;
mod attempt;
mod faults;
mod launches;
mod link;
mod names;
mod password;
mod read;
mod schema;
mod text;
mod tls;
mod write;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tare_samples::{Calibration, Failure, Finding, Launch, Measurement, Origin, Outcome, Variant};
use tare_statistics::Summary;

pub use address::ServerAddress;
use link::Link;

use crate::lease::Owner;
use crate::rows::{
    CaseRow, HistoryPoint, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad, StoredRun,
};
use crate::{Access, Result, Store};

/// A store in the schema `tare` of a PostgreSQL database.
pub struct PostgresStore {
    link: Link,
    /// Whether it keeps the work of variants by itself: one of an older version that is only read doesn't.
    has_works: bool,
    /// Who this is, among all that use the database.
    owner: Owner,
    /// The runs that are measured here, and in which attempt: the token by which one that was given to somebody else is known.
    held: HashMap<String, i64>,
}

impl PostgresStore {
    /// Opens the database that the address names.
    ///
    /// # Errors
    ///
    /// [`StoreError::Server`](crate::StoreError::Server) where it can't be reached or isn't one of Tare's; [`Newer`](crate::StoreError::Newer);
    /// [`Missing`](crate::StoreError::Missing) with [`Access::ReadOnly`]; [`Older`](crate::StoreError::Older) and
    /// [`Newer`](crate::StoreError::Newer) with either.
    pub fn open(address: &ServerAddress, access: Access) -> Result<Self> {
        let mut link = Link::new(address);
        let patience = std::mem::replace(&mut link.patience, Duration::ZERO);
        let has_works = schema::prepare(&link, access)?;
        link.patience = patience;
        Ok(Self { link, has_works, owner: Owner::this_process(), held: HashMap::new() })
    }

    /// How long a server that was lost is asked again for; 15 s at first.
    pub fn set_patience(&mut self, patience: Duration) {
        self.link.patience = patience;
    }

    /// The number of the attempt in which this store measures a run.
    pub fn attempt(&self, run: &str) -> Option<i64> {
        self.held.get(run).copied()
    }

    /// Goes on with an attempt that was begun elsewhere, to store what was measured in it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Fenced`](crate::StoreError::Fenced) where the run has been given to somebody else since.
    pub fn take_over(&mut self, run: &str, attempt: i64) -> Result<()> {
        attempt::take_over(self, run, attempt)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        // As the system does with locks; where the server is gone the lease ends by itself.
        if !self.held.is_empty() {
            let _ = attempt::release_all(self);
        }
    }
}

impl Store for PostgresStore {
    fn begin_run(&mut self, origin: &Origin, request: &str) -> Result<()> {
        write::begin_run(self, origin, request)
    }

    fn resume_run(&mut self, run: &str) -> Result<()> {
        attempt::resume_run(self, run)
    }

    fn finish_run_at(&mut self, run: &str, state: RunState, finished: Option<&str>) -> Result<()> {
        attempt::finish_run(self, run, state, finished)
    }

    fn delete_run(&mut self, run: &str) -> Result<()> {
        attempt::delete_run(self, run)
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
        launches::put(self, run, launches)
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
        launches::of_variant(self, run, variant)
    }

    fn damaged(&self, run: &str) -> Result<Vec<crate::StoreError>> {
        launches::damaged(self, run)
    }

    fn durations(&self, run: &str) -> Result<(String, Vec<(String, u64)>)> {
        read::durations(self, run)
    }

    fn measurement(&self, run: &str, variant: &str) -> Result<Measurement> {
        launches::measurement(self, run, variant)
    }

    fn history(&self, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>> {
        read::history(self, case, runtime)
    }

    fn series(&self, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>> {
        read::series(self, case, runtime, limit)
    }

    fn cases(&self) -> Result<Vec<CaseRow>> {
        read::cases(self)
    }

    fn measured_since(&self, since: &str) -> Result<Vec<(String, String)>> {
        read::measured_since(self, since)
    }

    fn unfinished(&self) -> Result<Option<RunRow>> {
        read::unfinished(self)
    }

    fn is_measured(&self, run: &str) -> Result<bool> {
        read::is_measured(self, run)
    }
}
