//! How long processes were ready to run while others had the CPU, as the scheduler counts it (`/proc/…/schedstat`).

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Of what a command and its children took of CPUs, this part must be of its first thread before that thread's waiting is the command's.
const ALONE: f64 = 0.95;

/// What the scheduler says of a process's first thread. Nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scheduled {
    /// On a CPU.
    pub(crate) ran: u64,
    /// For one that other processes had.
    pub(crate) waited: u64,
}

impl Scheduled {
    /// Of a process that has ended and wasn't reaped yet, or that runs.
    pub(crate) fn of_process(process: libc::pid_t) -> Option<Self> {
        Self::read(&File::open(format!("/proc/{process}/schedstat")).ok()?)
    }

    fn read(file: &File) -> Option<Self> {
        let mut text = [0; 96];
        let length = file.read_at(&mut text, 0).ok()?;
        let mut numbers = std::str::from_utf8(&text[..length]).ok()?.split_ascii_whitespace();
        let mut number = || numbers.next()?.parse().ok();
        Some(Self { ran: number()?, waited: number()? })
    }

    /// Whether it is of all that the process did: threads and processes that worked beside may have waited for each other.
    pub(crate) fn is_all(self, used: &libc::rusage) -> bool {
        let all = 1e3 * (micros(used.ru_utime) + micros(used.ru_stime)) as f64;
        self.ran as f64 >= ALONE * all
    }

    /// How long nothing of `elapsed` went on for the process, since others had the CPUs: when it was ready to run, and from its end until the thread that started
    /// it noticed. That thread is ready again when the program begins; what it waits then costs nothing, unless the program has ended by the time.
    /// While the process ran, nothing is taken off, whoever waited beside it. Nanoseconds.
    pub(crate) fn taken_by_others(self, wakes: Wakes, elapsed: u64) -> u64 {
        let late = if wakes.was_quick { wakes.begun.saturating_sub(self.ran.saturating_add(self.waited)) } else { 0 };
        let all = self.waited.saturating_add(late).saturating_add(wakes.noticed);
        all.min(elapsed.saturating_sub(self.ran))
    }
}

/// How long the thread that starts a process waited for a CPU that others had, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wakes {
    /// When the program had begun,
    pub(crate) begun: u64,
    /// and from then until it noticed that the process had ended.
    pub(crate) noticed: u64,
    /// The process had ended before the thread could wait for its end.
    pub(crate) was_quick: bool,
}

/// This thread's own waiting, which is in the time when it wakes late.
pub(crate) struct Waiting(Option<File>);

impl Waiting {
    /// Of the thread that calls.
    pub(crate) fn of_this_thread() -> Self {
        Self(File::open("/proc/thread-self/schedstat").ok())
    }

    /// Nanoseconds so far; 0 where the system doesn't tell.
    pub(crate) fn delay(&self) -> u64 {
        self.0.as_ref().and_then(Scheduled::read).map_or(0, |scheduled| scheduled.waited)
    }
}

/// Microseconds of a time that the system tells.
pub(crate) fn micros(time: libc::timeval) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_usec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::{Scheduled, Wakes};

    #[test]
    fn who_has_children_may_have_waited_for_them() {
        // SAFETY: plain numbers, for which zeros are fine.
        #[allow(unsafe_code)]
        let mut used: libc::rusage = unsafe { std::mem::zeroed() };
        used.ru_utime.tv_usec = 1000;
        let of = |ran| Scheduled { ran, waited: 7 }.is_all(&used);
        assert_eq!((of(1_000_000), of(960_000), of(500_000)), (true, true, false));
    }

    #[test]
    fn who_starts_a_process_waits_beside_it_at_first_and_alone_at_the_end() {
        let of = |waited, [begun, noticed]: [u64; 2], was_quick| {
            Scheduled { ran: 11_000, waited }.taken_by_others(Wakes { begun, noticed, was_quick }, 20_000)
        };
        assert_eq!(of(3_000, [0, 0], false), 3_000);
        assert_eq!(of(3_000, [2_000, 0], false), 3_000, "beside it");
        assert_eq!(of(3_000, [9_000, 4_000], false), 7_000, "and late to notice the end");
        // It got no CPU until the process had ended.
        assert_eq!(of(1_000, [15_000, 0], true), 4_000);
        // A sleep of 10 ms takes that, though the thread waited meanwhile.
        let asleep = Scheduled { ran: 500, waited: 200 };
        let wakes = Wakes { begun: 4_000, noticed: 300, was_quick: false };
        assert_eq!(asleep.taken_by_others(wakes, 11_000), 500);
        assert_eq!(Scheduled::default().taken_by_others(Wakes { begun: 30, noticed: 5, was_quick: true }, 20), 20);
    }
}
