//! What one thread writes down while operations end. Allocates only when a second is over.

use std::sync::mpsc::Sender;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::{Answer, Failure};
use crate::interval::Interval;

/// An operation that began more than this after its intended start is late.
pub const LATE: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// What threads send.
#[derive(Debug)]
pub(crate) enum Message {
    /// A second of a block is over.
    Second { block: usize, interval: Box<Interval> },
    /// A thread is through with a block.
    Block { block: usize, ended: Ended },
    /// A connection couldn't be made before the start.
    Unprepared { target: usize, failure: Failure },
}

/// How a block ended in one thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// Operations that succeeded within the window.
    pub(crate) in_window: u64,
    /// The window: from the start (or the end of the settling) to the end of the block, or to the last operation's end.
    pub(crate) window: Duration,
}

/// One thread's record of one block.
pub(crate) struct Recorder {
    block: usize,
    /// Operations that were meant to begin before aren't counted.
    from: Instant,
    end: Option<Instant>,
    measured: bool,
    second_ends: Instant,
    interval: Box<Interval>,
    in_window: u64,
    last: Instant,
    sender: Sender<Message>,
}

impl Recorder {
    pub(crate) fn new(
        block: usize,
        from: Instant,
        end: Option<Instant>,
        measured: bool,
        sender: Sender<Message>,
    ) -> Self {
        let interval = Box::default();
        Self { block, from, end, measured, second_ends: from + SECOND, interval, in_window: 0, last: from, sender }
    }

    /// An operation ended.
    pub(crate) fn ended(
        &mut self,
        intended: Instant,
        began: Instant,
        now: Instant,
        outcome: &Result<Answer, Failure>,
        connects: u64,
    ) {
        if !self.measured {
            return;
        }
        // Whatever ends in the window was worked on at its rate, even if it began before.
        self.in_window += u64::from(outcome.is_ok() && now >= self.from && self.end.is_none_or(|end| now <= end));
        if intended < self.from {
            return;
        }
        if now >= self.second_ends {
            self.roll(now);
        }
        self.interval.connects += connects;
        self.interval.late += u64::from(began - intended > LATE);
        self.last = now;
        match outcome {
            Ok(answer) => {
                self.interval.latencies.record((now - intended).as_nanos() as u64);
                self.interval.bytes += answer.bytes;
                if let Some(status) = answer.status {
                    self.interval.statuses.add(status);
                }
            }
            Err(failure) => {
                self.interval.failures.add(failure.kind.clone(), 1);
                if let Some(status) = failure.status {
                    self.interval.statuses.add(status);
                }
            }
        }
    }

    fn roll(&mut self, now: Instant) {
        let past = (now - self.second_ends).as_secs();
        let next = Interval { second: self.interval.second + 1 + past as u32, ..Interval::default() };
        self.second_ends += SECOND * (1 + past as u32);
        let interval = std::mem::replace(&mut self.interval, Box::new(next));
        let _ = self.sender.send(Message::Second { block: self.block, interval });
    }

    /// The block is over: says what there is, `dropped` among it.
    pub(crate) fn close(mut self, dropped: u64) {
        // A block that was stopped ended now.
        let window_ends = self.end.map_or(self.last, |end| end.min(Instant::now()).max(self.from));
        let ended = Ended { in_window: self.in_window, window: window_ends - self.from };
        self.interval.dropped = if self.measured { dropped } else { 0 };
        let _ = self.sender.send(Message::Second { block: self.block, interval: self.interval });
        let _ = self.sender.send(Message::Block { block: self.block, ended });
    }
}
