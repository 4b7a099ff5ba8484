//! Where launches go while the server of a store doesn't take them: a store in a folder, one for each run, whose runs are sent when the server is back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tare_samples::{Calibration, Failure, Finding, Launch, Measurement, Origin, Outcome, Variant};
use tare_statistics::Summary;

use crate::copy::{Copied, put_all};
use crate::rows::{
    CaseRow, HistoryPoint, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad, StoredRun,
};
use crate::{Access, PostgresStore, Result, ServerAddress, SqliteStore, Store, StoreError};

/// How long a lost server is waited for before what is measured goes to the spool: those that take turns wait meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is asked again.
const EVERY: Duration = Duration::from_secs(5);
/// At the end of a run there is time.
const AT_THE_END: Duration = Duration::from_secs(10);
const DATABASE: &str = "tare.db";
const TOKEN: &str = "attempt.json";

/// Which attempt at which run what is in a spool belongs to.
#[derive(Debug, Serialize, Deserialize)]
struct Token {
    /// The store that it is for, without a password.
    store: String,
    run: String,
    attempt: i64,
}

/// A store on a server, and a folder for the time when it is away.
pub(crate) struct SpooledStore {
    server: PostgresStore,
    address: String,
    folder: PathBuf,
    /// The run that is measured, as it was begun.
    known: Option<(Origin, String)>,
    variants: BTreeMap<u32, Variant>,
    comparisons: BTreeMap<u32, StoredComparison>,
    spool: Option<SqliteStore>,
    /// Why the server doesn't take it.
    why: String,
    asked: Instant,
}

/// Where what a server doesn't take is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spooling<'a> {
    /// The folder of all spools of a project.
    pub folder: &'a Path,
    /// Why the server doesn't take it, and what to do about that.
    pub why: &'a str,
}

/// What became of a run in a spool.
#[derive(Debug)]
pub struct Pushed {
    /// The run.
    pub run: String,
    /// What was sent, or why it wasn't; it stays in the spool then.
    pub sent: Result<Copied>,
}

impl SpooledStore {
    pub(crate) fn new(mut server: PostgresStore, address: &ServerAddress, folder: &Path) -> Self {
        server.set_patience(PATIENCE);
        Self {
            server,
            address: address.to_string(),
            folder: folder.to_owned(),
            known: None,
            variants: BTreeMap::new(),
            comparisons: BTreeMap::new(),
            spool: None,
            why: String::new(),
            asked: Instant::now(),
        }
    }

    /// Does something with the server, or with the spool while it is away.
    fn keep(&mut self, run: &str, mut act: impl FnMut(&mut dyn Store) -> Result<()>) -> Result<()> {
        if self.spool.is_some() && self.asked.elapsed() >= EVERY {
            self.try_to_send(run, Duration::ZERO)?;
        }
        if let Some(spool) = &mut self.spool {
            return act(spool);
        }
        match act(&mut self.server) {
            // Away, full, locked, or not letting this role write any more: what was measured can't be measured again, and may be sent when that is mended.
            Err(error) if error.is_of_server() && self.server.attempt(run).is_some() => {
                self.why = error.to_string();
                let Some(spool) = self.begin_spool(run)? else { return Err(error) };
                act(spool)
            }
            done => done,
        }
    }

    fn begin_spool(&mut self, run: &str) -> Result<Option<&mut SqliteStore>> {
        let (Some((origin, request)), Some(attempt)) = (&self.known, self.server.attempt(run)) else { return Ok(None) };
        let folder = self.folder.join(run);
        let mut spool = SqliteStore::open(folder.join(DATABASE), Access::ReadWrite)?;
        let token = Token { store: self.address.clone(), run: run.to_owned(), attempt };
        let written = fs::write(folder.join(TOKEN), serde_json::to_vec(&token).unwrap_or_default());
        written.map_err(|source| StoreError::Folder { folder, source })?;
        spool.begin_run(origin, request)?;
        for (ordinal, variant) in &self.variants {
            spool.put_variant(run, *ordinal, variant)?;
        }
        // They have no names, only places: all of them or none.
        for (ordinal, comparison) in &self.comparisons {
            spool.put_comparison(run, *ordinal, comparison)?;
        }
        self.asked = Instant::now();
        Ok(Some(self.spool.insert(spool)))
    }

