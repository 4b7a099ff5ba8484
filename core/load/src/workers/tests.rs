//! Workers on a clock of their own: what they did is known to the nanosecond.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tare_frames::{FinishedFrame, Hello, Reply, Request, Slice, WIRE_VERSION, Work, Worked};
use tare_samples::{Failure, FailureKind};
use tare_worker::{Conversation, Session};

use super::{Launch, Outcome, Stage, Target, TeamError, TeamPlan, WorkerId, run};
use crate::plan::Block;
use crate::schedule::{Arrivals, Pace};

mod throughput;

const SECOND: u64 = 1_000_000_000;
const SERVICE: u64 = 100_000;

/// What becomes of the workers of a suite.
#[derive(Debug, Clone, Copy, Default)]
struct Suite {
    /// Whatever is under way or begins between these ends with the second, or a service time later.
    stall: (u64, u64),
    /// This worker can't connect.
    unconnected: Option<u32>,
    /// Nobody can connect again.
    once: bool,
    /// This one dies after three operations.
    mortal: Option<u32>,
    /// Nanoseconds of an operation, times the worker's number and one.
    service: u64,
    /// All workers are as quick as the first.
    even: bool,
    /// Nanoseconds of the operation `put`, where it takes another time.
    put: u64,
    /// This worker's operations fail, each after a microsecond.
    failing: Option<u32>,
    /// The user stops the run at this moment.
    stopped: Option<u64>,
    rss: u64,
}

struct Simulated {
    suite: Suite,
    place: WorkerId,
    replies: VecDeque<Result<Reply, Failure>>,
    stop: Arc<AtomicBool>,
}

impl Simulated {
    fn fails(&self) -> bool {
        self.suite.failing == Some(self.place.worker)
    }

    fn done_at(&self, begin: u64, operation: u64) -> u64 {
        let (from, until) = self.suite.stall;
        let each = if operation == 1 && self.suite.put > 0 { self.suite.put } else { self.suite.service };
        let service = if self.suite.even { each } else { each * u64::from(self.place.worker + 1) };
        let end = begin + if self.fails() { 1000 } else { service };
        if end > from && begin < until { until + self.suite.service } else { end }
    }

    fn work(&mut self, work: &Work) {
        let end = if work.duration > 0 { work.duration } else { u64::MAX };
        let (mut now, mut due) = (0, work.first);
        let (mut begun, mut latencies) = (0u64, Vec::new());
        let mut gaps = work.gaps.iter().cycle();
        let mut pattern = work.pattern.iter().cycle();
        let is_open = !work.gaps.is_empty();
        while (work.count == 0 || begun < work.count) && now < end && !(is_open && due >= end) {
            let intended = if is_open { due } else { now };
            let operation = *pattern.next().unwrap_or(&0);
            now = self.done_at(now.max(intended), operation);
            due += gaps.next().copied().unwrap_or(0);
            begun += 1;
            if self.suite.mortal == Some(self.place.worker) && begun > 3 {
                let failure = Failure::new(FailureKind::Signal, "the process was killed by signal 9 (SIGKILL)", "");
                return self.replies.push_back(Err(failure));
            }
            if self.suite.stopped.is_some_and(|stopped| now > stopped) {
                // What it was about to send is lost.
                let last = latencies.last().map_or(0, |(_, slice, _)| *slice);
                latencies.retain(|(_, slice, _)| *slice < last);
                self.tell(work, latencies);
                return self.replies.push_back(Err(Failure::new(FailureKind::Signal, "killed", "")));
            }
            latencies.push((operation, now / work.slice, now - intended));
        }
        self.tell(work, latencies);
        let mut dropped = 0;
        while is_open && due < end && due <= now {
            due += gaps.next().copied().unwrap_or(1);
            dropped += 1;
        }
        let worked = Worked { id: work.id, operations: begun, ended: now, dropped, ..Worked::default() };
        self.replies.push_back(Ok(Reply::Worked(worked)));
    }

    fn tell(&mut self, work: &Work, latencies: Vec<(u64, u64, u64)>) {
        let mut slices: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
        for (operation, slice, latency) in latencies {
            slices.entry((slice, operation)).or_default().push(latency);
        }
        for ((slice, operation), latencies) in slices {
            let mut told = Slice { id: work.id, operation, slice, ..Slice::default() };
            match self.fails() {
                true => (told.failures, told.failed) = (vec!["Refused".to_owned()], vec![latencies.len() as u64]),
                false => told.latencies = latencies,
            }
            self.replies.push_back(Ok(Reply::Slice(told)));
        }
    }
}

impl Session for Simulated {
    fn receive(&mut self, _: Duration) -> Result<Reply, Failure> {
        let reply = self.replies.pop_front();
        let reply = reply.unwrap_or_else(|| Err(Failure::new(FailureKind::Timeout, "nothing to say", "")));
        if self.suite.stopped.is_some() && reply.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        reply
    }

