//! What workers are to do, and what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use tare_frames::Worked;
use tare_samples::Failure;

use super::window::Turn;
use crate::interval::Interval;
use crate::plan::{Block, BlockResult};
use crate::schedule::Pace;
use crate::series::Series;

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
}

/// One suite on one runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Number, name and weight of its operations; one weight at least is above 0.
    pub operations: Vec<(u64, String, u64)>,
}

/// Where a worker was when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It never worked.
    SetUp,
    /// It had begun to.
    Work,
    /// It had done everything but to clean up.
    CleanUp,
}

/// A worker that failed.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
#[derive(Debug, Clone, Default)]
pub struct Measured {
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
}

impl Measured {
    /// Successes a second of all workers together; `None` for an open loop, and where nothing is known. Where a block has few operations this is nearer to the
    /// truth than the mean of blocks: long operations are seldom, and each has to count with its time among all that took some.
    pub fn throughput(&self) -> Option<f64> {
        let known = self.turns.iter().any(|turn| turn.seconds > 0.0);
        known.then(|| self.turns.iter().map(|turn| turn.rate()).sum())
    }

    /// Counts operations that were due and never begun: the pattern says which those would have been.
    pub(super) fn drop_operations(&mut self, target: &Target, pattern: &[u64], worked: Worked) {
        let length = pattern.len() as u64;
        let each = worked.dropped / length;
        let rest = (worked.operations % length..).take((worked.dropped % length) as usize);
        let rest: Vec<u64> = rest.map(|at| pattern[(at % length) as usize]).collect();
        for (at, (number, ..)) in target.operations.iter().enumerate() {
            let of = |operations: &[u64]| operations.iter().filter(|operation| *operation == number).count() as u64;
            self.operations[at].dropped += each * of(pattern) + of(&rest);
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Measured blocks, in order.
    pub blocks: Vec<BlockResult>,
    /// Whether all workers went through each of them, and all that did operations had success.
    pub whole: Vec<bool>,
    /// By target.
    pub targets: Vec<Measured>,
    /// It was stopped before its end.
    pub interrupted: bool,
}

/// How far a run is.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The block under way.
    pub block: usize,
    /// By target, so far.
    pub targets: &'a [Measured],
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
