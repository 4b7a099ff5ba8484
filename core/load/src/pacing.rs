//! The pace of a load: when each operation is meant to begin (at once in a closed loop, at its scheduled time in an open one), and when there are no more.

use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::schedule::Schedule;
use crate::timer::Timer;

/// Operations that are left, shared by threads; without a limit there are always more.
#[derive(Debug, Clone)]
pub(crate) struct Budget(Option<Arc<AtomicU64>>);

impl Budget {
    pub(crate) fn new(operations: Option<u64>) -> Self {
        Self(operations.map(|operations| Arc::new(AtomicU64::new(operations))))
    }

    /// Takes one, if there is one.
    fn take(&self) -> bool {
        let one_less = |left: u64| left.checked_sub(1);
        self.0.as_ref().is_none_or(|left| left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok())
    }
}

/// The intended starts of an open loop, shared by threads: whichever connection is free takes the next, on whichever thread it is.
#[derive(Debug, Clone)]
pub(crate) struct Arriving(Arc<Mutex<Peekable<Schedule>>>);

impl Arriving {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Self(Arc::new(Mutex::new(schedule.peekable())))
    }

    fn schedule(&self) -> MutexGuard<'_, Peekable<Schedule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells the connections of one thread when their next operation begins, within one block.
pub(crate) struct Gate {
    pub(crate) start: Instant,
    /// No operation begins from here on.
    pub(crate) end: Option<Instant>,
    pub(crate) budget: Budget,
    pub(crate) stop: Arc<AtomicBool>,
    /// Of an open loop.
    open: Option<Turnstile>,
}

struct Turnstile {
    arriving: Arriving,
    /// One connection of this thread after the other waits here for the next intended start; the lock is fair, so they come in turn.
    timer: tokio::sync::Mutex<Timer>,
}

impl Gate {
    pub(crate) fn new(
        start: Instant,
        end: Option<Instant>,
        budget: Budget,
        stop: Arc<AtomicBool>,
        open: Option<(Arriving, Timer)>,
    ) -> Self {
        let open = open.map(|(arriving, timer)| Turnstile { arriving, timer: tokio::sync::Mutex::new(timer) });
        Self { start, end, budget, stop, open }
    }

    /// When the next operation is meant to begin; returns when it has come, with `now` brought up to date. `None`: there is none any more.
    pub(crate) async fn next(&self, now: &mut Instant) -> Option<Instant> {
        let Some(open) = &self.open else {
            return (!self.over(*now) && self.budget.take()).then_some(*now);
        };
        let mut timer = open.timer.lock().await;
        let intended = self.claim(&open.arriving, now)?;
        if intended > *now {
            timer.wait_until(intended).await;
            *now = Instant::now();
        }
        Some(intended)
    }

    /// Takes the next intended start, if there is one.
    fn claim(&self, arriving: &Arriving, now: &mut Instant) -> Option<Instant> {
        let mut schedule = arriving.schedule();
        let intended = self.start + Duration::from_nanos(*schedule.peek()?);
        *now = Instant::now();
        if self.over(intended.max(*now)) || !self.budget.take() {
            return None;
        }
        schedule.next();
        Some(intended)
    }

    pub(crate) fn is_closed_loop(&self) -> bool {
        self.open.is_none()
    }

    fn over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end) || self.stop.load(Ordering::Relaxed)
    }

    /// Operations that were meant to begin from `from` to `until` and never did. Each is told to one thread only.
    pub(crate) fn dropped(self, from: Instant, until: Instant) -> u64 {
        let Some(open) = self.open else { return 0 };
        let until = self.end.map_or(until, |end| end.min(until)).saturating_duration_since(self.start).as_nanos();
        let from = from.saturating_duration_since(self.start).as_nanos();
        let mut schedule = open.arriving.schedule();
        let mut dropped = 0;
        while schedule.peek().is_some_and(|at| u128::from(*at) < until) && self.budget.take() {
            dropped += schedule.next().map_or(0, |at| u64::from(u128::from(at) >= from));
        }
        dropped
    }
}
