//! What the timed samples of a run took, with everything that stands between them (PROTOCOL §4, `samples`).

use super::sys;

/// Read around the samples, never within a part that is timed. Nothing is allocated.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stretch {
    /// It consists of parts, what stands between them is somebody else's.
    is_of_parts: bool,
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
        if self.is_of_parts {
            return;
        }
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

    /// One more part. What its readings cost is CPU time beyond its wall time, and would hide what others took in another part.
    pub(crate) fn add(&mut self, part: &Stretch) {
        let sum = if self.is_of_parts { self.taken } else { Some((0, 0, 0)) };
        self.is_of_parts = true;
        self.taken = match (sum, part.taken) {
            (Some(sum), Some((wall, cpu, yields))) => Some((sum.0 + wall, sum.1 + cpu.min(wall), sum.2 + yields)),
            _ => None,
        };
    }
}