    /// Where the server is back, what was measured meanwhile goes there, and what follows too.
    fn try_to_send(&mut self, run: &str, patience: Duration) -> Result<()> {
        let Some(spool) = &self.spool else { return Ok(()) };
        let source = spool.run(run)?;
        self.server.set_patience(patience);
        let sent = put_all(spool, &mut self.server, &source);
        self.server.set_patience(PATIENCE);
        self.asked = Instant::now();
        match sent {
            Err(error) if error.is_of_server() => return Ok(()),
            sent => sent?,
        };
        self.spool = None;
        remove(&self.folder, run);
        Ok(())
    }
}

/// What waits in the spools of a folder: runs, and the stores that they are for.
pub fn spooled(folder: &Path) -> Vec<(String, String)> {
    tokens(folder).unwrap_or_default().into_iter().map(|token| (token.run, token.store)).collect()
}

/// The oldest first.
fn tokens(folder: &Path) -> Result<Vec<Token>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(StoreError::Folder { folder: folder.to_owned(), source }),
    };
    let read = |entry: fs::DirEntry| serde_json::from_slice(&fs::read(entry.path().join(TOKEN)).ok()?).ok();
    let mut tokens: Vec<Token> = entries.flatten().filter_map(read).collect();
    tokens.sort_by(|a, b| a.run.cmp(&b.run));
    Ok(tokens)
}

/// Sends what is in the spools of a folder to the store that it was measured for, the oldest first.
///
/// # Errors
///
/// A folder that can't be read. What can't be sent is told with its run.
pub fn push(folder: &Path, address: &ServerAddress) -> Result<Vec<Pushed>> {
    let mut tokens = tokens(folder)?;
    tokens.retain(|token| token.store == address.to_string());
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    let mut server = PostgresStore::open(address, Access::ReadWrite)?;
    Ok(tokens.iter().map(|token| Pushed { run: token.run.clone(), sent: send(folder, token, &mut server) }).collect())
}

fn send(folder: &Path, token: &Token, server: &mut PostgresStore) -> Result<Copied> {
    let run = token.run.as_str();
    let mut spool = SqliteStore::open(folder.join(run).join(DATABASE), Access::ReadWrite)?;
    let source = spool.run(run)?;
    // A process that still measures sends it itself.
    if source.row.state != RunState::Complete {
        spool.resume_run(run)?;
    }
    server.take_over(run, token.attempt)?;
    let copied = put_all(&spool, server, &source)?;
    server.finish_run_at(run, source.row.state, source.row.finished.as_deref())?;
    drop(spool);
    remove(folder, run);
    Ok(copied)
}

/// All of it is on the server. What can't be removed is sent once more, and found to be there.
fn remove(folder: &Path, run: &str) {
    let _ = fs::remove_dir_all(folder.join(run));
    // The last one takes the folder with it.
    let _ = fs::remove_dir(folder);
}

impl Store for SpooledStore {
    fn begin_run(&mut self, origin: &Origin, request: &str) -> Result<()> {
        self.server.begin_run(origin, request)?;
        self.known = Some((origin.clone(), request.to_owned()));
        Ok(())
    }

    fn resume_run(&mut self, run: &str) -> Result<()> {
        self.server.resume_run(run)?;
        let stored = self.server.run(run)?;
        self.variants = stored.variants.into_iter().map(|variant| (variant.ordinal, variant.variant)).collect();
        self.known = Some((stored.row.origin, stored.request));
        Ok(())
    }

    fn finish_run_at(&mut self, run: &str, state: RunState, finished: Option<&str>) -> Result<()> {
        if self.spool.is_some() {
            self.try_to_send(run, AT_THE_END)?;
        }
        self.keep(run, |store| store.finish_run_at(run, state, finished))
    }

