use std::collections::BTreeMap;

use tare_samples::{Calibration, Failure, Finding, Launch, Measurement, Origin, Outcome, Variant};
use tare_statistics::Summary;

use crate::rows::{
    CaseRow, HistoryPoint, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad, StoredRun,
};
use crate::{Result, Spooling, StoreError, name};

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To measure, and to delete: the file and its folder are made where they are missing, and brought up to date.
    ReadWrite,
    /// To look at what was measured: nothing is made or changed.
    ReadOnly,
}

/// A place where runs are kept. What is promised of it stands at the head of the crate.
///
/// `run` is always a whole id; [`resolve`](Self::resolve) makes one of what a person types. Every method fails with
/// [`StoreError::UnknownRun`] or [`StoreError::UnknownVariant`] where there is no such thing, and with what its
/// backend reports: locked, full, read-only, damaged.
pub trait Store: Send {
    /// Stores a new run in state [`RunState::Running`] and holds it until it is finished or the store is dropped.
    /// `request` is what was asked for, in whatever form lets the caller go on with it.
    fn begin_run(&mut self, origin: &Origin, request: &str) -> Result<()>;

    /// Takes up a run that was killed or interrupted: it is [`RunState::Running`] again, and held. Fails with
    /// [`StoreError::InUse`] when another process holds it, with [`StoreError::Complete`] when nothing is left to do.
    fn resume_run(&mut self, run: &str) -> Result<()>;

    /// Says how a run ended and lets go of it. [`RunState::Running`] leaves it unfinished, to be resumed.
    fn finish_run(&mut self, run: &str, state: RunState) -> Result<()> {
        self.finish_run_at(run, state, None)
    }

    /// The same of a run that ended earlier: `finished` is when, RFC 3339 in UTC.
    fn finish_run_at(&mut self, run: &str, state: RunState, finished: Option<&str>) -> Result<()>;

    /// Deletes a run with all that was measured in it. Fails with [`StoreError::InUse`] while it is being measured by
    /// another process.
    fn delete_run(&mut self, run: &str) -> Result<()>;

    /// Stores what may have disturbed a run, in place of what was stored before: what happens while it is measured is known at its
    /// end only.
    fn put_findings(&mut self, run: &str, findings: &[Finding]) -> Result<()>;

    /// Keeps what couldn't be loaded or listed, in place of what was kept before.
    fn put_failures(&mut self, run: &str, failures: &[Failure]) -> Result<()>;

    /// Stores what the machine says of itself, and how it was used, in place of what was stored before.
    fn put_machine(&mut self, run: &str, machine: &BTreeMap<String, String>) -> Result<()>;

    /// Stores a variant at its place in the run, from 0. Storing the same variant at the same place again is allowed,
    /// and changes its description alone.
    fn put_variant(&mut self, run: &str, ordinal: u32, variant: &Variant) -> Result<()>;

    /// Stores what the pilot chose, in place of what it chose before.
    fn put_calibration(&mut self, run: &str, variant: &str, calibration: &Calibration) -> Result<()>;

    /// Stores a launch with all its samples: one transaction, committed before this returns. Fails with
    /// [`StoreError::Duplicate`] when the variant has a launch of that ordinal.
    fn put_launch(&mut self, run: &str, variant: &str, launch: &Launch) -> Result<()> {
        self.put_launches(run, &[(variant, launch)])
    }

    /// Stores a launch of each of several variants, by their ids: all in one transaction, committed before this returns,
    /// or none of them. Fails as [`put_launch`](Self::put_launch) does.
    fn put_launches(&mut self, run: &str, launches: &[(&str, &Launch)]) -> Result<()>;

    /// Stores how measuring a variant ended, in place of an earlier outcome and its summary.
    fn put_outcome(&mut self, run: &str, variant: &str, outcome: &Outcome, summary: Option<&Summary>) -> Result<()>;

