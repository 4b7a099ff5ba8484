//! How long processes were ready to run while others had the CPU, as the scheduler counts it (`/proc/…/schedstat`).

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Of what a command and its children took of CPUs, this part must be of its first thread before that thread's waiting is the command's.
const ALONE: f64 = 0.95;

/// What the scheduler says of a process's first thread. Nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scheduled {
    ran: u64,
    waited: u64,
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

    /// How long it waited for a CPU that other processes had. `None` where it worked with several threads or processes: these may have waited for
    /// each other.
    pub(crate) fn taken_by_others(self, used: &libc::rusage) -> Option<u64> {
        let all = 1e3 * (micros(used.ru_utime) + micros(used.ru_stime)) as f64;
        (self.ran as f64 >= ALONE * all).then_some(self.waited)
    }
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
    use super::Scheduled;

    #[test]
    fn who_has_children_may_have_waited_for_them() {
        // SAFETY: plain numbers, for which zeros are fine.
        #[allow(unsafe_code)]
        let mut used: libc::rusage = unsafe { std::mem::zeroed() };
        used.ru_utime.tv_usec = 1000;
        let of = |ran| Scheduled { ran, waited: 7 }.taken_by_others(&used);
        assert_eq!((of(1_000_000), of(960_000), of(500_000)), (Some(7), Some(7), None));
    }
}