    fn delete_run(&mut self, run: &str) -> Result<()> {
        self.server.delete_run(run)
    }

    fn put_findings(&mut self, run: &str, findings: &[Finding]) -> Result<()> {
        if let Some((origin, _)) = &mut self.known {
            origin.findings = findings.to_vec();
        }
        self.keep(run, |store| store.put_findings(run, findings))
    }

    fn put_failures(&mut self, run: &str, failures: &[Failure]) -> Result<()> {
        self.keep(run, |store| store.put_failures(run, failures))
    }

    fn put_machine(&mut self, run: &str, machine: &BTreeMap<String, String>) -> Result<()> {
        if let Some((origin, _)) = &mut self.known {
            origin.machine = machine.clone();
        }
        self.keep(run, |store| store.put_machine(run, machine))
    }

    fn put_variant(&mut self, run: &str, ordinal: u32, variant: &Variant) -> Result<()> {
        self.keep(run, |store| store.put_variant(run, ordinal, variant))?;
        self.variants.insert(ordinal, variant.clone());
        Ok(())
    }

    fn put_calibration(&mut self, run: &str, variant: &str, calibration: &Calibration) -> Result<()> {
        self.keep(run, |store| store.put_calibration(run, variant, calibration))
    }

    fn put_launches(&mut self, run: &str, launches: &[(&str, &Launch)]) -> Result<()> {
        self.keep(run, |store| store.put_launches(run, launches))
    }

    fn put_outcome(&mut self, run: &str, variant: &str, outcome: &Outcome, summary: Option<&Summary>) -> Result<()> {
        self.keep(run, |store| store.put_outcome(run, variant, outcome, summary))
    }

    fn put_comparison(&mut self, run: &str, ordinal: u32, comparison: &StoredComparison) -> Result<()> {
        self.keep(run, |store| store.put_comparison(run, ordinal, comparison))?;
        self.comparisons.insert(ordinal, comparison.clone());
        Ok(())
    }

    fn put_load(&mut self, run: &str, load: &StoredLoad) -> Result<()> {
        self.keep(run, |store| store.put_load(run, load))
    }

    /// Two machines may count at once: only the server knows the number.
    fn count_comparison(&mut self, session: &str, run: &str) -> Result<u64> {
        self.server.count_comparison(session, run)
    }

    fn spool(&self) -> Option<Spooling<'_>> {
        self.spool.as_ref().map(|_| Spooling { folder: &self.folder, why: &self.why })
    }

    fn load(&self, run: &str) -> Result<Option<StoredLoad>> {
        self.server.load(run)
    }

    fn names(&self) -> Result<Vec<RunName>> {
        self.server.names()
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>> {
        self.server.runs(filter)
    }

    fn run(&self, run: &str) -> Result<StoredRun> {
        self.server.run(run)
    }

    fn comparisons(&self, run: &str) -> Result<Vec<StoredComparison>> {
        self.server.comparisons(run)
    }

    fn launches(&self, run: &str, variant: &str) -> Result<Vec<Launch>> {
        self.server.launches(run, variant)
    }

    fn damaged(&self, run: &str) -> Result<Vec<StoreError>> {
        self.server.damaged(run)
    }

    fn durations(&self, run: &str) -> Result<(String, Vec<(String, u64)>)> {
        self.server.durations(run)
    }

    fn measurement(&self, run: &str, variant: &str) -> Result<Measurement> {
        self.server.measurement(run, variant)
    }

    fn history(&self, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>> {
        self.server.history(case, runtime)
    }

    fn series(&self, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>> {
        self.server.series(case, runtime, limit)
    }

    fn cases(&self) -> Result<Vec<CaseRow>> {
        self.server.cases()
    }

    fn measured_since(&self, since: &str) -> Result<Vec<(String, String)>> {
        self.server.measured_since(since)
    }

    fn unfinished(&self) -> Result<Option<RunRow>> {
        self.server.unfinished()
    }

    fn is_measured(&self, run: &str) -> Result<bool> {
        self.server.is_measured(run)
    }
}
