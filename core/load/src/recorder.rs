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
    /// Connections were opened for a target beside its measured operations: before the start, anew in between, while warming up.
    Connected { target: usize, count: u64 },
    /// A connection couldn't be made before the start, or when all were made anew.
    Unprepared { target: usize, failure: Failure },
}

/// How a block ended in one thread.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    /// Where its window begins: at its start, or when it has settled.
    pub(crate) from: Instant,
    /// Where it ends; `None` where it went on until there was nothing left to begin, or was stopped.
    pub(crate) end: Option<Instant>,
    /// Operations that succeeded, each with the part of its time that lies in the window.
    pub(crate) in_window: f64,
    /// When the last operation began, and when the last one ended; `None` where there was none.
    pub(crate) last: Option<(Instant, Instant)>,
    /// Begin and end of each connection's last operation, where it succeeded.
    pub(crate) tails: Vec<(Instant, Instant)>,
}

/// The part of an operation's time that lies between two instants. Whole operations would be rounded, and alike in every block, since all
/// connections begin together: in 250 ms a service that takes 120 ms ends as many as one that takes 80.
pub(crate) fn share((began, ended): (Instant, Instant), from: Instant, end: Option<Instant>) -> f64 {
    let (begins, ends) = (began.max(from), end.map_or(ended, |end| ended.min(end)));
    match (ended - began).as_secs_f64() {
        whole if whole > 0.0 => ends.saturating_duration_since(begins).as_secs_f64() / whole,
        _ => f64::from(u8::from(ended >= from && end.is_none_or(|end| ended <= end))),
    }
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
    in_window: f64,
    last: Option<(Instant, Instant)>,
    tails: Vec<(Instant, Instant)>,
    /// Connections opened for operations that aren't counted.
    connects: u64,
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
        Self {
            block,
            from,
            end,
            measured,
            second_ends: from + SECOND,
            interval: Box::default(),
            in_window: 0.0,
            last: None,
            tails: Vec::new(),
            connects: 0,
            sender,
        }
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
            self.connects += connects;
            return;
        }
        let (last_began, last_ended) = self.last.unwrap_or((began, now));
        self.last = Some((last_began.max(began), last_ended.max(now)));
        if outcome.is_ok() {
            self.in_window += share((began, now), self.from, self.end);
        }
        if intended < self.from {
            self.connects += connects;
            return;
        }
        if now >= self.second_ends {
            self.roll(now);
        }
        self.interval.connects += connects;
        self.interval.late += u64::from(began - intended > LATE);
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

    /// A connection is through: when its last operation began and ended, if it succeeded.
    pub(crate) fn left(&mut self, last: Option<(Instant, Instant)>) {
        self.tails.extend(last);
    }

    /// The block is over, or was `stopped` before: says what there is, `dropped` among it. Gives the connections that were opened for operations which
    /// aren't counted.
    pub(crate) fn close(mut self, dropped: u64, stopped: bool) -> u64 {
        let end = self.end.filter(|end| !stopped || Instant::now() >= *end);
        self.interval.dropped = if self.measured { dropped } else { 0 };
        let Self { block, from, in_window, last, tails, sender, interval, connects, .. } = self;
        let _ = sender.send(Message::Second { block, interval });
        let _ = sender.send(Message::Block { block, ended: Ended { from, end, in_window, last, tails } });
        connects
    }
}
