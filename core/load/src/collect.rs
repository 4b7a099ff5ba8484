//! Puts together what threads tell of their blocks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use tokio::time::Instant;

use crate::interval::Interval;
use crate::plan::{Block, BlockResult, Outcome, Plan, Progress};
use crate::recorder::{Ended, Message, share};
use crate::series::{Series, Stretch};

/// What threads have told of the block under way.
#[derive(Default)]
struct Current {
    number: usize,
    threads: Vec<Ended>,
}

impl Current {
    /// Operations in the window of all threads, and how long that is.
    ///
    /// A block that had an end has its window up to there. One that had none, or was stopped, has it up to where the last operation began:
    /// from there on connections have nothing to do, and the slowest operation would say how fast all others were.
    fn window(&self) -> (f64, Duration) {
        let whole: f64 = self.threads.iter().map(|ended| ended.in_window).sum();
        let Some(from) = self.threads.iter().map(|ended| ended.from).min() else { return (0.0, Duration::ZERO) };
        if let Some(end) = self.threads.iter().map(|ended| ended.end).collect::<Option<Vec<_>>>() {
            let end = end.into_iter().max().unwrap_or(from);
            return (whole, end.saturating_duration_since(from));
        }
        let last = |of: fn(&(Instant, Instant)) -> Instant| {
            self.threads.iter().filter_map(|ended| ended.last.as_ref()).map(of).max().unwrap_or(from)
        };
        let cut = last(|(began, _)| *began);
        let tails: Vec<(Instant, Instant)> =
            self.threads.iter().flat_map(|ended| ended.tails.iter().copied()).collect();
        if whole <= tails.len() as f64 || cut <= from {
            // Hardly more than one operation for each connection: there is nothing better than the time that all of them took.
            return (whole, last(|(_, ended)| *ended).saturating_duration_since(from));
        }
        let beyond: f64 = tails.iter().map(|tail| share(*tail, from, None) - share(*tail, from, Some(cut))).sum();
        (whole - beyond, cut - from)
    }
}

/// What is known of all blocks so far.
struct Collected<'a> {
    plan: &'a Plan,
    /// Where the result of each block belongs.
    places: Vec<usize>,
    results: Vec<Option<BlockResult>>,
    /// How long each target has been under load before the block under way.
    before: Vec<Duration>,
    current: Current,
}

impl Collected<'_> {
    /// The block of this number is under way, the one before is over.
    fn turn_to(&mut self, number: usize) {
        if number == self.current.number {
            return;
        }
        let (in_window, window) = self.current.window();
        let block = &self.plan.blocks[self.current.number];
        if let (true, Some(result)) = (block.measured, &mut self.results[self.places[self.current.number]]) {
            result.in_window += in_window;
            result.window += window;
            self.before[block.target] += window;
        }
        self.current = Current { number, threads: Vec::new() };
    }

    fn add(&mut self, number: usize, interval: &Interval) {
        let block = self.plan.blocks[number];
        let result = self.results[self.places[number]].get_or_insert_with(|| BlockResult {
            block,
            total: Stretch::default(),
            in_window: 0.0,
            window: Duration::ZERO,
        });
        result.total.merge(interval);
    }
}

/// Puts together what threads tell, until the last of them ends.
pub(crate) fn collect(
    plan: &Plan,
    receiver: &Receiver<Message>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Outcome {
    const LOOK_EVERY: Duration = Duration::from_millis(500);
    let mut series = vec![Series::default(); plan.targets];
    let mut unprepared = vec![None; plan.targets];
    let places = places(&plan.blocks);
    let mut collected = Collected {
        plan,
        results: vec![None; places.iter().max().map_or(0, |last| last + 1)],
        places,
        before: vec![Duration::ZERO; plan.targets],
        current: Current::default(),
    };
    let mut begun: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(Message::Second { block: number, mut interval }) => {
                collected.turn_to(number);
                let block = plan.blocks[number];
                if block.measured {
                    interval.second += collected.before[block.target].as_secs() as u32;
                    series[block.target].add(&interval);
                    collected.add(number, &interval);
                    begun.get_or_insert_with(Instant::now);
                }
            }
            Ok(Message::Block { block: number, ended }) => {
                collected.turn_to(number);
                collected.current.threads.push(ended);
            }
            Ok(Message::Unprepared { target, failure }) => {
                let at = collected.before[target];
                unprepared[target].get_or_insert((at, failure));
            }
            Ok(Message::Connected { target, count }) => {
                series[target].total.connects += count;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        progress(&Progress {
            block: collected.current.number,
            series: &series,
            elapsed: begun.map_or(Duration::ZERO, |begun| begun.elapsed()),
        });
    }
    collected.turn_to(plan.blocks.len());
    let blocks = collected.results.into_iter().flatten().collect();
    Outcome { blocks, series, unprepared, interrupted: stop.load(Ordering::Relaxed), ..Outcome::default() }
}

/// Where the result of each block belongs: the blocks of one target in one round go together.
fn places(blocks: &[Block]) -> Vec<usize> {
    let mut seen = HashMap::new();
    let mut place = |block: &Block| {
        let next = seen.len();
        *seen.entry((block.round, block.target, block.measured)).or_insert(next)
    };
    blocks.iter().map(&mut place).collect()
}
