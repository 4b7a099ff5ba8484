use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
pub use tare_results::RunState;
use tare_samples::{Calibration, CountedWork, Failure, Likeness, Memory, Origin, Outcome, Variant};
use tare_statistics::comparison::Comparison;
use tare_statistics::{Estimate, Summary};

/// Which runs are wanted. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs with this tag.
    pub tag: Option<String>,
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

/// What a run can be called by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunName {
    /// Identity of the run.
    pub id: String,
    /// Its tags, in the order in which they were given.
    pub tags: Vec<String>,
}

/// A run without its variants, as a list of runs shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Where its samples come from.
    pub origin: Origin,
    /// How far it has come.
    pub state: RunState,
    /// When it ended, RFC 3339 in UTC; `None` while it is running or when it was killed.
    pub finished: Option<String>,
    /// Cases planned or measured, each once, on however many runtimes, with however many numbers of calls, and whether it is a control or not.
    pub cases: u64,
    /// Variants planned or measured.
    pub variants: u64,
    /// Variants that failed.
    pub failed: u64,
    /// What couldn't be loaded or listed, and has no variant.
    pub failures: Vec<Failure>,
    /// Launches stored, over all variants.
    pub launches: u64,
    /// Comparisons stored.
    pub comparisons: u64,
    /// Of a load: how many targets it has, and how many of them failed. It has no variants.
    pub load: Option<(u64, u64)>,
}

impl RunRow {
    /// How much failed: variants, targets of a load, and what couldn't even be listed.
    pub fn failed_in_all(&self) -> u64 {
        self.load.map_or(self.failed, |(_, failed)| failed) + self.failures.len() as u64
    }
}

/// Concurrent work as it is stored; what is in it, only the caller knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredLoad {
    /// Targets.
    pub targets: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// What its report shows, in JSON; empty while it is under way.
    pub document: String,
    /// Its rounds and seconds.
    pub kept: Vec<u8>,
}

/// A run with its variants, without their samples.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// The run itself.
    pub row: RunRow,
    /// The text given to [`begin_run`](crate::Store::begin_run).
    pub request: String,
    /// Its variants in order.
    pub variants: Vec<StoredVariant>,
    /// Its comparisons in order. One is missing where its document can't be read back, because its shape is another
    /// version's or a figure in it wasn't finite: compute it again from [`launches`](crate::Store::launches).
    pub comparisons: Vec<StoredComparison>,
}

/// What was said of a candidate beside its base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredComparison {
    /// Identity of the variant that it is compared with; in its own run, where stored runs are compared.
    pub base: String,
    /// Identity of the variant that is judged; likewise.
    pub candidate: String,
    /// How: a word of the caller's, such as `live`, `control`, `stored`.
    pub kind: String,
    /// What is compared, as people call it: what the two have in common.
    pub title: String,
    /// What tells the base from the candidate.
    pub base_label: String,
    /// What tells the candidate from the base.
    pub candidate_label: String,
    /// What was found.
    pub comparison: Comparison,
    /// How the machine code of both compares; `None` where nothing is known of it, as in documents of versions that didn't look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_code: Option<Likeness>,
}

/// A variant of a stored run, without its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVariant {
    /// Its place in the run, from 0.
    pub ordinal: u32,
    /// What was measured.
    pub variant: Variant,
    /// What the pilot chose; `None` when it never got that far.
    pub calibration: Option<Calibration>,
    /// How it ended; `None` while it is being measured or when the run was killed.
    pub outcome: Option<Outcome>,
    /// What was said of it. `None` too where the document can't be read back, because its shape is another
    /// version's or a figure in it wasn't finite: compute it again from [`launches`](crate::Store::launches).
    pub summary: Option<Summary>,
    /// Launches stored. A resumed run goes on from here.
    pub launch_count: u64,
    /// The largest of each figure over the launches that have it.
    pub memory: Memory,
}

/// A case on a runtime, over all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseRow {
    /// Identity of the case.
    pub case: String,
    /// Name of the runtime; of sides of a comparison of revisions without the revision's.
    pub runtime: String,
    /// Runs that measured it.
    pub runs: u64,
    /// Start of the newest run that has it, RFC 3339 in UTC.
    pub newest: String,
}

