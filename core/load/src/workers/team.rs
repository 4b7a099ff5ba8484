//! All workers of all targets through all blocks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tare_frames::{Slice, Work};

use super::actor::{Event, Launch, Order, WorkerId, serve};
use super::order::{due, lead, ramped, slice_of, work};
use super::plan::{Fallen, Outcome, Progress, Stage, Target, TargetMeasurement, TeamError, TeamPlan, WorkerMemory};
use super::window::{Fate, Record, Shape, Turn, window};
use crate::interval::Interval;
use crate::plan::{Block, BlockResult, next_targets};
use crate::schedule::Pace;
use crate::series::Stretch;

/// How often a stop is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Operations a worker and settling from which on what ended while settling is left out of the throughput. Of fewer each counts with its own time, and none
/// can be left out without a choice by its length.
const SETTLED: u32 = 100;
/// How many operations a worker had begun when it failed isn't known: no more than so many in a block, and the next one mustn't use their keys again.
const UNKNOWN: u64 = 1 << 32;
/// What the first failure of a kind said is kept of so many kinds.
const MESSAGES: usize = 64;

struct Member {
    place: WorkerId,
    orders: Option<Sender<Order>>,
    pid: Option<u32>,
    ready: bool,
    busy: bool,
    /// It was set up once, at the least.
    seen: bool,
    /// Operations that were begun in its place, in all its processes.
    begun: u64,
}

/// The block under way.
struct Current {
    number: usize,
    slice: Duration,
    begun: Instant,
    records: Vec<Record>,
    works: Vec<Work>,
}

struct Team<'a> {
    plan: &'a TeamPlan,
    members: Vec<Member>,
    events: Receiver<(WorkerId, Event)>,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(&Progress<'_>),
    outcome: Outcome,
    current: Option<Current>,
    /// How long each target has been under load before the block under way.
    before: Vec<Duration>,
    begun: Option<Instant>,
    scratch: Interval,
    /// Of the block under way, all together.
    total: Interval,
    /// Operations before the measurement by target, and the time that they took of their workers.
    warmed: Vec<(u64, Duration)>,
    cpus: u32,
    /// The number of the block under way, or of the one before.
    block: usize,
    /// How many times in succession nobody of a target could be launched anew.
    in_vain: usize,
    /// What the worker took that was ready last, in bytes.
    last_rss: Option<u64>,
}

/// Runs a plan; returns when all is done, or soon after `stop` is set. `available`: bytes of memory that may be taken, where that is
/// known.
///
/// # Errors
/// [`TeamError`].
pub fn run<L: Launch>(
    plan: &TeamPlan,
    launch: &L,
    available: Option<u64>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<Outcome, TeamError> {
    std::thread::scope(|scope| {
        let (sender, events) = channel();
        let mut team = Team::new(plan, events, stop, progress);
        let hire = |team: &mut Team<'_>, place: WorkerId| {
            let (orders, receiver) = channel();
            let begun = plan.begun_before(place);
            team.members.push(Member {
                place,
                orders: Some(orders),
                pid: None,
                ready: false,
                busy: true,
                seen: false,
                begun,
            });
            let sender = sender.clone();
            let deadline = plan.timeout;
            std::thread::Builder::new()
                .spawn_scoped(scope, move || serve(launch, (place, begun), deadline, &receiver, &sender))
                .map(drop)
        };
        let mut places = (0..plan.targets.len())
            .flat_map(|target| (0..plan.workers).map(move |worker| WorkerId { target, worker, workers: plan.workers }));
        // The first by itself: what it takes, the others will.
        if let Some(first) = places.next() {
            hire(&mut team, first)?;
            team.wait();
            plan.check_memory(team.last_rss, available)?;
        }
        for place in places {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            hire(&mut team, place)?;
        }
        drop(sender);
        team.wait();
        for number in 0..plan.blocks.len() {
            let block = team.plan.blocks[number];
            if team.is_over(&block) {
                break;
            }
            if block.renewed {
                team.renew(&next_targets(&plan.blocks[number..]));
            }
            team.block(number);
        }
        team.finish();
        team.members.iter().for_each(|member| team.outcome.targets[member.place.target].begun.push(member.begun));
        Ok(team.outcome)
    })
}

