//! Answers the requests of the capability `operations` (PROTOCOL §3).

use super::fault::{in_quotes, Fault};
use super::frame::Frame;
use super::json::LARGEST_INTEGER;
use super::operations::{AnySuite, Worker};
use super::request::Request;
use super::sys;
use super::wire::Wire;
use super::work::{self, Order, Surroundings, Tally};
use std::time::Duration;

const MOST_WORKERS: i64 = 100_000;
const SHORTEST_SLICE: i64 = 1_000_000;
const LONGEST_SLICE: i64 = 3_600_000_000_000;
const LONGEST_PATTERN: usize = 100_000;

pub(crate) struct Load {
    suites: Vec<Box<dyn AnySuite>>,
    /// A moment that was chosen once.
    epoch: i64,
    /// Which suite is connected, and the number of its first operation.
    connected: Option<(usize, usize)>,
    worker: Worker,
}

// SAFETY: a suite is touched by the thread that serves the core alone; the lock that the worker is kept under asks for this all the same.
unsafe impl Send for Load {}

pub(crate) fn knows(kind: &str) -> bool {
    matches!(kind, "operations" | "connect" | "stamp" | "work")
}

fn now() -> i64 {
    sys::now() as i64
}

impl Load {
    pub(crate) fn new(suites: Vec<Box<dyn AnySuite>>) -> Self {
        Self { suites, epoch: now(), connected: None, worker: Worker::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.suites.is_empty()
    }

    /// The last reply.
    pub(crate) fn answer(&mut self, request: &Request, is_loaded: bool, wire: &mut Wire) -> Result<Frame, Fault> {
        if request.kind == "stamp" {
            return Ok(Frame::new("stamped", request.id).integer("at", now() - self.epoch));
        }
        if !is_loaded {
            return Err(Fault::bad_request("Operations are known after `load`."));
        }
        match request.kind.as_str() {
            "operations" => Ok(self.list(request.id, wire)),
            "connect" => self.connect(request),
            _ => self.work(request, wire),
        }
    }

    /// What the author wants done after operations.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        match self.connected {
            Some((suite, _)) => self.suites[suite].leave(&self.worker).map_err(|trouble| trouble.0),
            None => Ok(()),
        }
    }

    fn list(&self, id: i64, wire: &mut Wire) -> Frame {
        let mut count = 0;
        for suite in &self.suites {
            for known in suite.known() {
                let frame = Frame::new("operation", id)
                    .integer("operation", count)
                    .text("suite", suite.name())
                    .text("name", &known.name);
                let frame = frame.integer("weight", i64::from(known.weight)).text("file", known.file);
                wire.send(&frame.integer("line", i64::from(known.line)).line());
                count += 1;
            }
        }
        Frame::new("listed", id).integer("operations", count)
    }

    fn connect(&mut self, request: &Request) -> Result<Frame, Fault> {
        let name = request.text("suite")?;
        let workers = request.integer("workers", 1, MOST_WORKERS)?;
        let worker = request.integer("worker", 0, workers - 1)?;
        let turn = request.integer_or("turn", 0)?;
        let Some(place) = self.suites.iter().position(|suite| suite.name() == name) else {
            return Err(Fault::bad_request(format!("There is no suite {}.", in_quotes(name))));
        };
        if self.connected.is_some() {
            return Err(Fault::bad_request("`connect` may come once in a process."));
        }
        self.worker = Worker { number: worker as u64, workers: workers as u64, turn: turn as u64 };
        self.connected = Some((place, self.suites[..place].iter().map(|suite| suite.known().len()).sum()));
        self.suites[place].connect(&self.worker).map_err(|trouble| trouble.0)?;
        Ok(Frame::new("connected", request.id))
    }

    fn work(&mut self, request: &Request, wire: &mut Wire) -> Result<Frame, Fault> {
        let start = request.integer("start", 0, LARGEST_INTEGER)?;
        let pattern = request.integers("pattern", LONGEST_PATTERN)?;
        let gaps = if request.has("gaps") { request.integers("gaps", LONGEST_PATTERN)? } else { &[] };
        let first = request.integer_or("first", 0)?;
        let count = request.integer("count", 0, LARGEST_INTEGER)?;
        let duration = request.integer("duration", 0, LARGEST_INTEGER)?;
        let slice = request.integer("slice", SHORTEST_SLICE, LONGEST_SLICE)?;
        let moves_on = gaps.is_empty() || gaps.iter().any(|gap| *gap > 0);
        if !moves_on || (count == 0 && duration == 0) {
            return Err(Fault::bad_request("The work has no end: `count` and `duration`, or all of `gaps`, are 0."));
        }
        let Some((suite, offset)) = self.connected else {
            return Err(Fault::bad_request("`work` comes after `connect`."));
        };
        let size = self.suites[suite].known().len();
        let place = |number: &i64| {
            usize::try_from(*number).ok().and_then(|number| number.checked_sub(offset)).filter(|place| *place < size)
        };
        let missing = |number: &i64| Fault::bad_request(format!("The suite has no operation {number}."));
        let pattern =
            pattern.iter().map(|number| place(number).ok_or_else(|| missing(number))).collect::<Result<Vec<_>, _>>()?;
        let order = Order { start: start + self.epoch, pattern, gaps: gaps.to_vec(), first, count, duration, slice };
        let mut working =
            Working { suite: self.suites[suite].as_mut(), worker: &mut self.worker, wire, id: request.id, offset };
        let done = work::run(&order, &mut working);
        let frame =
            Frame::new("worked", request.id).integer("operations", done.begun).integer("ended", done.ended.max(0));
        Ok(frame.integer("dropped", done.dropped))
    }
}

struct Working<'a> {
    suite: &'a mut dyn AnySuite,
    worker: &'a mut Worker,
    wire: &'a mut Wire,
    id: i64,
    offset: usize,
}

impl Surroundings for Working<'_> {
    fn now(&self) -> i64 {
        now()
    }

    fn wait_until(&self, at: i64) {
        loop {
            let left = at - now();
            if left <= 0 {
                return;
            }
            std::thread::sleep(Duration::from_nanos(left as u64));
        }
    }

    fn call(&mut self, operation: usize) -> Option<(String, String)> {
        let failure = self.suite.call(operation, self.worker);
        self.worker.turn += 1;
        failure
    }

    fn send(&mut self, operation: usize, slice: i64, tally: &mut Tally) -> bool {
        let mut frame =
            Frame::new("slice", self.id).integer("operation", (self.offset + operation) as i64).integer("slice", slice);
        if tally.late > 0 {
            frame = frame.integer("late", tally.late);
        }
        if !tally.latencies.is_empty() {
            let (values, times) = tally.latencies.take();
            frame = frame.integers("latencies", &values).integers("times", &times);
        }
        if !tally.failures.is_empty() {
            let kinds: Vec<&String> = tally.failures.keys().collect();
            let counts: Vec<i64> = tally.failures.values().map(|told| told.0).collect();
            let messages: Vec<&String> = tally.failures.values().map(|told| &told.1).collect();
            frame = frame.texts("failures", &kinds).integers("failed", &counts).texts("messages", &messages);
        }
        self.wire.send(&frame.line());
        !self.wire.is_closed()
    }
}
