//! What surrounds the timed parts of a sample: other threads are waited for, and allocations counted.

use super::driver::Driver;
use super::gate::Gate;
use super::heap::{Allocations, Counter};
use super::watch::Watch;

/// A sample's watch, with what is done before and after each of its parts.
#[derive(Clone)]
pub(crate) struct Around<'a> {
    pub(crate) watch: Watch,
    pub(crate) gate: Option<&'a Gate>,
    pub(crate) counter: Option<Counter>,
    pub(crate) allocated: Allocations,
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
            None => timed(&mut self.watch),
        }
    }
}

impl Driver {
    pub(crate) fn around(&self) -> Around<'static> {
        Around { watch: self.watch(), gate: None, counter: self.counter, allocated: Allocations::default() }
    }

    /// The sample is what was timed there.
    pub(crate) fn keep_around(&mut self, around: &Around<'_>) {
        self.keep_allocated(around.allocated);
        self.keep_parts(&around.watch);
    }
}
