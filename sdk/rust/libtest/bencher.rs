//! What a benchmark's function is given.

use crate::worker::Driver;
use std::fmt;
use std::ptr::NonNull;

/// Times a routine. Functions name it without a lifetime, so the turn that it belongs to is a pointer.
pub struct Bencher {
    driver: NonNull<Driver>,
    /// What one call processes; 0 where it isn't told.
    pub bytes: u64,
}

impl fmt::Debug for Bencher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bencher").field("bytes", &self.bytes).finish()
    }
}

impl Bencher {
    pub fn iter<T, F>(&mut self, inner: F)
    where
        F: FnMut() -> T,
    {
        // SAFETY: `run` lends a driver that outlives this, nobody else can make a bencher, and it can't be cloned.
        unsafe { self.driver.as_mut() }.time_within(inner);
    }
}

/// Calls a benchmark's function for a turn.
pub(crate) fn run(driver: &mut Driver, bench: fn(&mut Bencher) -> Result<(), String>) -> Result<(), String> {
    let mut bencher = Bencher { driver: NonNull::from(&mut *driver), bytes: 0 };
    let result = bench(&mut bencher);
    // It may be set before the loop and behind it.
    let bytes = bencher.bytes;
    if bytes > 0 {
        driver.each_processes("bytes", bytes);
    }
    result
}
