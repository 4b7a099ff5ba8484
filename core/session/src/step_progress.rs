//! How far a step is that isn't timed.

use crate::event::{Event, LookingStep};
use crate::session::Session;

/// Times that a step is told.
const TIMES: usize = 100;

/// A step of looking at so many cases.
pub(crate) struct StepProgress<'a, 's> {
    session: &'a Session<'s>,
    step: LookingStep,
    done: usize,
    of: usize,
    told: usize,
}

impl<'a, 's> StepProgress<'a, 's> {
    /// Tells that the step begins.
    pub(crate) fn begin(session: &'a Session<'s>, step: LookingStep, of: usize) -> Self {
        let begun = Self { session, step, done: 0, of, told: 0 };
        begun.tell();
        begun
    }

    /// So many more are done.
    pub(crate) fn add(&mut self, cases: usize) {
        self.done = (self.done + cases).min(self.of);
        let share = self.done * TIMES / self.of.max(1);
        if share > self.told {
            self.told = share;
            self.tell();
        }
    }

    /// So many more have to be done than was known.
    pub(crate) fn more(&mut self, cases: usize) {
        self.of += cases;
        self.told = self.done * TIMES / self.of.max(1);
    }

    fn tell(&self) {
        if self.of > 0 {
            self.session.emit(&Event::Looking { step: self.step, done: self.done, of: self.of });
        }
    }
}
