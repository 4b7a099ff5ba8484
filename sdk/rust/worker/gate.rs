//! Threads that begin at the same moment.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Where threads wait for each other, as often as they come to it.
pub(crate) struct Gate {
    parties: usize,
    arrived: AtomicUsize,
    is_open: AtomicBool,
}

impl Gate {
    pub(crate) fn new(parties: usize) -> Self {
        Self { parties, arrived: AtomicUsize::new(0), is_open: AtomicBool::new(false) }
    }

    /// Comes back when all are here, or one of them won't come.
    pub(crate) fn wait(&self) {
        const SPINS: u32 = 1000;
        let place = self.arrived.fetch_add(1, Ordering::AcqRel);
        let wanted = (place / self.parties + 1) * self.parties;
        let mut spins = 0;
        while self.arrived.load(Ordering::Acquire) < wanted && !self.is_open.load(Ordering::Acquire) {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }

    /// From now on nobody waits.
    pub(crate) fn open(&self) {
        self.is_open.store(true, Ordering::Release);
    }
}
