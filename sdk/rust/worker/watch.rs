//! Parts of a sample, timed.

use super::clock::Clock;

/// Times a part of a sample, and other parts after it. Each `start` reads the clock twice, so that what a reading costs is known in the place where it is made: of several parts, all but one of
/// these costs are taken off, and the sample has one left as every other has. An interruption between the two isn't the clock's cost: what is four times the least and more counts as the least.
#[derive(Clone)]
pub struct Watch {
    clock: Clock,
    begun: u64,
    least: u64,
    weighed: u64,
    ticks: u64,
    parts: u64,
}

impl Watch {
    #[inline(always)]
    pub fn start(&mut self) {
        let first = self.clock.read();
        self.begun = self.clock.read();
        let cost = self.begun.wrapping_sub(first);
        self.least = self.least.min(cost);
        self.weighed += if cost / 4 >= self.least { self.least } else { cost };
    }

    #[inline(always)]
    pub fn stop(&mut self) {
        self.ticks += self.clock.read().wrapping_sub(self.begun);
        self.parts += 1;
    }

    /// One that has timed nothing.
    pub(crate) fn new(clock: Clock) -> Self {
        Watch { clock, begun: 0, least: u64::MAX, weighed: 0, ticks: 0, parts: 0 }
    }

    /// Another one of the same clock.
    pub(crate) fn another(&self) -> Self {
        Watch::new(self.clock)
    }

    /// How many parts it has timed.
    pub(crate) fn parts(&self) -> u64 {
        self.parts
    }

    pub(crate) fn taken(&self) -> u64 {
        let surplus = (self.weighed as f64 * (1.0 - 1.0 / self.parts.max(1) as f64) + 0.5) as u64;
        self.ticks.saturating_sub(surplus)
    }
}
