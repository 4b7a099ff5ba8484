//! What surrounds the timed parts of a sample: other threads are waited for, allocations counted, and what other processes took of the CPU is found.

use super::driver::Driver;
use super::gate::Gate;
use super::heap::{Allocations, Counter};
use super::stretch::Stretch;
use super::watch::Watch;

/// Calls of a batch, at the least, around which the counters are read: what the system does for that makes the first call after it longer, by some 25 ns behind a set-up of
/// 1 ms.
const LEAST_CALLS: u64 = 64;

/// A sample's watch, with what is done before and after each of its parts.
#[derive(Clone)]
pub(crate) struct Around<'a> {
    pub(crate) watch: Watch,
    pub(crate) gate: Option<&'a Gate>,
    pub(crate) counter: Option<Counter>,
    pub(crate) allocated: Allocations,
    /// What its parts took; `None` where they are too short for readings of their own.
    pub(crate) stretch: Option<Stretch>,
}

impl Around<'_> {
    pub(crate) fn part(&mut self, timed: impl FnOnce(&mut Watch)) {
        if let Some(gate) = self.gate {
            gate.wait();
        }
        match self.counter {
            Some(counter) => {
                let before = (counter.read)();
                timed(&mut self.watch);
                self.allocated = self.allocated.plus((counter.read)().since(before));
            }
            None => match &mut self.stretch {
                // Set-ups take most of a turn as often as not, and are interrupted like the rest: only what was taken of the parts is the sample's.
                Some(stretch) => {
                    let mut part = Stretch::default();
                    part.begin();
                    timed(&mut self.watch);
                    part.end();
                    stretch.add(&part);
                }
                None => timed(&mut self.watch),
            },
        }
    }
}

impl Driver {
    pub(crate) fn around(&self) -> Around<'static> {
        Around {
            watch: self.watch(),
            gate: None,
            counter: self.counter,
            allocated: Allocations::default(),
            stretch: None,
        }
    }

    /// The same for a sample in batches: of so many calls, what others take of each is found.
    pub(crate) fn around_batches(&self, batch: impl Fn(u64) -> u64) -> Around<'static> {
        let is_long = batch(self.fewest_calls()) >= LEAST_CALLS;
        Around { stretch: is_long.then(Stretch::default), ..self.around() }
    }

    /// The sample is what was timed there.
    pub(crate) fn keep_around(&mut self, around: &Around<'_>) {
        self.keep_allocated(around.allocated);
        if let Some(stretch) = around.stretch.as_ref().filter(|_| self.is_timed()) {
            self.stretch.add(stretch);
        }
        self.keep_parts(&around.watch);
    }
}
