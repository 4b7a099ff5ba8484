//! What workers are to do, and what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_frames::Worked;
use tare_samples::Failure;

use super::actor::WorkerId;
use super::window::Turn;
use crate::interval::Interval;
use crate::plan::{Block, BlockResult};
use crate::schedule::Pace;
use crate::series::Series;

/// What the memory that is there may be filled to.
const FILLED: f64 = 0.9;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct TeamPlan {
    /// Those that are under load in turns.
    pub targets: Vec<Target>,
    /// Workers of each, 1 or more.
    pub workers: u32,
    /// In order; `operations` of a block are those of each worker.
    pub blocks: Vec<Block>,
    /// What decides when operations begin; a rate is that of all workers together.
    pub pace: Pace,
    /// Workers begin within this time, one after the other, in blocks that aren't measured.
    pub ramp: Duration,
    /// The longest wait for a worker that has nothing to tell.
    pub timeout: Duration,
    /// Decides the order of operations, and Poisson arrivals.
    pub seed: u64,
    /// Operations that were begun before, by target and worker: their keys aren't used again. Empty where nothing was done before.
    pub begun: Vec<Vec<u64>>,
}

impl TeamPlan {
    pub(super) fn begun_before(&self, place: WorkerId) -> u64 {
        self.begun.get(place.target).and_then(|workers| workers.get(place.worker as usize)).copied().unwrap_or(0)
    }

    /// Whether all workers fit into the bytes that are there, where each takes as much as the first.
    pub(super) fn check_memory(&self, first: Option<u64>, available: Option<u64>) -> Result<(), TeamError> {
        let (Some(each), Some(available)) = (first, available) else { return Ok(()) };
        let workers = u64::from(self.workers) * self.targets.len() as u64;
        let needed = each.saturating_mul(workers);
        // The first is there already.
        if needed.saturating_sub(each) as f64 > FILLED * available as f64 {
            return Err(TeamError::Memory { each, workers, needed, available });
        }
        Ok(())
    }
}

/// One suite on one runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// One weight at least is above 0.
    pub operations: Vec<WeightedOperation>,
}

/// An operation of a suite, and how often it is done. Written as a triple: older versions read it so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, String, u64)", into = "(u64, String, u64)")]
pub struct WeightedOperation {
    /// Its number in the worker's list.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// Beside the weights of the others; 0: never.
    pub weight: u64,
}

impl From<(u64, String, u64)> for WeightedOperation {
    fn from((number, name, weight): (u64, String, u64)) -> Self {
        Self { number, name, weight }
    }
}

impl From<WeightedOperation> for (u64, String, u64) {
    fn from(WeightedOperation { number, name, weight }: WeightedOperation) -> Self {
        (number, name, weight)
    }
}

/// Where a worker was when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// It never worked.
    SetUp,
    /// It had begun to.
    Work,
    /// It had done everything but to clean up.
    CleanUp,
}

/// A worker that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fallen {
    /// Its number.
    pub worker: u32,
    /// Where.
    pub stage: Stage,
    /// Load that its target had been under by then.
    pub at: Duration,
    /// Why.
    pub failure: Failure,
}

/// Memory of a worker after its last block, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerMemory {
    /// Resident.
    pub rss: Option<u64>,
    /// Resident at its peak.
    pub peak_rss: Option<u64>,
    /// By the runtime's account.
    pub runtime: Option<u64>,
    /// Its peak since the set-up; `None` where the runtime can only count from the start of its process.
    pub runtime_peak: Option<u64>,
}

/// What was seen of one target.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TargetMeasurement {
    /// All operations.
    pub series: Series,
    /// Each operation by itself, as in [`Target::operations`].
    pub operations: Vec<Interval>,
    /// By worker.
    pub memory: Vec<Option<WorkerMemory>>,
    /// Workers that failed.
    pub fallen: Vec<Fallen>,
    /// What the first failure of each kind said.
    pub messages: BTreeMap<String, String>,
    /// From each common start to the end of the worker that took longest, all blocks together: what is beyond the common window is in it as well.
    pub whole: Duration,
    /// Workers that were set up.
    pub ready: u32,
    /// Blocks in which a worker did operations and none succeeded, by worker.
    pub fruitless: BTreeMap<u32, u32>,
    /// What each worker did in all blocks together; empty for an open loop.
    pub turns: Vec<Turn>,
    /// Operations that each worker began, before the measurement and in it; of one that failed it isn't known how many, and more than it can have been.
    pub begun: Vec<u64>,
}

