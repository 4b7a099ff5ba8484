//! What is to be done under load, and what it gave.

use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::client::Failure;
use crate::effort::Effort;
use crate::schedule::Pace;
use crate::series::{Series, Stretch};

/// One stretch of load on one target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Which target.
    pub target: usize,
    /// Blocks of one round are compared with each other; those of one target in one round are counted together.
    pub round: u32,
    /// No operation begins after this; what is under way is waited for.
    pub length: Option<Duration>,
    /// So many operations, no more.
    pub operations: Option<u64>,
    /// What ends this soon after the start isn't counted as throughput, and operations that are meant to begin as soon aren't at all.
    pub settling: Duration,
    /// It is counted; else it warms up.
    pub measured: bool,
    /// The connections (or workers) of all targets are ended before, and then made anew in the order in which the targets have their next blocks: which of a
    /// server's threads, and which CPU, each falls to is drawn by lot once more, and so is who was first. A server's descriptors of those that were first
    /// are the lowest; `select` looks at them first, and is a few percent quicker where they are the busy ones.
    pub renewed: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How many targets there are.
    pub targets: usize,
    /// Connections (or workers) of each target, 1 or more.
    pub connections: u32,
    /// Threads, from 1 to `connections`.
    pub threads: u32,
    /// What decides when operations begin.
    pub pace: Pace,
    /// The longest an operation may take.
    pub timeout: Duration,
    /// Decides Poisson arrivals.
    pub seed: u64,
    /// In order.
    pub blocks: Vec<Block>,
}

/// What the blocks of one target in one round gave, over all threads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BlockResult {
    /// The first of them, as it was planned.
    pub block: Block,
    /// Everything that ended.
    pub total: Stretch,
    /// Operations that succeeded, each with the part of its time that lies in the window.
    pub in_window: f64,
    /// The windows of all.
    pub window: Duration,
}

impl BlockResult {
    /// Successes a second; 0 where nothing ended.
    pub fn throughput(&self) -> f64 {
        let seconds = self.window.as_secs_f64();
        if seconds > 0.0 { self.in_window / seconds } else { 0.0 }
    }
}

/// What a run gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Measured rounds of each target, in order, those that were cut short included.
    pub blocks: Vec<BlockResult>,
    /// By target.
    pub series: Vec<Series>,
    /// The first failure to connect before the start or when connections were made anew, by target, and how long the target had been under load by then.
    pub unprepared: Vec<Option<(Duration, Failure)>>,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// What the threads did with their time once the first measured block began.
    pub effort: Effort,
}

impl Outcome {
    /// Goes on with another run of as many targets: its rounds come after these, its seconds after the time for which each target was under load.
    pub fn append(&mut self, other: Self) {
        self.series.resize_with(other.series.len().max(self.series.len()), Series::default);
        self.unprepared.resize(self.series.len(), None);
        let under_load = |target| self.blocks.iter().filter(move |result| result.block.target == target);
        let before: Vec<Duration> =
            (0..self.series.len()).map(|target| under_load(target).map(|result| result.window).sum()).collect();
        for (target, series) in other.series.iter().enumerate() {
            self.series[target].append(series, before[target].as_secs() as u32);
        }
        for (target, failure) in other.unprepared.into_iter().enumerate().filter(|(target, _)| *target < before.len()) {
            let own = &mut self.unprepared[target];
            *own = own.take().or(failure.map(|(at, failure)| (before[target] + at, failure)));
        }
        self.blocks.extend(other.blocks);
        self.interrupted |= other.interrupted;
        self.effort.add(other.effort);
    }
}

/// How far a run is, told about once a second.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The block under way.
    pub block: usize,
    /// By target, so far.
    pub series: &'a [Series],
    /// Since the first measured block began.
    pub elapsed: Duration,
}

/// The targets of blocks, each once, in their order.
pub fn next_targets(blocks: &[Block]) -> Vec<usize> {
    let mut targets = Vec::new();
    for block in blocks {
        if !targets.contains(&block.target) {
            targets.push(block.target);
        }
    }
    targets
}
