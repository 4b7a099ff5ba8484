//! What a block says of the throughput.
//!
//! A count of the ends in a stretch of time is whole, and workers begin together: operations of 115 and of 128 ms would give the same
//! count in every block of 250 ms. So a worker's time goes with its operations. In a closed loop it is busy from the common start to the end of its last
//! operation, and whether another one begins is known before its length is; then the mean number of operations is the mean time divided by the mean
//! latency, however latencies are distributed and however few there are (Wald's equation; S. Ross, "Stochastic Processes", 1996, §3.3).

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// More operations than these in a slice are as good as evenly spread; of fewer the latencies tell when each ended.
const MANY: u64 = 10;
/// A worker may send a slice in several frames when its buffer is full; what has fewer operations filled none.
const FULL: u64 = 1000;
/// Of an operation: what sums of latencies may be wrong by.
const NOTHING: f64 = 1e-6;

/// What became of a worker in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Fate {
    /// It wasn't there.
    #[default]
    Absent,
    /// It was at work, and still was when the run was stopped.
    Working,
    /// It failed.
    Fell,
    /// It did so many operations, the last of which ended then.
    Done { operations: u64, ended: Duration },
}

/// What ended in a slice.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    number: u64,
    succeeded: u64,
    failed: u64,
    /// Latencies of the successes together, in nanoseconds.
    taken: f64,
}

/// When operations of an open loop were due.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// The first, from the start.
    pub(super) first: Duration,
    /// The one after the last that began.
    pub(super) next: Duration,
}

/// One worker's record of a block.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    slices: Vec<Counted>,
    pub(super) fate: Fate,
    /// In an open loop, of one that is done.
    pub(super) due: Option<Due>,
}

/// A worker's successes and the seconds that they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Operations that succeeded.
    pub succeeded: f64,
    /// Seconds; 0 where nothing is known.
    pub seconds: f64,
}

impl Turn {
    /// Successes a second.
    pub fn rate(self) -> f64 {
        if self.seconds > 0.0 { self.succeeded / self.seconds } else { 0.0 }
    }

    /// Adds another turn of the same worker.
    pub(super) fn add(&mut self, other: Self) {
        self.succeeded += other.succeeded;
        self.seconds += other.seconds;
    }
}

/// How a block was meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) slice: Duration,
    pub(super) settling: Duration,
    /// No operation begins after this.
    pub(super) length: Option<Duration>,
    /// Operations begin when they are due, and a worker may have nothing to do.
    pub(super) open: bool,
    /// What ended while settling is left out; else only its latencies are.
    pub(super) settled: bool,
}

/// What a block gave.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// The common window.
    pub(super) length: Duration,
    /// Of each worker. In an open loop the first has what all did that kept up.
    pub(super) turns: Vec<Turn>,
}

impl Window {
    /// Operations that succeed in the common window at the rates of all workers.
    pub(super) fn succeeded(&self) -> f64 {
        self.turns.iter().map(|turn| turn.rate()).sum::<f64>() * self.length.as_secs_f64()
    }
}

impl Record {
    /// Takes operations that ended in a slice; `taken`: the latencies of those that succeeded, in nanoseconds. Slices come in order.
    pub(super) fn add(&mut self, number: u64, succeeded: u64, failed: u64, taken: f64) {
        if self.slices.last().is_none_or(|last| last.number != number) {
            self.slices.push(Counted { number, ..Counted::default() });
        }
        if let Some(last) = self.slices.last_mut() {
            last.succeeded += succeeded;
            last.failed += failed;
            last.taken += taken;
        }
    }

    /// All that succeeded, all that failed, and the latencies of the first, in nanoseconds.
    fn all(&self) -> (u64, u64, f64) {
        self.slices
            .iter()
            .fold((0, 0, 0.0), |sum, slice| (sum.0 + slice.succeeded, sum.1 + slice.failed, sum.2 + slice.taken))
    }

    /// It did something, and nothing succeeded.
    pub(super) fn is_fruitless(&self) -> bool {
        matches!(self.fate, Fate::Done { operations: 1.., .. }) && self.all().0 == 0
    }

    pub(super) fn ended(&self) -> Option<Duration> {
        match self.fate {
            Fate::Done { ended, .. } => Some(ended),
            _ => None,
        }
    }

    /// Slices of which all is known, from the first on.
    fn whole(&self) -> u32 {
        let known = |last: &Counted| last.number + u64::from(last.succeeded + last.failed < FULL);
        self.slices.last().map_or(0, known) as u32
    }

    /// Successes up to `end`; the slice that it cuts counts in proportion.
    fn succeeded_by(&self, end: f64, slice: f64) -> f64 {
        let part = |counted: &Counted| {
            let begins = counted.number as f64 * slice;
            counted.succeeded as f64 * ((end - begins) / slice).clamp(0.0, 1.0)
        };
        self.slices.iter().map(part).sum()
    }

