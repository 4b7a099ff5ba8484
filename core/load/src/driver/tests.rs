//! The driver against servers whose time is simulated.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use tokio::task::LocalSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Outcome, Plan, Shared, work};
use crate::client::{Answer, Client, Clients, Failure};
use crate::collect::collect;
use crate::plan::Block;
use crate::schedule::{Arrivals, Pace};

/// A server that takes `service` for each operation and stands still from `pause.0` to `pause.1` after it was first asked.
#[derive(Clone, Copy)]
struct Paused {
    service: Duration,
    pause: (Duration, Duration),
}

struct PausedClient {
    server: Paused,
    start: Rc<Cell<Option<Instant>>>,
}

thread_local! {
    static START: Rc<Cell<Option<Instant>>> = Rc::default();
}

impl Clients for Paused {
    type Client = PausedClient;

    fn client(&self, _: usize) -> PausedClient {
        PausedClient { server: *self, start: START.with(Rc::clone) }
    }
}

impl Client for PausedClient {
    async fn prepare(&mut self, _: Instant) -> Result<(), Failure> {
        Ok(())
    }

    async fn operate(&mut self, by: Instant) -> Result<Answer, Failure> {
        let start = self.start.get().unwrap_or_else(Instant::now);
        self.start.set(Some(start));
        let mut done = Instant::now() + self.server.service;
        let (from, to) = (start + self.server.pause.0, start + self.server.pause.1);
        if done >= from && Instant::now() < to {
            // What was left to do when it stopped is done when it goes on.
            done = to + (done - from.max(Instant::now()));
        }
        sleep_until(done.min(by)).await;
        if done > by { Err(Failure::of("timeout")) } else { Ok(Answer::default()) }
    }
}

fn run(plan: &Plan, clients: &impl Clients) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let shared = Shared::new(plan, Arc::clone(&stop));
    LocalSet::new().block_on(&runtime, work(plan, clients, &shared, 0, sender, false));
    collect(plan, &receiver, &stop, &mut |_| {})
}

fn plan(pace: Pace, connections: u32, blocks: Vec<Block>) -> Plan {
    let timeout = Duration::from_secs(10);
    let targets = blocks.iter().map(|block| block.target + 1).max().unwrap_or(1);
    Plan { targets, connections, threads: 1, pace, timeout, seed: 1, blocks }
}

fn block(target: usize, length: Option<Duration>, operations: Option<u64>) -> Block {
    Block { target, round: 0, length, operations, settling: Duration::ZERO, measured: true, renewed: false }
}

const SECOND: Duration = Duration::from_secs(1);

/// 500 operations a second for 20 s, of which the server is paused for two: 1,000 operations were meant to begin in the pause, at
/// distances of 2 ms, and each waits for its end: 2.000 s, 1.998 s, … Of 10,000 the 500th, 100th and 10th longest are the percentiles 95, 99 and
/// 99.9. A client that counts from when it got round to sending sees ten slow operations, and a p99.9 of 1 ms.
#[test]
fn a_pause_is_seen_by_all_operations_that_were_due_in_it() {
    for arrivals in [Arrivals::Constant] {
        let server = Paused { service: Duration::ZERO, pause: (5 * SECOND, 7 * SECOND) };
        START.with(|start| start.set(None));
        let pace = Pace::Open { rate: 500.0, arrivals };
        let outcome = run(&plan(pace, 10, vec![block(0, Some(20 * SECOND), None)]), &server);
        let total = &outcome.series[0].total;
        assert_eq!((total.succeeded(), total.dropped, total.failures.total()), (10_000, 0, 0));
        let latency = |percentile: f64| total.latencies.percentile(percentile).unwrap() as f64 / 1e9;
        // HDR's three digits: up to 0.1 % above.
        for (percentile, expected) in [(95.0, 1.000), (99.0, 1.800), (99.9, 1.980), (100.0, 2.000)] {
            let found = latency(percentile);
            assert!(found >= expected && found < (expected + 0.002) * 1.001, "p{percentile}: {found}");
        }
        assert!(latency(89.9) < 0.001, "{}", latency(89.9));
        // All but the first ten of the pause began when it was over; those due at its end and later weren't late.
        assert_eq!(total.late, 990);
        let by_second = outcome.series[0].succeeded_by_second(20);
        assert_eq!((by_second[4], by_second[5], by_second[6], by_second[7]), (500, 0, 0, 1500), "{by_second:?}");
    }
}

