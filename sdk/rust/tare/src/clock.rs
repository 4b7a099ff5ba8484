//! Clocks for programs that ask for the time often: read once in each turn of a loop, or set by hand in a test.
//!
//! ```
//! use tare::clock::{Clock, TickClock, WallClock};
//! let clock = TickClock::new(WallClock);
//! let ticks = clock.ticks(); // outside of ticks again when this is dropped
//! for _turn in 0..3 {
//!     ticks.tick();
//!     assert_eq!(clock.now(), clock.now());
//! }
//! ```
//!
//! `docs/tick-clock.md` has the contract and what it costs.

use std::cell::Cell;
use std::ops::{Add, Sub};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

/// Tells the time.
pub trait Clock {
    /// What it tells.
    type Time: Copy;

    /// Now.
    fn now(&self) -> Self::Time;
}

impl<C: Clock + ?Sized> Clock for &C {
    type Time = C::Time;

    fn now(&self) -> Self::Time {
        (**self).now()
    }
}

/// The system's date, which may be set back. Every call reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl Clock for WallClock {
    type Time = SystemTime;

    #[inline]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Never goes back. Every call reads the monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    type Time = Instant;

    #[inline]
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// Reads its source at each [`tick`](TickClock::tick), once for each turn of a loop.
///
/// - Within a tick every `now` gives the same instant.
/// - It is read by `tick`, so it is never older than the tick.
/// - Before the first `tick` and after `end` every `now` is a fresh one.
/// - Where the source panics, so does `tick`, and the clock is outside a tick.
/// - It belongs to one thread: another one makes its own.
pub struct TickClock<C: Clock> {
    source: C,
    held: Cell<Option<C::Time>>,
}

impl<C: Clock> TickClock<C> {
    /// A clock outside of ticks.
    pub const fn new(source: C) -> Self {
        Self { source, held: Cell::new(None) }
    }

    /// A turn of the loop begins: reads the source.
    #[inline]
    pub fn tick(&self) {
        // Also where the source panics, what the last tick has held is gone.
        self.held.set(None);
        self.held.set(Some(self.source.now()));
    }

    /// The loop is left: every `now` is a fresh one until the next `tick`.
    #[inline]
    pub fn end(&self) {
        self.held.set(None);
    }

    /// A scope that holds a loop: `end` when it is dropped, by a panic too.
    pub fn ticks(&self) -> Ticks<'_, C> {
        Ticks { clock: self }
    }
}

impl<C: Clock> Clock for TickClock<C> {
    type Time = C::Time;

    #[inline]
    fn now(&self) -> C::Time {
        match self.held.get() {
            Some(held) => held,
            None => self.source.now(),
        }
    }
}

/// Ticks of one loop.
pub struct Ticks<'a, C: Clock> {
    clock: &'a TickClock<C>,
}

impl<C: Clock> Ticks<'_, C> {
    /// A turn of the loop begins.
    #[inline]
    pub fn tick(&self) {
        self.clock.tick();
    }
}

impl<C: Clock> Drop for Ticks<'_, C> {
    fn drop(&mut self) {
        self.clock.end();
    }
}

/// Stands still until it is moved: for tests. Any thread may use it. `T` is `SystemTime` or `Instant`, say.
#[derive(Debug)]
pub struct ManualClock<T = SystemTime> {
    shows: Mutex<T>,
}

impl<T: Copy + Ord + Add<Duration, Output = T> + Sub<Duration, Output = T>> ManualClock<T> {
    /// A clock that shows this.
    pub const fn new(now: T) -> Self {
        Self { shows: Mutex::new(now) }
    }

    /// Lets time pass.
    pub fn advance(&self, passed: Duration) {
        self.change(|shows| shows + passed);
    }

    /// Lets time pass until the clock shows this.
    ///
    /// # Panics
    /// Where it shows more already: time doesn't go back; [`step_back`](ManualClock::step_back) is for a clock that is set back.
    pub fn set(&self, now: T) {
        assert!(now >= self.now(), "set would take the clock back; step_back does so on purpose");
        self.change(|_| now);
    }

    /// The clock is set back.
    pub fn step_back(&self, by: Duration) {
        self.change(|shows| shows - by);
    }

    fn change(&self, change: impl FnOnce(T) -> T) {
        let mut shows = self.shows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *shows = change(*shows);
    }
}

impl<T: Copy> Clock for ManualClock<T> {
    type Time = T;

    fn now(&self) -> T {
        *self.shows.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