    /// A closed loop up to the first end of an operation at or after `end`, which is before its last: what succeeded, and when that was.
    fn until(&self, end: f64, slice: f64, ended: f64) -> (f64, f64) {
        let (succeeded, failed, taken) = self.all();
        // What latencies leave of the time went to failures; where there are none, to the loop around operations.
        let (scale, of_failure) = match failed {
            0 if taken > 0.0 => (ended / taken, 0.0),
            0 => (1.0, 0.0),
            failed => (1.0, ((ended - taken) / failed as f64).max(0.0)),
        };
        let (mut counted, mut now) = (0.0, 0.0_f64);
        for each in &self.slices {
            let operations = (each.succeeded + each.failed) as f64;
            let begins = each.number as f64 * slice;
            let (from, to) = if each.succeeded + each.failed < MANY {
                (now, now + each.taken * scale + each.failed as f64 * of_failure)
            } else {
                (now.max(begins), (begins + slice).min(ended))
            };
            let length = (to - from) / operations;
            if to + NOTHING * length >= end {
                let ends = ((end - from) / length - NOTHING).ceil().clamp(1.0, operations);
                return (counted + each.succeeded as f64 * ends / operations, (from + ends * length).max(end));
            }
            counted += each.succeeded as f64;
            now = to;
        }
        (succeeded as f64, ended)
    }

    /// What this worker did of a block whose common window ends at `end`.
    fn turn(&self, end: Duration, shape: &Shape) -> Turn {
        let [end_ns, slice, from] = [end, shape.slice, shape.settling].map(|duration| duration.as_nanos() as f64);
        let (all, failed, _) = self.all();
        let (mut succeeded, mut until) = match self.fate {
            // It was done before: nothing is scaled up.
            Fate::Done { ended, .. } if ended <= end => (all as f64, end_ns),
            // All of it began before the end.
            Fate::Done { ended, .. } if shape.length == Some(end) => (all as f64, ended.as_nanos() as f64),
            Fate::Done { ended, .. } if !shape.open => self.until(end_ns, slice, ended.as_nanos() as f64),
            Fate::Working if !shape.open && failed == 0 => {
                let slices = self.slices.iter().filter(|counted| (counted.number as f64 + 0.5) * slice < end_ns);
                let (count, taken) =
                    slices.fold((0, 0.0), |sum, counted| (sum.0 + counted.succeeded, sum.1 + counted.taken));
                let few = count > 0 && (count as f64) < MANY as f64 * end_ns / slice;
                (count as f64, if few { taken.min(end_ns) } else { end_ns })
            }
            _ => (self.succeeded_by(end_ns, slice), end_ns),
        };
        if shape.settled {
            // One was under way when the settling ended: half of it.
            succeeded = (succeeded - self.succeeded_by(from, slice) - 0.5).max(0.0);
            until -= from;
        }
        Turn { succeeded, seconds: until.max(0.0) / 1e9 }
    }
}

/// What a block gave.
///
/// The common window begins with the block (or the end of its settling) and ends with it, where it has a length; otherwise when the first of those is done
/// of whose operations more succeeded than failed: from there on the others have the machine to themselves. Where the run was stopped it ends with
/// the last slice that is known of all.
pub(super) fn window(records: &[Record], shape: &Shape) -> Window {
    let first_done = |counts: &dyn Fn(u64, u64) -> bool| {
        let done = |record: &&Record| {
            let (succeeded, failed, _) = record.all();
            counts(succeeded, failed)
        };
        records.iter().filter(done).filter_map(Record::ended).min()
    };
    let stopped = records.iter().filter(|record| record.fate == Fate::Working).map(Record::whole).min();
    let end = shape
        .length
        .or_else(|| first_done(&|succeeded, failed| succeeded > failed))
        .or_else(|| first_done(&|succeeded, _| succeeded > 0))
        .or_else(|| first_done(&|_, _| true));
    let end = match (end, stopped.map(|slices| shape.slice * slices)) {
        (Some(end), Some(known)) => end.min(known),
        (Some(end), None) | (None, Some(end)) => end,
        (None, None) => Duration::ZERO,
    };
    let length = end.saturating_sub(shape.settling);
    if length.is_zero() {
        return Window::default();
    }
    let turn = |record: &Record| record.turn(end, shape);
    let turns = if shape.open { scheduled(records, end, shape) } else { records.iter().map(turn).collect() };
    Window { length, turns }
}

/// An open loop. A worker that keeps up does what is due: its operations stand for the time from when the first was due to when the next one would be.
/// Where few are due in a block only all of them together stand for it.
fn scheduled(records: &[Record], end: Duration, shape: &Shape) -> Vec<Turn> {
    let keeps_up = |record: &&Record| match (record.fate, record.due) {
        (Fate::Done { ended, .. }, Some(due)) => ended <= due.next,
        _ => false,
    };
    let (kept, others): (Vec<&Record>, Vec<&Record>) = records.iter().partition(keeps_up);
    let stands = |first: Duration, next: Duration| next.saturating_sub(first).as_secs_f64();
    let succeeded = |record: &Record| record.all().0 as f64;
    let dues = || kept.iter().filter_map(|record| record.due);
    let mut turns = Vec::new();
    if shape.length == Some(end) {
        let first = dues().map(|due| due.first).min().unwrap_or_default();
        let next = dues().map(|due| due.next).min().unwrap_or_default();
        let all = kept.iter().map(|record| succeeded(record)).sum();
        turns.push(Turn { succeeded: all, seconds: stands(first, next) });
    } else {
        let own = |record: &&Record| {
            record.due.map(|due| Turn { succeeded: succeeded(record), seconds: stands(due.first, due.next) })
        };
        turns.extend(kept.iter().filter_map(own));
    }
    let behind = |record: &&Record| {
        let turn = record.turn(end, shape);
        let idle = record.due.map_or(0.0, |due| due.first.as_secs_f64());
        Turn { seconds: (turn.seconds - idle).max(0.0), ..turn }
    };
    turns.extend(others.iter().map(behind));
    turns
}

#[cfg(test)]
#[path = "window/tests.rs"]
mod tests;