/// The same queue, worked out by itself: ten servers, first come first served, each operation 8 ms (80 % busy), against the driver.
#[test]
fn a_queue_is_the_one_that_arithmetic_gives() {
    let service = 8_000_000u64;
    let server = Paused { service: Duration::from_nanos(service), pause: (100 * SECOND, 100 * SECOND) };
    START.with(|start| start.set(None));
    let pace = Pace::Open { rate: 1000.0, arrivals: Arrivals::Constant };
    let outcome = run(&plan(pace, 6, vec![block(0, Some(SECOND), None)]), &server);
    // Six connections of 8 ms keep up with 750 of the 1,000 a second.
    let mut free = [0u64; 6];
    let mut latencies = Vec::new();
    for due in (0..1000u64).map(|i| i * 1_000_000) {
        let first = free.iter_mut().min().unwrap();
        let begin = due.max(*first);
        if begin >= 1_000_000_000 {
            break;
        }
        *first = begin + service;
        latencies.push(*first - due);
    }
    let total = &outcome.series[0].total;
    assert_eq!(total.succeeded(), latencies.len() as u64);
    assert_eq!(total.dropped, 1000 - latencies.len() as u64, "what never began is dropped");
    assert!(total.dropped > 200 && total.late > 700, "{} {}", total.dropped, total.late);
    latencies.sort_unstable();
    for percentile in [50.0, 90.0, 99.0, 100.0] {
        let exact = latencies[((percentile / 100.0 * latencies.len() as f64).ceil() as usize).max(1) - 1] as f64;
        let found = total.latencies.percentile(percentile).unwrap() as f64;
        assert!((found / exact - 1.0).abs() < 0.001, "p{percentile}: {found} {exact}");
    }
}

#[test]
fn a_closed_loop_makes_as_many_operations_as_it_was_told() {
    let server = Paused { service: Duration::from_millis(10), pause: (100 * SECOND, 100 * SECOND) };
    for operations in [1, 7, 1000] {
        let outcome = run(&plan(Pace::Closed, 7, vec![block(0, None, Some(operations))]), &server);
        let total = &outcome.series[0].total;
        assert_eq!((total.succeeded(), total.late, total.dropped), (operations, 0, 0));
    }
    let outcome = run(&plan(Pace::Closed, 7, vec![block(0, Some(2 * SECOND), None)]), &server);
    // Each of seven connections fits 200 operations of 10 ms into two seconds.
    assert!((outcome.blocks[0].in_window - 1400.0).abs() < 1e-6, "{}", outcome.blocks[0].in_window);
    assert!((outcome.blocks[0].throughput() - 700.0).abs() < 1e-9);
}

#[test]
fn warm_up_and_settling_are_not_counted_and_targets_are_kept_apart() {
    let server = Paused { service: Duration::from_millis(10), pause: (100 * SECOND, 100 * SECOND) };
    let warm_up = Block { measured: false, ..block(0, Some(SECOND), None) };
    let settled = |round, target| Block { round, settling: SECOND / 2, ..block(target, Some(SECOND), None) };
    let outcome = run(&plan(Pace::Closed, 2, vec![warm_up, settled(0, 1), settled(0, 0), settled(1, 0)]), &server);
    assert_eq!(outcome.blocks.len(), 3);
    assert_eq!(outcome.series[0].total.succeeded(), 200);
    assert_eq!(outcome.series[1].total.succeeded(), 100);
    assert!(outcome.blocks.iter().all(|result| (result.throughput() - 200.0).abs() < 4.0));
}

/// Services that take long beside a block: all connections begin together, so whole operations would be rounded alike in each block, those of
/// 115 and of 128 ms to two, those of 300 ms to none.
#[test]
fn throughput_is_not_rounded_to_whole_operations_of_a_block() {
    let ms = Duration::from_millis;
    for latency in [1, 7, 115, 128, 140, 270, 300, 1000] {
        let server = Paused { service: ms(latency), pause: (10_000 * SECOND, 10_000 * SECOND) };
        let expected = 4.0 / (latency as f64 / 1e3);
        let turn = Block { settling: ms(25), ..block(0, Some(ms(275)), None) };
        let rounds = (0..20).map(|round| Block { round, ..turn }).collect();
        let outcome = run(&plan(Pace::Closed, 4, rounds), &server);
        assert_eq!(outcome.blocks.len(), 20);
        for result in &outcome.blocks {
            assert!((result.throughput() / expected - 1.0).abs() < 1e-9, "{latency} ms: {}", result.throughput());
        }
        let one = run(&plan(Pace::Closed, 4, vec![block(0, Some(10 * SECOND), None)]), &server);
        assert!(
            (one.blocks[0].throughput() / expected - 1.0).abs() < 1e-9,
            "{latency} ms: {}",
            one.blocks[0].throughput()
        );
    }
}

