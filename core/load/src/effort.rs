//! How busy the client's own threads were: what has no time left is the limit itself, and says little of its target.

use serde::{Deserialize, Serialize};
use std::fs;
use std::time::{Duration, Instant};

/// What the threads of a load did with their time, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effort {
    /// They ran on a CPU.
    pub worked: Duration,
    /// They could have, and had none.
    pub waited: Duration,
    /// The load lasted so long for each.
    pub all: Duration,
    /// They made connections anew, between blocks.
    #[serde(default)]
    pub connecting: Duration,
}

impl Effort {
    /// The parts of the time in which they worked and in which they waited for a CPU; `None` where neither is known.
    pub fn shares(&self) -> Option<(f64, f64)> {
        let all = self.all.as_secs_f64();
        (all > 0.0).then(|| (self.worked.as_secs_f64() / all, self.waited.as_secs_f64() / all))
    }

    /// Adds what others did.
    pub fn add(&mut self, other: Self) {
        self.worked += other.worked;
        self.waited += other.waited;
        self.all += other.all;
        self.connecting += other.connecting;
    }
}

/// A thread's times at a moment.
pub(crate) struct Look {
    at: Instant,
    times: Option<(Duration, Duration)>,
}

impl Look {
    /// Of this thread, as the scheduler counts: `/proc/thread-self/schedstat` (Linux, Documentation/scheduler/sched-stats.rst).
    pub(crate) fn now() -> Self {
        let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        Self { at: Instant::now(), times: read(&text) }
    }

    /// What the thread has done since; nothing where the kernel doesn't count.
    pub(crate) fn since(&self) -> Effort {
        let now = Self::now();
        let (Some(before), Some(after)) = (self.times, now.times) else { return Effort::default() };
        Effort {
            worked: after.0.saturating_sub(before.0),
            waited: after.1.saturating_sub(before.1),
            all: now.at.saturating_duration_since(self.at),
            connecting: Duration::ZERO,
        }
    }
}

/// Nanoseconds on a CPU and of waiting for one.
fn read(schedstat: &str) -> Option<(Duration, Duration)> {
    let mut figures = schedstat.split_ascii_whitespace().map(|figure| figure.parse().ok().map(Duration::from_nanos));
    Some((figures.next()??, figures.next()??))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Effort, read};

    #[test]
    fn what_the_kernel_counts_is_read() {
        assert_eq!(read("2500 300 17\n"), Some((Duration::from_nanos(2500), Duration::from_nanos(300))));
        for nothing in ["", "2500", "-1 2 3", "a b c"] {
            assert_eq!(read(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn shares_are_of_the_time_of_all_threads() {
        let of = |worked, waited, all| {
            let [worked, waited, all] = [worked, waited, all].map(Duration::from_millis);
            Effort { worked, waited, all, ..Effort::default() }
        };
        let mut both = of(900, 50, 1000);
        both.add(of(100, 50, 1000));
        assert_eq!(both.shares(), Some((0.5, 0.05)));
        assert_eq!(Effort::default().shares(), None);
    }
}
