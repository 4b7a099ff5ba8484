//! The gate that each operation passes before it begins: says when, and whether there is another one.

use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
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

    fn left(&self) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |left| left.load(Ordering::Relaxed))
    }
}

/// One thread's gate in one block.
pub(crate) struct Gate {
    pub(crate) start: Instant,
    /// No operation begins from here on.
    pub(crate) end: Option<Instant>,
    pub(crate) budget: Budget,
    pub(crate) stop: Arc<AtomicBool>,
    /// Of an open loop. One connection after the other waits here for the next intended start; the lock is fair, so they come in turn.
    open: Option<Mutex<Turnstile>>,
}

struct Turnstile {
    schedule: Peekable<Schedule>,
    timer: Timer,
}

impl Gate {
    pub(crate) fn new(
        start: Instant,
        end: Option<Instant>,
        budget: Budget,
        stop: Arc<AtomicBool>,
        open: Option<(Schedule, Timer)>,
    ) -> Self {
        let open = open.map(|(schedule, timer)| Mutex::new(Turnstile { schedule: schedule.peekable(), timer }));
        Self { start, end, budget, stop, open }
    }

    /// When the next operation is meant to begin; returns when it has come, with `now` brought up to date. `None`: there is none any more.
    pub(crate) async fn next(&self, now: &mut Instant) -> Option<Instant> {
        let Some(open) = &self.open else {
            return (!self.over(*now) && self.budget.take()).then_some(*now);
        };
        let mut turnstile = open.lock().await;
        let intended = self.start + Duration::from_nanos(*turnstile.schedule.peek()?);
        *now = Instant::now();
        if self.over(intended.max(*now)) || !self.budget.take() {
            return None;
        }
        turnstile.schedule.next();
        if intended > *now {
            turnstile.timer.wait_until(intended).await;
            *now = Instant::now();
        }
        Some(intended)
    }

    pub(crate) fn is_closed_loop(&self) -> bool {
        self.open.is_none()
    }

    fn over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end) || self.stop.load(Ordering::Relaxed)
    }

    /// Operations that were meant to begin before `until` and never did. After the last of them has passed.
    pub(crate) fn dropped(self, until: Instant) -> u64 {
        let Some(open) = self.open else { return 0 };
        let until = self.end.map_or(until, |end| end.min(until)).saturating_duration_since(self.start).as_nanos();
        let due = open.into_inner().schedule.take_while(|at| u128::from(*at) < until);
        due.take(usize::try_from(self.budget.left()).unwrap_or(usize::MAX)).count() as u64
    }
}