    fn send(&mut self, request: &Request, _: Duration) -> Result<(), Failure> {
        match request {
            Request::Connect(connect) => {
                self.replies.push_back(match self.suite.unconnected == Some(self.place.worker) {
                    true => Err(Failure::new(FailureKind::Load, "no server there", "")),
                    false => Ok(Reply::Connected { id: connect.id }),
                })
            }
            Request::Stamp { id } => self.replies.push_back(Ok(Reply::Stamped { id: *id, at: 0 })),
            Request::Work(work) => self.work(work),
            other => self
                .replies
                .push_back(Ok(Reply::Finished(FinishedFrame { id: other.id(), ..FinishedFrame::default() }))),
        }
        Ok(())
    }

    fn rss_bytes(&self) -> Option<u64> {
        Some(self.suite.rss)
    }

    fn peak_rss_bytes(&self) -> Option<u64> {
        None
    }

    fn printed(&mut self) -> (String, String) {
        (String::new(), String::new())
    }

    fn close(&mut self) {}
}

#[derive(Default)]
struct Hire {
    suites: Vec<Suite>,
    launched: AtomicU32,
    /// Worker and turn of each launch.
    turns: Mutex<Vec<(u32, u64)>>,
    stop: Arc<AtomicBool>,
}

impl Launch for Hire {
    fn connected(&self, place: WorkerId, turn: u64) -> Result<Conversation, Failure> {
        self.launched.fetch_add(1, Ordering::Relaxed);
        self.turns.lock().unwrap().push((place.worker, turn));
        let hello = Hello {
            wire: WIRE_VERSION,
            language: "simulated".to_owned(),
            version: String::new(),
            sdk: String::new(),
            overlapping: false,
            clocks: vec!["simulated".to_owned()],
            reads: Vec::new(),
            waits: Vec::new(),
            kernels: Vec::new(),
            capabilities: vec!["operations".to_owned()],
            facts: Vec::new(),
        };
        if self.suites[place.target].once && turn > 0 {
            return Err(Failure::new(FailureKind::Load, "the service is gone", ""));
        }
        let replies = VecDeque::from([Ok(Reply::Hello(hello))]);
        let stop = Arc::clone(&self.stop);
        let session = Simulated { suite: self.suites[place.target], place, replies, stop };
        let mut conversation = Conversation::open(Box::new(session), Duration::from_secs(1))?;
        conversation.connect("Suite", (place.worker, place.workers), turn, Duration::from_secs(1))?;
        Ok(conversation)
    }
}

fn plan(workers: u32, pace: Pace, length: Option<Duration>, operations: Option<u64>) -> TeamPlan {
    let block =
        Block { target: 0, round: 0, length, operations, settling: Duration::ZERO, measured: true, renewed: false };
    let operations = vec![(0, "get".to_owned(), 9).into(), (1, "put".to_owned(), 1).into()];
    TeamPlan {
        targets: vec![Target { operations }],
        workers,
        blocks: vec![block],
        pace,
        ramp: Duration::ZERO,
        timeout: Duration::from_secs(10),
        seed: 7,
        begun: Vec::new(),
    }
}

fn done(plan: &TeamPlan, suites: &[Suite]) -> Outcome {
    let hire = Hire { suites: suites.to_vec(), ..Hire::default() };
    run(plan, &hire, Some(1 << 40), &hire.stop, &mut |_| {}).unwrap()
}

/// A store that stands still for 2 s of 20 at 500 operations a second of ten workers. The thousand operations that were due meanwhile have waited, each
/// from when it was due: what a closed loop would tell are ten that took two seconds.
#[test]
fn a_stall_is_in_the_latencies_of_all_that_were_due_meanwhile() {
    let suite = Suite { stall: (5 * SECOND, 7 * SECOND), service: 0, ..Suite::default() };
    let pace = Pace::Open { rate: 500.0, arrivals: Arrivals::Constant };
    let outcome = done(&plan(10, pace, Some(Duration::from_secs(20)), None), &[suite]);
    let target = &outcome.targets[0];
    // Exactly: one every 2 ms from 0 on, those after 5 s and before 7 s end at 7 s, the others at once: what begins at 5 s is over when the store stops.
    let mut expected: Vec<u64> = (0..10_000u64)
        .map(|at| 2_000_000 * at)
        .map(|due| if (5 * SECOND + 1..7 * SECOND).contains(&due) { 7 * SECOND - due } else { 0 })
        .collect();
    expected.sort_unstable();
    let latencies = &target.series.total.latencies;
    assert_eq!(latencies.count(), 10_000);
    assert_eq!(target.series.total.dropped, 0);
    for percentile in [50.0, 89.0, 91.0, 95.0, 99.0, 99.9, 99.99] {
        let rank = (percentile * 100.0_f64).round() as usize - 1;
        let told = latencies.percentile(percentile).unwrap() as f64;
        // Three digits, and one rank: 99.9 % of 10,000 is a little more than 9,990 in binary.
        let (least, most) = (expected[rank] as f64, expected[rank + 1] as f64);
        assert!(
            (0.999 * least - 1.0..=1.001 * most + 1.0).contains(&told),
            "p{percentile}: {told} for {least} to {most}"
        );
    }
    assert!((outcome.blocks[0].in_window - 10_000.0).abs() < 1e-6);
    // The seconds of the stall are seen: nothing ended in them but what began with the first.
    let seconds = target.series.succeeded_by_second(20);
    assert_eq!((seconds[4], seconds[5], seconds[6], seconds[7]), (500, 1, 0, 1499));
}