impl TargetMeasurement {
    /// Successes a second of all workers together; `None` for an open loop, and where nothing is known. Where a block has few operations this is nearer to the
    /// truth than the mean of blocks: long operations are seldom, and each has to count with its time among all that took some.
    pub fn throughput(&self) -> Option<f64> {
        let known = self.turns.iter().any(|turn| turn.seconds > 0.0);
        known.then(|| self.turns.iter().map(|turn| turn.rate()).sum())
    }

    /// `before`: for how long the target was under load until `other` began.
    fn append(&mut self, other: Self, before: Duration) {
        self.series.append(&other.series, before.as_secs() as u32);
        self.operations.iter_mut().zip(&other.operations).for_each(|(own, other)| own.merge(other));
        self.memory.iter_mut().zip(other.memory).for_each(|(own, other)| *own = other.or(*own));
        self.fallen.extend(other.fallen.into_iter().map(|fallen| Fallen { at: before + fallen.at, ..fallen }));
        for (kind, message) in other.messages {
            self.messages.entry(kind).or_insert(message);
        }
        self.whole += other.whole;
        self.ready = self.ready.max(other.ready);
        other.fruitless.into_iter().for_each(|(worker, blocks)| *self.fruitless.entry(worker).or_default() += blocks);
        self.turns.resize(self.turns.len().max(other.turns.len()), Turn::default());
        self.turns.iter_mut().zip(other.turns).for_each(|(own, other)| own.add(other));
        self.begun = other.begun;
    }

    /// Counts operations that were due and never begun: the pattern says which those would have been.
    pub(super) fn drop_operations(&mut self, target: &Target, pattern: &[u64], worked: Worked) {
        let length = pattern.len() as u64;
        let each = worked.dropped / length;
        let rest = (worked.operations % length..).take((worked.dropped % length) as usize);
        let rest: Vec<u64> = rest.map(|at| pattern[(at % length) as usize]).collect();
        for (at, WeightedOperation { number, .. }) in target.operations.iter().enumerate() {
            let of = |operations: &[u64]| operations.iter().filter(|operation| *operation == number).count() as u64;
            self.operations[at].dropped += each * of(pattern) + of(&rest);
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Measured blocks, in order.
    pub blocks: Vec<BlockResult>,
    /// Whether all workers went through each of them, and all that did operations had success.
    pub whole: Vec<bool>,
    /// By target.
    pub targets: Vec<TargetMeasurement>,
    /// It was stopped before its end.
    pub interrupted: bool,
}

impl Outcome {
    /// Goes on with another run of the same targets and workers: its blocks come after these, its seconds after the time for which each target was under load.
    pub fn append(&mut self, other: Self) {
        let under_load = |target| self.blocks.iter().filter(move |result| result.block.target == target);
        let before = |target| under_load(target).map(|result| result.window).sum::<Duration>();
        let before: Vec<Duration> = (0..self.targets.len()).map(before).collect();
        for ((measured, other), before) in self.targets.iter_mut().zip(other.targets).zip(before) {
            measured.append(other, before);
        }
        self.blocks.extend(other.blocks);
        self.whole.extend(other.whole);
        self.interrupted |= other.interrupted;
    }
}

/// How far a run is.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The block under way.
    pub block: usize,
    /// By target, so far.
    pub targets: &'a [TargetMeasurement],
    /// Since the first measured block began.
    pub elapsed: Duration,
}

/// Why nothing was begun.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The first worker took so much that the others wouldn't fit.
    #[error(
        "{workers} workers don't fit into memory: the first takes {} MB once it is set up, all would take {} MB, and {} MB are free; take fewer (--workers), or one runtime at a time",
        each / 1_000_000, needed / 1_000_000, available / 1_000_000
    )]
    Memory {
        /// Bytes that one takes.
        each: u64,
        /// How many there were to be.
        workers: u64,
        /// Bytes of all of them.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// No thread can be had for a worker.
    #[error("a thread for a worker can't be started: {0}; take fewer workers (--workers)")]
    Thread(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use super::{Target, WeightedOperation};

    /// Stored loads of earlier versions have triples.
    #[test]
    fn an_operation_is_written_as_a_triple() {
        let target = Target { operations: vec![WeightedOperation { number: 3, name: "get".to_owned(), weight: 9 }] };
        let text = r#"{"operations":[[3,"get",9]]}"#;
        assert_eq!(serde_json::to_string(&target).unwrap(), text);
        assert_eq!(serde_json::from_str::<Target>(text).unwrap(), target);
    }
}