impl<'a> Team<'a> {
    fn new(
        plan: &'a TeamPlan,
        events: Receiver<(WorkerId, Event)>,
        stop: &'a AtomicBool,
        progress: &'a mut dyn FnMut(&Progress<'_>),
    ) -> Self {
        let measured = |target: &Target| TargetMeasurement {
            operations: vec![Interval::default(); target.operations.len()],
            memory: vec![None; plan.workers as usize],
            ..TargetMeasurement::default()
        };
        let outcome = Outcome { targets: plan.targets.iter().map(measured).collect(), ..Outcome::default() };
        Self {
            plan,
            members: Vec::new(),
            events,
            stop,
            progress,
            outcome,
            current: None,
            before: vec![Duration::ZERO; plan.targets.len()],
            begun: None,
            scratch: Interval::default(),
            total: Interval::default(),
            warmed: vec![(0, Duration::ZERO); plan.targets.len()],
            cpus: std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32),
            block: 0,
            in_vain: 0,
            last_rss: None,
        }
    }

    /// Whether nothing can be done any more: nobody is left, and those that could be launched anew failed the last times.
    fn is_over(&self, next: &Block) -> bool {
        let hopeless = !next.renewed || self.in_vain > 1;
        self.outcome.interrupted || (hopeless && self.members.iter().all(|member| !member.ready))
    }

    /// Ends all workers and launches them anew, one target after the other: how their memory is laid out, and which of a server's threads they fall to,
    /// is drawn once more, and so is who connected first.
    fn renew(&mut self, targets: &[usize]) {
        self.finish();
        for target in targets {
            for member in self.members.iter_mut().filter(|member| member.place.target == *target) {
                let order = Order::Begin { turn: member.begun };
                member.busy = member.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
            }
            self.wait();
        }
        self.in_vain = if self.members.iter().any(|member| member.ready) { 0 } else { self.in_vain + 1 };
    }

    /// Waits until nobody is busy. When the user stops the run, ends all that are.
    fn wait(&mut self) {
        while self.members.iter().any(|member| member.busy) {
            if self.stop.load(Ordering::Relaxed) && !std::mem::replace(&mut self.outcome.interrupted, true) {
                self.kill();
            }
            match self.events.recv_timeout(LOOK_EVERY) {
                Ok((place, event)) => self.take(place, event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.report_progress();
        }
    }

    fn report_progress(&mut self) {
        let elapsed = self.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        // Between two blocks, as while workers are launched anew, it is the last one.
        self.block = self.current.as_ref().map_or(self.block, |current| current.number);
        (self.progress)(&Progress { block: self.block, targets: &self.outcome.targets, elapsed });
    }

    fn kill(&self) {
        let pids = self.members.iter().filter(|member| member.busy).filter_map(|member| member.pid);
        for pid in pids.filter_map(|pid| Pid::from_raw(pid as i32)) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    fn take(&mut self, place: WorkerId, event: Event) {
        let at = place.target * self.plan.workers as usize + place.worker as usize;
        let measured = &mut self.outcome.targets[place.target];
        let member = &mut self.members[at];
        match event {
            Event::Slice(slice) => return self.slice(place, &slice),
            Event::Ready { pid, rss } => {
                measured.ready += u32::from(!std::mem::replace(&mut member.seen, true));
                (member.ready, member.pid, self.last_rss) = (true, pid, rss);
            }
            Event::Synchronised => {}
            Event::Worked { worked, rss, peak_rss } => {
                let memory = WorkerMemory {
                    rss,
                    peak_rss,
                    runtime: worked.runtime_bytes,
                    runtime_peak: worked.runtime_peak_bytes,
                };
                measured.memory[place.worker as usize] = Some(memory);
                member.begun += worked.operations;
                if let Some(current) = &mut self.current {
                    let (record, work) =
                        (&mut current.records[place.worker as usize], &current.works[place.worker as usize]);
                    let ended = Duration::from_nanos(worked.ended);
                    record.fate = Fate::Done { operations: worked.operations, ended };
                    record.due = due(work, worked.operations);
                    if self.plan.blocks[current.number].measured {
                        measured.drop_operations(&self.plan.targets[place.target], &work.pattern, worked);
                        measured.series.total.dropped += worked.dropped;
                    } else {
                        let (operations, time) = &mut self.warmed[place.target];
                        (*operations, *time) = (*operations + worked.operations, *time + ended);
                    }
                }
            }
            Event::Fell(failure) => {
                let stage = if member.ready { Stage::Work } else { Stage::SetUp };
                let at =
                    self.before[place.target] + self.current.as_ref().map_or(Duration::ZERO, |it| it.begun.elapsed());
                // What was stopped hasn't fallen.
                self.outcome.interrupted |= self.stop.load(Ordering::Relaxed);
                if !self.outcome.interrupted {
                    measured.fallen.push(Fallen { worker: place.worker, stage, at, failure });
                    if let Some(current) = &mut self.current {
                        current.records[place.worker as usize].fate = Fate::Fell;
                    }
                }
                (member.ready, member.begun) = (false, member.begun + UNKNOWN);
            }
            Event::Finished(failure) => {
                if let (Some(failure), false) = (failure, self.outcome.interrupted) {
                    let at = self.before[place.target];
                    measured.fallen.push(Fallen { worker: place.worker, stage: Stage::CleanUp, at, failure });
                }
                (member.ready, member.pid) = (false, None);
            }
        }
        member.busy = false;
    }

    fn slice(&mut self, place: WorkerId, slice: &Slice) {
        let Some(current) = &mut self.current else { return };
        let block = &self.plan.blocks[current.number];
        let target = &self.plan.targets[place.target];
        let named = target.operations.iter().position(|operation| operation.number == slice.operation);
        let (Some(operation), true) = (named, block.measured) else { return };
        let begins = current.slice.mul_f64(slice.slice as f64);
        let latencies = || slice.latencies.iter().zip(slice.times.iter().copied().chain(std::iter::repeat(1)));
        let taken = latencies().map(|(latency, times)| *latency as f64 * times as f64).sum();
        let succeeded = latencies().map(|(_, times)| times).sum();
        let record = &mut current.records[place.worker as usize];
        record.add(slice.slice, succeeded, slice.failed.iter().sum(), taken);
        if begins + current.slice <= block.settling {
            return;
        }
        let measured = &mut self.outcome.targets[place.target];
        let since = self.before[place.target] + begins.saturating_sub(block.settling);
        self.scratch.reuse(u32::try_from(since.as_secs()).unwrap_or(u32::MAX));
        for (latency, times) in latencies() {
            self.scratch.latencies.record_n(*latency, times);
        }
        for (at, (kind, count)) in slice.failures.iter().zip(&slice.failed).enumerate() {
            self.scratch.failures.add(kind.clone(), *count);
            let message = slice.messages.get(at).filter(|message| !message.is_empty());
            if let Some(message) = message.filter(|_| measured.messages.len() < MESSAGES) {
                measured.messages.entry(kind.clone()).or_insert_with(|| message.clone());
            }
        }
        self.scratch.late = slice.late;
        measured.series.add(&self.scratch);
        measured.operations[operation].merge(&self.scratch);
        self.total.merge(&self.scratch);
    }

    fn block(&mut self, number: usize) {
        let block = self.plan.blocks[number];
        for member in self.members.iter_mut().filter(|member| member.place.target == block.target && member.ready) {
            member.busy = member.orders.as_ref().is_some_and(|orders| orders.send(Order::Synchronise).is_ok());
        }
        self.wait();
        if self.outcome.interrupted {
            return;
        }
        let slice = slice_of(&block);
        let works: Vec<Work> = (0..self.plan.workers).map(|worker| work(self.plan, number, worker, slice)).collect();
        let lead = lead(&works, self.plan.workers, self.cpus);
        let mut records = vec![Record::default(); self.plan.workers as usize];
        self.total.reuse(0);
        let start = Instant::now() + lead;
        if block.measured {
            self.begun.get_or_insert(start);
        }
        for member in self.members.iter_mut().filter(|member| member.place.target == block.target && member.ready) {
            let work = &works[member.place.worker as usize];
            let longest_gap = work.gaps.iter().copied().max().unwrap_or(0).max(work.first);
            let patience = self.plan.timeout + lead + slice + Duration::from_nanos(longest_gap) + self.plan.ramp;
            let shift = ramped(self.plan, &block, member.place.worker);
            let order = Order::Work { start: start + shift, work: Box::new(work.clone()), patience };
            member.busy = member.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
            if member.busy {
                records[member.place.worker as usize].fate = Fate::Working;
            }
        }
        let there = records.iter().any(|record| record.fate == Fate::Working);
        self.current = Some(Current { number, slice, begun: start, records, works });
        self.wait();
        let Some(current) = self.current.take() else { return };
        if block.measured && there {
            self.close(&block, &current);
        }
    }

    /// Takes what a measured block gave.
    fn close(&mut self, block: &Block, current: &Current) {
        let open = self.plan.pace != Pace::Closed;
        let settled = !open && self.settles(block);
        let shape = Shape { slice: current.slice, settling: block.settling, length: block.length, open, settled };
        let window = window(&current.records, &shape);
        self.before[block.target] += window.length;
        let measured = &mut self.outcome.targets[block.target];
        measured.whole += current.records.iter().filter_map(Record::ended).max().unwrap_or(window.length);
        if !open {
            measured.turns.resize(current.records.len(), Turn::default());
            measured.turns.iter_mut().zip(&window.turns).for_each(|(all, turn)| all.add(*turn));
        }
        let fruitless = |(_, record): &(u32, &Record)| record.is_fruitless();
        for (worker, _) in (0..).zip(&current.records).filter(fruitless) {
            *measured.fruitless.entry(worker).or_default() += 1;
        }
        let whole = |record: &Record| matches!(record.fate, Fate::Done { .. }) && !record.is_fruitless();
        self.outcome.whole.push(current.records.iter().all(whole));
        let mut total = Stretch::default();
        total.merge(&self.total);
        let in_window = window.succeeded();
        self.outcome.blocks.push(BlockResult { block: *block, total, in_window, window: window.length });
    }

    /// Whether operations are so short that what ended while settling can be left out: known from the warm-up, so that no block is judged by itself.
    fn settles(&self, block: &Block) -> bool {
        let short = |(operations, time): &(u64, Duration)| {
            *operations > 0 && time.div_f64(*operations as f64) * SETTLED <= block.settling
        };
        !block.settling.is_zero() && self.warmed.iter().all(short)
    }

    fn finish(&mut self) {
        for member in &mut self.members {
            member.busy = member.ready && member.orders.as_ref().is_some_and(|orders| orders.send(Order::End).is_ok());
        }
        self.wait();
    }
}