#[test]
fn in_a_closed_loop_the_same_stall_is_in_one_latency_of_each_worker() {
    let suite = Suite { stall: (5 * SECOND, 7 * SECOND), service: SERVICE, ..Suite::default() };
    let outcome = done(&plan(4, Pace::Closed, Some(Duration::from_secs(8)), None), &[suite]);
    let latencies = &outcome.targets[0].series.total.latencies;
    assert!(latencies.percentile(99.9).unwrap() < SECOND / 1000);
    assert!(latencies.max().unwrap() >= 2 * SECOND);
}

#[test]
fn operations_are_done_in_the_parts_of_the_mix() {
    let outcome = done(&plan(4, Pace::Closed, None, Some(1000)), &[Suite { service: SERVICE, ..Suite::default() }]);
    let counts: Vec<u64> = outcome.targets[0].operations.iter().map(|operation| operation.latencies.count()).collect();
    assert_eq!(counts, [3600, 400]);
}

/// Worker 0 does a thousand operations in 0.1 s, worker 3 in 0.4 s. Together they do 10,000 + 5,000 + 3,333 + 2,500 a second while all of
/// them work.
#[test]
fn throughput_is_that_of_the_common_window() {
    let outcome = done(&plan(4, Pace::Closed, None, Some(1000)), &[Suite { service: SERVICE, ..Suite::default() }]);
    let block = &outcome.blocks[0];
    assert_eq!(block.window, Duration::from_millis(100));
    // The end of a window cuts slices: a few operations more or less.
    assert!((2075.0..=2090.0).contains(&block.in_window), "{}", block.in_window);
}

#[test]
fn a_worker_that_dies_is_told_of_and_the_others_go_on() {
    let suite = Suite { mortal: Some(2), service: SERVICE, ..Suite::default() };
    let outcome = done(&plan(4, Pace::Closed, None, Some(1000)), &[suite]);
    let target = &outcome.targets[0];
    assert_eq!(target.series.total.latencies.count(), 3000);
    assert_eq!(target.ready, 4);
    let [fallen] = target.fallen.as_slice() else { panic!("{:?}", target.fallen) };
    assert_eq!((fallen.worker, fallen.stage, fallen.failure.kind), (2, Stage::Work, FailureKind::Signal));
    assert_eq!(outcome.whole, [false]);
    // 10,000 + 5,000 + 2,500 a second: nothing is put in its place.
    assert!((1745.0..=1755.0).contains(&outcome.blocks[0].in_window), "{}", outcome.blocks[0].in_window);
}

/// Three rounds of three workers, launched anew for the second and the third.
#[test]
fn workers_that_are_launched_anew_go_on_counting_and_one_that_died_is_there_again() {
    let suite = Suite { mortal: Some(2), service: SERVICE, ..Suite::default() };
    let mut plan = plan(3, Pace::Closed, None, Some(1000));
    let first = plan.blocks[0];
    plan.blocks = (0..3).map(|round| Block { round, renewed: round > 0, ..first }).collect();
    let hire = Hire { suites: vec![suite], ..Hire::default() };
    let outcome = run(&plan, &hire, None, &hire.stop, &mut |_| {}).unwrap();
    let target = &outcome.targets[0];
    assert_eq!((target.ready, target.series.total.latencies.count()), (3, 6000));
    assert_eq!((outcome.blocks.len(), outcome.whole), (3, vec![false; 3]));
    let fallen: Vec<(u32, Stage)> = target.fallen.iter().map(|fallen| (fallen.worker, fallen.stage)).collect();
    assert_eq!(fallen, [(2, Stage::Work); 3]);
    let mut turns = hire.turns.into_inner().unwrap();
    turns.sort_unstable();
    let (known, fell): (Vec<_>, Vec<_>) = turns.into_iter().partition(|(worker, _)| *worker < 2);
    assert_eq!(known, [(0, 0), (0, 1000), (0, 2000), (1, 0), (1, 1000), (1, 2000)]);
    // How many it had begun isn't known: far beyond what it can have done.
    assert!(fell.len() == 3 && fell[1].1 > 1_000_000_000 && fell[2].1 > 2 * 1_000_000_000, "{fell:?}");
}

