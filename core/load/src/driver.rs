//! Runs clients in threads: blocks of one target after the other, each with a common start.
//!
//! Each thread has a runtime of its own and its share of the connections, and nothing is shared on the way of an operation but the
//! count of those that are left. What ended is told once a second.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;

use crate::client::{Client, Clients};
use crate::collect::collect;
use crate::effort::{Effort, Look};
use crate::pacing::{Arriving, Budget, Gate};
use crate::plan::{Outcome, Plan, Progress, next_targets};
use crate::recorder::{Message, Recorder};
use crate::schedule::{Pace, Schedule};
use crate::share::Share;
use crate::timer::Timer;

/// After a connection that failed a connection of a closed loop waits this long, twice as long each time, up to the longest: a server
/// that is gone must not be hammered.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often a stop is looked for while connections wait.
const STOP_EVERY: Duration = Duration::from_millis(50);
/// What is under way gets this long to end when the user stops the run.
const GRACE: Duration = Duration::from_millis(200);

/// Runs a plan; returns when all is done, or soon after `stop` is set.
///
/// # Errors
/// A thread or its runtime can't be had.
pub fn run<C: Clients>(
    plan: &Plan,
    clients: &C,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> std::io::Result<Outcome> {
    run_part(plan, clients, stop, progress, None)
}

/// As [`run`], of one generator of several: `plan` has its own connections, threads and numbers of operations, and its blocks begin when all begin.
///
/// # Errors
/// As [`run`].
pub fn run_part<C: Clients>(
    plan: &Plan,
    clients: &C,
    stop: &Arc<AtomicBool>,
    progress: &mut dyn FnMut(&Progress<'_>),
    part: Option<Part<'_>>,
) -> std::io::Result<Outcome> {
    let shared = Shared::of(plan, Arc::clone(stop), part);
    let (sender, receiver) = channel();
    let runtimes = (0..plan.threads)
        .map(|_| tokio::runtime::Builder::new_current_thread().enable_all().build())
        .collect::<std::io::Result<Vec<_>>>()?;
    let mut outcome = std::thread::scope(|scope| {
        for (thread, runtime) in runtimes.into_iter().enumerate() {
            let (shared, sender) = (&shared, sender.clone());
            scope.spawn(move || {
                let work = work(plan, clients, shared, thread as u32, sender, true);
                LocalSet::new().block_on(&runtime, work);
                // What is left of connections isn't waited for.
                runtime.shutdown_background();
            });
        }
        drop(sender);
        collect(plan, &receiver, stop, progress)
    });
    outcome.effort = *shared.effort.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(outcome)
}

/// One generator of several.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// What of the load is its own.
    pub share: Share,
    /// Who says when blocks begin.
    pub starts: &'a dyn Starts,
}

/// Says when the blocks of several generators begin.
pub trait Starts: Sync {
    /// All connections for the block of this number are made here: waits until that is so everywhere, and gives the moment in which it begins. `None`: nothing
    /// begins any more.
    fn ready(&self, block: usize) -> Option<Instant>;
    /// The block of this number began here at `at`, which was meant to be `meant`.
    fn began(&self, block: usize, meant: Instant, at: Instant);
}

/// What threads agree on.
pub(crate) struct Shared<'a> {
    barrier: Barrier,
    stop: Arc<AtomicBool>,
    /// Of the block that begins, and whether it does.
    start: Mutex<Option<Instant>>,
    budgets: Vec<Budget>,
    /// Of open loops.
    arriving: Vec<Option<Arriving>>,
    effort: Mutex<Effort>,
    starts: Option<&'a dyn Starts>,
}

impl<'a> Shared<'a> {
    fn of(plan: &Plan, stop: Arc<AtomicBool>, part: Option<Part<'a>>) -> Self {
        Self {
            barrier: Barrier::new(plan.threads as usize),
            stop,
            start: Mutex::new(None),
            budgets: plan.blocks.iter().map(|block| Budget::new(block.operations)).collect(),
            arriving: (0..plan.blocks.len())
                .map(|number| arriving(plan, number, part.map(|part| part.share)))
                .collect(),
            effort: Mutex::default(),
            starts: part.map(|part| part.starts),
        }
    }