/// The blocks of a target in one round are one result.
#[test]
fn turns_of_a_round_are_counted_together() {
    let server = Paused { service: Duration::from_millis(10), pause: (100 * SECOND, 100 * SECOND) };
    let turn = |round, target| Block { round, ..block(target, Some(SECOND / 10), None) };
    let blocks = vec![turn(0, 0), turn(0, 1), turn(0, 1), turn(0, 0), turn(1, 1), turn(1, 0)];
    let outcome = run(&plan(Pace::Closed, 3, blocks), &server);
    let seen: Vec<_> = outcome
        .blocks
        .iter()
        .map(|result| (result.block.round, result.block.target, result.total.succeeded(), result.window.as_millis()))
        .collect();
    assert_eq!(seen, [(0, 0, 60, 200), (0, 1, 60, 200), (1, 1, 30, 100), (1, 0, 30, 100)]);
    assert_eq!(outcome.series.iter().map(|series| series.total.succeeded()).collect::<Vec<_>>(), [90, 90]);
}

/// One of ten connections meets with an operation of 4 s, while the others do the rest in 1 s: what they did then is their throughput.
#[test]
fn the_slowest_operation_does_not_say_how_fast_all_others_were() {
    struct OneSlow(AtomicBool);
    impl Clients for Arc<OneSlow> {
        type Client = Self;
        fn client(&self, _: usize) -> Self {
            Self::clone(self)
        }
    }
    impl Client for Arc<OneSlow> {
        async fn prepare(&mut self, _: Instant) -> Result<(), Failure> {
            Ok(())
        }
        async fn operate(&mut self, _: Instant) -> Result<Answer, Failure> {
            let slow = self.0.swap(false, Ordering::Relaxed);
            sleep(if slow { 4 * SECOND } else { SECOND / 100 }).await;
            Ok(Answer::default())
        }
    }
    let clients = Arc::new(OneSlow(AtomicBool::new(true)));
    let outcome = run(&plan(Pace::Closed, 10, vec![block(0, None, Some(901))]), &clients);
    let result = &outcome.blocks[0];
    assert_eq!(result.total.succeeded(), 901);
    // Nine connections did 100 each; the last of them began 10 ms before the end.
    assert_eq!(result.window.as_millis(), 990);
    assert!((result.throughput() / (9.0 * 100.0 + 0.25) - 1.0).abs() < 1e-3, "{}", result.throughput());
}

/// In an open loop the window is as long as was asked for, whenever the last arrival was; and short blocks have their share of arrivals.
#[test]
fn few_arrivals_are_counted_over_the_whole_window() {
    let server = Paused { service: Duration::from_millis(1), pause: (10_000 * SECOND, 10_000 * SECOND) };
    let open = |rate| Pace::Open { rate, arrivals: Arrivals::Constant };
    let outcome = run(&plan(open(1.0), 2, vec![block(0, Some(4 * SECOND), None)]), &server);
    assert_eq!((outcome.blocks[0].window, outcome.blocks[0].in_window.round() as u64), (4 * SECOND, 4));
    let turn = |round, target| {
        let settling = SECOND / 40;
        Block { round, settling, ..block(target, Some(SECOND / 4 + settling), None) }
    };
    let blocks: Vec<Block> = (0..800).map(|number| turn(number / 2, number as usize % 2)).collect();
    let outcome = run(&plan(open(2.0), 2, blocks), &server);
    for target in 0..2 {
        let of_target = || outcome.blocks.iter().filter(move |result| result.block.target == target);
        let seconds: f64 = of_target().map(|result| result.window.as_secs_f64()).sum();
        let rate = of_target().map(|result| result.in_window).sum::<f64>() / seconds;
        assert!((seconds - 100.0).abs() < 1e-6, "{seconds}");
        // Four standard errors of 400 coins over 100 s.
        assert!((rate - 2.0).abs() < 0.4, "{rate}");
        assert_eq!(outcome.series[target].total.dropped, 0);
    }
}