/// One run's result in the history of a case on a runtime.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPoint {
    /// The run.
    pub run: String,
    /// Its start, RFC 3339 in UTC.
    pub started: String,
    /// Its correction policy: points under different policies aren't comparable.
    pub policy: u32,
    /// Identity of the variant in the run; a run that measured the case with several numbers of calls has several.
    pub variant: String,
    /// `ok`, `failed`, `skipped` or `interrupted`; `None` while it is being measured or when the run was killed.
    pub status: Option<String>,
    /// The tared time per call, in nanoseconds; `None` where there is no summary.
    pub time: Option<Estimate>,
}

/// One run of a series: a case measured on a runtime, with launches to be had from
/// [`Store::launches`](crate::Store::launches).
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesRun {
    /// The run.
    pub run: String,
    /// Its start, RFC 3339 in UTC.
    pub started: String,
    /// Its correction policy: runs under different policies aren't comparable.
    pub policy: u32,
    /// What its machine said of itself, by name; runs on the same one share it.
    pub machine: Arc<BTreeMap<String, String>>,
    /// Version control of what was measured: `branch`, `commit`, `dirty`; empty outside a repository. Of a side of a comparison of revisions it is that
    /// revision's (without a branch), and not that of the files beside it.
    pub git: BTreeMap<String, String>,
    /// Whether it is a side of a comparison of revisions: of a commit that may be older than others that were measured before.
    pub side: bool,
    /// Identity of the variant in the run; a run that measured the case with several numbers of calls comes once for each.
    pub variant: String,
    /// Where its Go package lies below the project's root ([`Case::place`](tare_samples::Case::place)): benchmarks of one name in two packages have one identity where
    /// each was run by itself. Empty in other languages, and in runs stored before there was one.
    pub place: String,
    /// The tared time per call, in nanoseconds; `None` where there is no summary.
    pub time: Option<Estimate>,
    /// What its calls execute, without functions; `None` where it wasn't counted.
    pub work: Option<CountedWork>,
}

/// The document of `works`: what a history needs of a count.
pub(crate) fn kept_work(calibration: &Calibration) -> Option<CountedWork> {
    let work = calibration.work.as_ref()?;
    Some(CountedWork {
        launches: work.launches.clone(),
        environment: work.environment.clone(),
        ..CountedWork::default()
    })
}

impl SeriesRun {
    /// Of the runs of a case as they are stored those that a history shows: without what was measured once more as a control. Commits that older versions
    /// abbreviated are written out where another run has the whole of them, so that one commit is called by one name.
    pub(crate) fn shown(mut runs: Vec<Self>, case: &str) -> Vec<Self> {
        runs.retain(|run| !tare_samples::is_control_id(&run.variant, case));
        let whole: BTreeSet<String> = runs
            .iter()
            .filter_map(|run| run.git.get("commit"))
            .filter(|commit| commit.len() >= WHOLE)
            .cloned()
            .collect();
        for commit in runs.iter_mut().filter_map(|run| run.git.get_mut("commit")) {
            let begins = || whole.range(commit.clone()..).take_while(|one| one.starts_with(commit.as_str()));
            if (ABBREVIATED..WHOLE).contains(&commit.len())
                && let (Some(one), 1) = (begins().next().cloned(), begins().take(2).count())
            {
                *commit = one;
            }
        }
        runs
    }
}

/// The machines of a series: many runs, and few machines, each of which is parsed once.
#[derive(Default)]
pub(crate) struct Machines(HashMap<String, Arc<BTreeMap<String, String>>>);

impl Machines {
    /// The machine of that document.
    pub(crate) fn of<E>(
        &mut self,
        json: &str,
        parse: impl FnOnce() -> Result<BTreeMap<String, String>, E>,
    ) -> Result<Arc<BTreeMap<String, String>>, E> {
        if let Some(known) = self.0.get(json) {
            return Ok(Arc::clone(known));
        }
        let machine = Arc::new(parse()?);
        self.0.insert(json.to_owned(), Arc::clone(&machine));
        Ok(machine)
    }
}

/// Digits of a whole commit, and the fewest of an abbreviated one.
const WHOLE: usize = 40;
const ABBREVIATED: usize = 7;