    #[cfg(test)]
    pub(crate) fn new(plan: &Plan, stop: Arc<AtomicBool>) -> Self {
        Self::of(plan, stop, None)
    }

    /// The common start of the next block; `None` where there is none any more.
    fn start(&self, block: usize) -> Option<Instant> {
        if self.barrier.wait().is_leader() {
            let begins = !self.stop.load(Ordering::Relaxed);
            let start = match self.starts {
                Some(starts) => starts.ready(block).filter(|_| begins),
                None => begins.then(Instant::now),
            };
            if let (Some(starts), Some(start)) = (self.starts, start) {
                wait_until(start);
                starts.began(block, start, Instant::now());
            }
            *self.start.lock().unwrap_or_else(PoisonError::into_inner) = start;
        }
        self.barrier.wait();
        let start = *self.start.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody may set the next one before all have read this one.
        self.barrier.wait();
        start
    }
}

/// Waits for an instant that several machines have agreed on. Nothing is measured yet, so the last part of it may be spun.
fn wait_until(at: Instant) {
    const SPUN: Duration = Duration::from_micros(200);
    loop {
        let left = at.saturating_duration_since(Instant::now());
        match left.checked_sub(SPUN) {
            _ if left.is_zero() => return,
            Some(slept) if !slept.is_zero() => std::thread::sleep(slept),
            _ => std::hint::spin_loop(),
        }
    }
}

fn arriving(plan: &Plan, number: usize, share: Option<Share>) -> Option<Arriving> {
    let Pace::Open { rate, arrivals } = plan.pace else { return None };
    let seed = plan.seed.wrapping_add(number as u64);
    let schedule = Schedule::new(arrivals, rate, 0, 1, seed);
    // A block by itself begins with the first of them.
    let schedule = if plan.targets > 1 { schedule.at_any_phase(seed) } else { schedule };
    Some(Arriving::new(match share {
        Some(share) => schedule.part_of(share),
        None => schedule,
    }))
}

/// What one thread does.
pub(crate) async fn work<C: Clients>(
    plan: &Plan,
    clients: &C,
    shared: &Shared<'_>,
    thread: u32,
    sender: Sender<Message>,
    fine: bool,
) {
    let mine = plan.connections / plan.threads + u32::from(thread < plan.connections % plan.threads);
    let mut idle = Vec::new();
    idle.resize_with(plan.targets, Vec::new);
    for target in next_targets(&plan.blocks) {
        idle[target] = prepared(plan, clients, target, mine, &shared.stop, &sender).await;
    }
    let (mut look, mut connecting) = (None, Duration::ZERO);
    for (number, block) in plan.blocks.iter().enumerate() {
        if block.measured && look.is_none() {
            look = Some(Look::now());
        }
        if block.renewed {
            let begun = Instant::now();
            let order = next_targets(&plan.blocks[number..]);
            // Ended in the order in which they are made: the processes of a server whose connections have just ended are awake, and divide new ones among themselves in other proportions than after a pause.
            order.iter().for_each(|&target| idle[target].clear());
            idle.iter_mut()
                .enumerate()
                .filter(|(target, _)| !order.contains(target))
                .for_each(|(_, rest)| rest.clear());
            for target in order {
                idle[target] = prepared(plan, clients, target, mine, &shared.stop, &sender).await;
            }
            connecting += begun.elapsed();
        }
        let Some(start) = shared.start(number) else { break };
        let end = block.length.map(|length| start + length);
        let open = shared.arriving[number]
            .as_ref()
            .map(|arriving| (arriving.clone(), if fine { Timer::fine() } else { Timer::coarse() }));
        let budget = shared.budgets[number].clone();
        let gate = Rc::new(Gate::new(start, end, budget, Arc::clone(&shared.stop), open));
        let recorder = Recorder::new(number, start + block.settling, end, block.measured, sender.clone());
        let recorder = Rc::new(RefCell::new(recorder));
        let waiting = std::mem::take(&mut idle[block.target]);
        idle[block.target] = keep_busy(waiting, &gate, &recorder, plan.timeout, &shared.stop).await;
        // All that held them have ended.
        let (Ok(gate), Ok(recorder)) = (Rc::try_unwrap(gate).map_err(drop), Rc::try_unwrap(recorder).map_err(drop))
        else {
            continue;
        };
        let dropped = gate.dropped(start + block.settling, Instant::now());
        let count = recorder.into_inner().close(dropped, shared.stop.load(Ordering::Relaxed));
        let _ = sender.send(Message::Connected { target: block.target, count });
    }
    let effort = Effort { connecting, ..look.map_or_else(Effort::default, |look| look.since()) };
    shared.effort.lock().unwrap_or_else(PoisonError::into_inner).add(effort);
}