/// Never answers, as one that can't be connected to.
struct Absent;

impl Clients for Absent {
    type Client = Self;

    fn client(&self, _: usize) -> Self {
        Self
    }
}

impl Client for Absent {
    async fn prepare(&mut self, _: Instant) -> Result<(), Failure> {
        Err(Failure::with_detail("refused", "nobody listens").while_connecting())
    }

    async fn operate(&mut self, _: Instant) -> Result<Answer, Failure> {
        sleep(Duration::from_micros(1)).await;
        Err(Failure::of("refused").while_connecting())
    }
}

#[test]
fn a_server_that_is_gone_is_not_hammered() {
    let outcome = run(&plan(Pace::Closed, 1, vec![block(0, Some(60 * SECOND), None)]), &Absent);
    let failed = outcome.series[0].total.failures.total();
    // 10 ms, 20 ms, … 640 ms, then one a second.
    assert!((60..=70).contains(&failed), "{failed}");
    assert_eq!(outcome.unprepared[0].as_ref().unwrap().1.detail, "nobody listens");
}

thread_local! {
    /// Who has which of the server's descriptors.
    static DESCRIPTORS: Cell<[Option<usize>; 4]> = const { Cell::new([None; 4]) };
    /// As they were at each operation.
    static SEEN: Cell<Vec<[Option<usize>; 4]>> = const { Cell::new(Vec::new()) };
    /// Of which target a connection was made (true), or ended, one after the other.
    static MADE: Cell<Vec<(bool, usize)>> = const { Cell::new(Vec::new()) };
}

fn note(made: bool, target: usize) {
    let mut all = MADE.take();
    all.push((made, target));
    MADE.set(all);
}

/// A server that gives each connection its lowest descriptor, as the system does.
struct Descriptors;

struct Described {
    target: usize,
    descriptor: Option<usize>,
}

impl Clients for Descriptors {
    type Client = Described;

    fn client(&self, target: usize) -> Described {
        Described { target, descriptor: None }
    }
}

impl Client for Described {
    async fn prepare(&mut self, _: Instant) -> Result<(), Failure> {
        let mut all = DESCRIPTORS.get();
        self.descriptor = all.iter().position(Option::is_none);
        all[self.descriptor.unwrap()] = Some(self.target);
        DESCRIPTORS.set(all);
        note(true, self.target);
        Ok(())
    }

    async fn operate(&mut self, _: Instant) -> Result<Answer, Failure> {
        let mut seen = SEEN.take();
        seen.push(DESCRIPTORS.get());
        SEEN.set(seen);
        sleep(Duration::from_millis(1)).await;
        Ok(Answer::default())
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        if let Some(descriptor) = self.descriptor {
            let mut all = DESCRIPTORS.get();
            all[descriptor] = None;
            DESCRIPTORS.set(all);
            note(false, self.target);
        }
    }
}

/// Who comes first in a round has the lowest descriptors in it: were connections made anew of one target after the other, each would get its own again.
#[test]
fn connections_of_all_targets_are_made_anew_in_the_order_of_their_turns() {
    let orders = [[0, 1], [1, 0], [1, 0], [0, 1]];
    let blocks = orders.iter().enumerate().flat_map(|(round, order)| {
        order.iter().enumerate().map(move |(at, &target)| Block {
            round: round as u32,
            renewed: round > 0 && at == 0,
            ..block(target, None, Some(2))
        })
    });
    run(&plan(Pace::Closed, 2, blocks.collect()), &Descriptors);
    let seen = SEEN.take();
    let lowest: Vec<[usize; 4]> = seen.iter().map(|all| all.map(Option::unwrap)).collect();
    let expected = orders.iter().flat_map(|[first, second]| vec![[*first, *first, *second, *second]; 4]);
    assert_eq!(lowest, expected.collect::<Vec<_>>());
    // Ended in the order in which they are made anew: who comes second has them open for longer, whichever target it is.
    let of = |made: bool, order: [usize; 2]| order.into_iter().flat_map(move |target| [(made, target); 2]);
    let mut changes: Vec<(bool, usize)> = of(true, orders[0]).collect();
    for order in &orders[1..] {
        changes.extend(of(false, *order).chain(of(true, *order)));
    }
    let made = MADE.take();
    assert_eq!(made[..changes.len()], changes);
}
