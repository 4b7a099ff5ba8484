//! Allocations of what is measured, counted where the program's allocator can. Times are taken while nothing is counted.

use std::sync::Mutex;

/// How many allocations a thread has made, and of how many bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    pub count: u64,
    pub bytes: u64,
}

impl Allocations {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { count: self.count.wrapping_add(other.count), bytes: self.bytes.wrapping_add(other.bytes) }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self { count: self.count.wrapping_sub(before.count), bytes: self.bytes.wrapping_sub(before.bytes) }
    }
}

/// An allocator that counts.
#[derive(Clone, Copy)]
pub struct Counter {
    /// Begins to count, or stops.
    pub switch: fn(bool),
    /// Those of the calling thread so far.
    pub read: fn() -> Allocations,
}

static COUNTER: Mutex<Option<Counter>> = Mutex::new(None);

/// Says that the program's allocator counts, before the worker speaks.
pub fn count_by(counter: Counter) {
    *COUNTER.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(counter);
}

pub(crate) fn counter() -> Option<Counter> {
    *COUNTER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