/// Clients of a target with their connections made, some tens at a time.
async fn prepared<C: Clients>(
    plan: &Plan,
    clients: &C,
    target: usize,
    count: u32,
    stop: &AtomicBool,
    sender: &Sender<Message>,
) -> Vec<C::Client> {
    const AT_ONCE: usize = 64;
    let mut ready = Vec::new();
    let mut making = JoinSet::new();
    let mut failed = false;
    let mut connected = 0;
    for left in (0..count).rev() {
        let mut client = clients.client(target);
        let by = Instant::now() + plan.timeout;
        // Where one can't be made, the others will find out when they need one.
        let skip = failed || stop.load(Ordering::Relaxed);
        making.spawn_local(async move {
            let made = if skip { Ok(()) } else { client.prepare(by).await };
            (client, made)
        });
        while making.len() >= AT_ONCE || left == 0 {
            let Some(done) = making.join_next().await else { break };
            let Ok((mut client, made)) = done else { continue };
            connected += client.take_connects();
            ready.push(client);
            if let Err(failure) = made {
                failed = true;
                let _ = sender.send(Message::Unprepared { target, failure });
            }
        }
    }
    let _ = sender.send(Message::Connected { target, count: connected });
    ready
}

/// Lets clients do one operation after the other until [`Gate::next`] says that there are no more; gives the clients back.
async fn keep_busy<C: Client + 'static>(
    clients: Vec<C>,
    gate: &Rc<Gate>,
    recorder: &Rc<RefCell<Recorder>>,
    timeout: Duration,
    stop: &AtomicBool,
) -> Vec<C> {
    let mut working = JoinSet::new();
    let mut back = Vec::with_capacity(clients.len());
    for client in clients {
        working.spawn_local(operate(client, Rc::clone(gate), Rc::clone(recorder), timeout));
    }
    let mut stopped: Option<Instant> = None;
    loop {
        tokio::select! {
            done = working.join_next() => match done {
                Some(Ok(client)) => back.push(client),
                Some(Err(_)) => {}
                None => return back,
            },
            () = tokio::time::sleep(STOP_EVERY) => {
                if stop.load(Ordering::Relaxed) && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    working.abort_all();
                }
            }
        }
    }
}

/// One connection: does an operation each time the pace allows one. Here a request of a load is timed: `intended` is when it was due, `began` when it
/// began, and `now` is read once its answer is there.
async fn operate<C: Client>(mut client: C, gate: Rc<Gate>, recorder: Rc<RefCell<Recorder>>, timeout: Duration) -> C {
    let mut now = Instant::now();
    let mut pause = FIRST_PAUSE;
    let mut last = None;
    while let Some(intended) = gate.next(&mut now).await {
        let began = now;
        let outcome = client.operate(began + timeout).await;
        now = Instant::now();
        recorder.borrow_mut().ended(intended, began, now, &outcome, client.take_connects());
        last = outcome.is_ok().then_some((began, now));
        match &outcome {
            Err(failure) if failure.connecting && gate.is_closed_loop() => {
                tokio::time::sleep(pause).await;
                pause = (2 * pause).min(LONGEST_PAUSE);
                now = Instant::now();
            }
            Err(_) => {}
            Ok(_) => pause = FIRST_PAUSE,
        }
    }
    recorder.borrow_mut().left(last);
    client
}

#[cfg(test)]
#[path = "driver/tests.rs"]
mod tests;
