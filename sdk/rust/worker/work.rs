//! Operations, one after the other: each as soon as the one before has ended (closed loop), or when it is due (open loop).

use super::frame::cut;
use super::latencies::Latencies;
use std::collections::BTreeMap;

/// What a `work` request asks for; nanoseconds.
pub(crate) struct Order {
    pub(crate) start: i64,
    /// Numbers of operations of the suite.
    pub(crate) pattern: Vec<usize>,
    /// Empty: closed loop.
    pub(crate) gaps: Vec<i64>,
    pub(crate) first: i64,
    pub(crate) count: i64,
    pub(crate) duration: i64,
    pub(crate) slice: i64,
}

/// What ended of one operation in one slice.
pub(crate) struct Tally {
    pub(crate) latencies: Latencies,
    pub(crate) late: i64,
    /// By kind: how often, and what the first one said.
    pub(crate) failures: BTreeMap<String, (i64, String)>,
}

/// What the work needs of its surroundings.
pub(crate) trait Surroundings {
    /// Nanoseconds.
    fn now(&self) -> i64;
    fn wait_until(&self, at: i64);
    /// Kind and message of the operation's failure.
    fn call(&mut self, operation: usize) -> Option<(String, String)>;
    /// Sends a tally that isn't empty, and says whether anybody reads it.
    fn send(&mut self, operation: usize, slice: i64, tally: &mut Tally) -> bool;
}

/// What was done.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) begun: i64,
    pub(crate) ended: i64,
    pub(crate) dropped: i64,
}

/// An operation that begins more nanoseconds after it was meant to is late.
const LATE: i64 = 1_000_000;
// After so many failures in succession a closed loop that has an end in time waits before each other one, twice as long each time: what is gone isn't hammered.
const PATIENCE: u32 = 10;
const FIRST_WAIT: i64 = 10_000_000;
const LONGEST_WAIT: i64 = 1_000_000_000;

/// When the operations of an open loop are due.
struct Dues<'a> {
    gaps: &'a [i64],
    next: usize,
    due: i64,
}

impl Dues<'_> {
    fn advance(&mut self) {
        self.due += self.gaps[self.next];
        self.next = (self.next + 1) % self.gaps.len();
    }
}

pub(crate) fn run(order: &Order, around: &mut impl Surroundings) -> Done {
    let mut done = Done::default();
    let mut tallies: BTreeMap<usize, Tally> = BTreeMap::new();
    for operation in &order.pattern {
        tallies.entry(*operation).or_insert_with(|| Tally {
            latencies: Latencies::new(),
            late: 0,
            failures: BTreeMap::new(),
        });
    }
    let is_open = !order.gaps.is_empty();
    let end = if order.duration > 0 { order.start.saturating_add(order.duration) } else { i64::MAX };
    let mut left = if order.count > 0 { order.count } else { i64::MAX };
    let mut dues = Dues { gaps: &order.gaps, next: 0, due: order.start + order.first };
    let (mut slice, mut slice_ends) = (0, order.start + order.slice);
    let (mut failing, mut pause, mut at) = (0, FIRST_WAIT, 0);
    around.wait_until(order.start);
    let mut now = around.now();
    while left > 0 && now < end && !(is_open && dues.due >= end) {
        let mut intended = 0;
        if is_open {
            if dues.due > now {
                around.wait_until(dues.due);
            }
            intended = dues.due;
            dues.advance();
        }
        let operation = order.pattern[at];
        at = (at + 1) % order.pattern.len();
        left -= 1;
        let began = around.now();
        let failure = around.call(operation);
        now = around.now();
        done.begun += 1;
        if now >= slice_ends {
            if !tell(&mut tallies, slice, around) {
                break;
            }
            slice = (now - order.start) / order.slice;
            slice_ends = order.start + (slice + 1) * order.slice;
        }
        let latency = now - if is_open { intended } else { began };
        let is_done = failure.is_none();
        if let Some(tally) = tallies.get_mut(&operation) {
            match failure {
                None => tally.latencies.record(latency.max(0) as u64),
                Some((kind, message)) => fail(tally, &kind, &message),
            }
            tally.late += i64::from(is_open && began - intended > LATE);
        }
        done.ended = now - order.start;
        if is_done {
            (failing, pause) = (0, FIRST_WAIT);
        } else {
            failing += 1;
            if failing >= PATIENCE && !is_open && order.duration > 0 {
                around.wait_until(end.min(now + pause));
                pause = LONGEST_WAIT.min(2 * pause);
                now = around.now();
            }
        }
    }
    tell(&mut tallies, slice, around);
    while is_open && left > 0 && dues.due < end && dues.due <= now {
        done.dropped += 1;
        left -= 1;
        dues.advance();
    }
    done
}

fn fail(tally: &mut Tally, kind: &str, message: &str) {
    const KINDS: usize = 32;
    let kind = cut(kind, 100);
    let is_known = tally.failures.contains_key(kind) || tally.failures.len() < KINDS;
    let told = tally.failures.entry(if is_known { kind } else { "other" }.to_owned()).or_default();
    told.0 += 1;
    if told.0 == 1 {
        told.1 = cut(message, 200).to_owned();
    }
}

fn tell(tallies: &mut BTreeMap<usize, Tally>, slice: i64, around: &mut impl Surroundings) -> bool {
    let mut is_read = true;
    for (operation, tally) in tallies {
        if !tally.latencies.is_empty() || !tally.failures.is_empty() {
            is_read = around.send(*operation, slice, tally) && is_read;
            tally.late = 0;
            tally.failures.clear();
        }
    }
    is_read
}