#[test]
fn where_nobody_can_be_launched_any_more_the_load_ends() {
    let suite = Suite { once: true, service: SERVICE, ..Suite::default() };
    let mut plan = plan(1, Pace::Closed, None, Some(10));
    let first = plan.blocks[0];
    plan.blocks = (0..40).map(|round| Block { round, renewed: round > 0, ..first }).collect();
    let hire = Hire { suites: vec![suite], ..Hire::default() };
    let outcome = run(&plan, &hire, None, &hire.stop, &mut |_| {}).unwrap();
    assert!(outcome.blocks.len() == 1 && !outcome.interrupted);
    // The first, and twice in vain.
    assert_eq!(hire.launched.load(Ordering::Relaxed), 3);
}

#[test]
fn a_worker_that_is_not_set_up_is_missing() {
    let suite = Suite { unconnected: Some(1), service: SERVICE, ..Suite::default() };
    let target = &done(&plan(3, Pace::Closed, None, Some(100)), &[suite]).targets[0];
    assert_eq!((target.ready, target.series.total.latencies.count()), (2, 200));
    assert!(matches!(target.fallen.as_slice(), [fallen] if fallen.stage == Stage::SetUp && fallen.worker == 1));
}

#[test]
fn a_rate_that_cannot_be_kept_is_late_and_dropped() {
    // Two workers of 0.1 s and 0.2 s an operation can do 15 a second; 100 are asked for.
    let suite = Suite { service: SECOND / 10, ..Suite::default() };
    let pace = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant };
    let target = &done(&plan(2, pace, Some(Duration::from_secs(10)), None), &[suite]).targets[0];
    let (succeeded, dropped) = (target.series.total.succeeded(), target.series.total.dropped);
    assert_eq!(succeeded + dropped, 1000);
    assert!((150..=153).contains(&succeeded), "{succeeded}");
    // Which operations were dropped is known from the pattern.
    assert_eq!(target.operations.iter().map(|operation| operation.dropped).sum::<u64>(), dropped);
}

#[test]
fn workers_that_do_not_fit_into_memory_are_not_begun() {
    let hire = Hire { suites: vec![Suite { rss: 50_000_000, ..Suite::default() }], ..Hire::default() };
    let plan = plan(1000, Pace::Closed, None, Some(1));
    let refused = run(&plan, &hire, Some(10_000_000_000), &AtomicBool::new(false), &mut |_| {}).unwrap_err();
    assert!(matches!(refused, TeamError::Memory { needed: 50_000_000_000, .. }), "{refused}");
    assert!(refused.to_string().contains("1000 workers don't fit"), "{refused}");
    assert_eq!(hire.launched.load(Ordering::Relaxed), 1);
}

#[test]
fn one_run_goes_on_where_the_other_was_stopped_with_other_keys() {
    let suite = Suite { service: SERVICE, even: true, failing: Some(1), ..Suite::default() };
    let mut first = done(&plan(2, Pace::Closed, None, Some(1000)), &[suite]);
    assert_eq!(first.targets[0].begun, [1000, 1000]);
    let hire = Hire { suites: vec![suite], ..Hire::default() };
    let begun = first.targets.iter().map(|target| target.begun.clone()).collect();
    let rest = TeamPlan { begun, ..plan(2, Pace::Closed, None, Some(500)) };
    let second = run(&rest, &hire, None, &hire.stop, &mut |_| {}).unwrap();
    let mut turns = hire.turns.into_inner().unwrap();
    turns.sort_unstable();
    assert_eq!(turns, [(0, 1000), (1, 1000)]);
    let window = first.blocks[0].window.as_secs() as u32;
    let (rate, ended) = (first.targets[0].throughput(), second.targets[0].series.succeeded_by_second(1)[0]);
    first.append(second);
    let target = &first.targets[0];
    assert_eq!(target.begun, [1500, 1500]);
    assert_eq!((target.series.total.succeeded(), target.series.total.failures.total()), (1500, 1500));
    assert_eq!(target.operations.iter().map(|operation| operation.latencies.count()).sum::<u64>(), 1500);
    assert_eq!(target.series.succeeded_by_second(window + 1)[window as usize], 1000 + ended);
    assert_eq!((first.blocks.len(), &first.whole, &target.fruitless), (2, &vec![false; 2], &[(1, 2)].into()));
    assert!((target.throughput().unwrap() / rate.unwrap() - 1.0).abs() < 1e-9, "both parts are as quick");
}