    /// Stores a comparison at its place in the run, from 0, instead of one that is there: it is computed, not measured.
    /// Whether the variants that it names exist isn't looked at: a stored run is compared with another one's.
    fn put_comparison(&mut self, run: &str, ordinal: u32, comparison: &StoredComparison) -> Result<()>;

    /// Stores concurrent work, in place of what was stored of it before. A run that has any is a load.
    fn put_load(&mut self, run: &str, load: &StoredLoad) -> Result<()>;

    /// Counts the run among the comparisons of a session, and returns its number there, from 1. No two runs get one number, however many processes
    /// count at once. Counting the session's newest run again gives the same number; deleting a run gives none back.
    fn count_comparison(&mut self, session: &str, run: &str) -> Result<u64>;

    /// Where what can't be sent at the moment is kept, and why; `None` while everything is where it belongs.
    fn spool(&self) -> Option<Spooling<'_>> {
        None
    }

    /// What is stored of a load; `None` of another run.
    fn load(&self, run: &str) -> Result<Option<StoredLoad>>;

    /// What all runs can be called by, newest first.
    fn names(&self) -> Result<Vec<RunName>>;

    /// The runs that the filter lets through, newest first.
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>>;

    /// A run with its variants, without their samples.
    fn run(&self, run: &str) -> Result<StoredRun>;

    /// The comparisons of a run alone, in their order; none of a run that isn't there.
    fn comparisons(&self, run: &str) -> Result<Vec<StoredComparison>>;

    /// The launches of a variant with all their samples, by ordinal.
    fn launches(&self, run: &str, variant: &str) -> Result<Vec<Launch>>;

    /// What of the run's launches isn't what was stored, an error each. Reads every sample, and unpacks none.
    fn damaged(&self, run: &str) -> Result<Vec<StoreError>>;

    /// What was asked for in a run, and how long the launches of each of its cases took, by their ids, in nanoseconds. Reads no samples.
    fn durations(&self, run: &str) -> Result<(String, Vec<(String, u64)>)>;

    /// What is wrong with the store itself, a sentence each, runs left aside. A server looks after its files by itself.
    fn faults(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// A variant and everything that was measured of it. One that never came to an end is [`Outcome::Interrupted`].
    fn measurement(&self, run: &str, variant: &str) -> Result<Measurement>;

    /// The results of a case ([`Case::id`](tare_samples::Case::id)) on a runtime, by its name, over all runs, oldest
    /// first. Empty where there are none.
    fn history(&self, case: &str, runtime: &str) -> Result<Vec<HistoryPoint>>;

    /// The complete runs in which the case was measured on the runtime without failing, oldest first; of more than `limit`
    /// runs the newest. Names as in [`history`](Self::history), which also has runs that failed or were interrupted.
    fn series(&self, case: &str, runtime: &str, limit: Option<usize>) -> Result<Vec<SeriesRun>>;

    /// The cases that were ever measured, by case and runtime.
    fn cases(&self) -> Result<Vec<CaseRow>>;

    /// The cases, each with a name of a runtime as in [`history`](Self::history), of runs that started at that time or later (RFC 3339 in UTC), in order of these
    /// names.
    fn measured_since(&self, since: &str) -> Result<Vec<(String, String)>>;

    /// The newest run in state [`RunState::Running`] that no living process is measuring, loads left out: one that was killed.
    fn unfinished(&self) -> Result<Option<RunRow>>;

    /// Whether a living process measures the run, as far as its lock or lease tells. One in state [`RunState::Running`] that nobody measures was killed.
    fn is_measured(&self, run: &str) -> Result<bool>;

    /// The id of the run that `name` means: an id, `latest`, a tag, a part of an id that no other has; `~N` goes back N runs from
    /// `latest` or a tag. Fails with [`StoreError::Ambiguous`], [`StoreError::TooFarBack`] or
    /// [`StoreError::UnknownRun`], which say what there is.
    fn resolve(&self, name: &str) -> Result<String> {
        name::resolve(name, &self.names()?)
    }
}
