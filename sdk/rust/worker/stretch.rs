//! What the timed samples of a run took, with everything that stands between them (PROTOCOL §4, `samples`).

use super::sys;

/// Read around the samples, never within one. Nothing is allocated.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stretch {
    begun: Option<(u64, u64, u64)>,
    /// Nanoseconds of the monotonic clock, from before the first timed sample to after the last one; nanoseconds of CPU time in it, of all
    /// threads; how often the measuring thread gave up the CPU by itself in it. `None` where the system can't tell.
    pub(crate) taken: Option<(u64, u64, u64)>,
}

impl Stretch {
    /// The clock is read last, and in `end` first: what the other readings cost isn't in the wall time.
    pub(crate) fn begin(&mut self) {
        self.begun =
            sys::voluntary_switches().map(|yields| (yields, sys::nanoseconds(sys::CLOCK_PROCESS_CPUTIME), sys::now()));
    }

    pub(crate) fn end(&mut self) {
        let wall = sys::now();
        let ended = sys::voluntary_switches().map(|yields| (yields, sys::nanoseconds(sys::CLOCK_PROCESS_CPUTIME)));
        self.taken = match (self.begun, ended) {
            // Times of threads on several CPUs are added up one after the other: the sum may be read a little early.
            (Some(begun), Some((yields, cpu))) => {
                Some((wall.saturating_sub(begun.2), cpu.saturating_sub(begun.1), yields.saturating_sub(begun.0)))
            }
            _ => None,
        };
    }
}
