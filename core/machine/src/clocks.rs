//! The clocks that the system itself offers, read as a program in C reads them.
//!
//! Names are those of clock_gettime(2), without `CLOCK_` and `_ID`. A clock that the kernel refuses is there with its
//! refusal: what this machine lacks is a finding, not an error.

mod system;

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::thread::{NanosleepRelativeResult, Timespec};

use crate::files;

/// Something that can be read over and over. Real ones are in [`native_clocks`]; a test makes its own.
pub trait Clock {
    /// One reading, in ticks since whatever moment it counts from.
    fn read(&self) -> i64;

    /// Nanoseconds in a tick.
    fn per_tick(&self) -> f64 {
        1.0
    }

    /// Fills `values` with pairs of readings, back to back, and drops `skip` readings after each pair.
    ///
    /// The loops stand here and not with the caller, so that each clock has its own copy of them and no call through a
    /// pointer is part of what is measured.
    fn pairs(&self, values: &mut [i64], skip: u64) {
        for pair in values.chunks_exact_mut(2) {
            let first = self.read();
            let second = self.read();
            (pair[0], pair[1]) = (first, second);
            for _ in 0..skip {
                std::hint::black_box(self.read());
            }
        }
    }

    /// Reads so often, and keeps nothing.
    fn block(&self, reads: u64) {
        for _ in 0..reads {
            std::hint::black_box(self.read());
        }
    }
}

/// A clock of the system, or why there is none of that name.
pub struct NativeClock {
    /// Its name.
    pub name: &'static str,
    /// Whether it follows real time, so that it has a rate. Those of CPU time stand still while others run.
    pub follows_time: bool,
    /// Whether it counts ticks of a frequency of its own, which had to be measured to read it in nanoseconds.
    pub counts_ticks: bool,
    /// The clock, or the system's refusal.
    pub clock: Result<Box<dyn Clock>, String>,
}

struct Posix<const ID: libc::clockid_t>;

impl<const ID: libc::clockid_t> Clock for Posix<ID> {
    fn read(&self) -> i64 {
        system::posix(ID)
    }
}

struct TimeOfDay;

impl Clock for TimeOfDay {
    fn read(&self) -> i64 {
        system::time_of_day()
    }
}

struct Counter<const FENCED: bool> {
    per_tick: f64,
}

impl<const FENCED: bool> Clock for Counter<FENCED> {
    fn read(&self) -> i64 {
        if FENCED { system::counter_fenced() } else { system::counter() }
    }

    fn per_tick(&self) -> f64 {
        self.per_tick
    }
}

/// The loop of [`Clock::block`] without a read.
pub fn empty_block(reads: u64) {
    struct Nothing;
    impl Clock for Nothing {
        #[inline(always)]
        fn read(&self) -> i64 {
            0
        }
    }
    Nothing.block(reads);
}

/// All of them. `root` is where `/sys` is looked for. Takes about 20 ms: the time-stamp counter's frequency is measured.
pub fn native_clocks(root: &Path) -> Vec<NativeClock> {
    fn posix<const ID: libc::clockid_t>(name: &'static str, follows_time: bool) -> NativeClock {
        let clock = match system::posix_is_granted(ID) {
            Ok(()) => Ok(Box::new(Posix::<ID>) as Box<dyn Clock>),
            Err(error) => Err(format!("the kernel refuses it: {error}")),
        };
        NativeClock { name, follows_time, counts_ticks: false, clock }
    }
    let mut clocks = vec![
        posix::<{ libc::CLOCK_MONOTONIC }>("monotonic", true),
        posix::<{ libc::CLOCK_MONOTONIC_RAW }>("monotonic_raw", true),
        posix::<{ libc::CLOCK_MONOTONIC_COARSE }>("monotonic_coarse", true),
        posix::<{ libc::CLOCK_BOOTTIME }>("boottime", true),
        posix::<{ libc::CLOCK_REALTIME }>("realtime", true),
        posix::<{ libc::CLOCK_REALTIME_COARSE }>("realtime_coarse", true),
        posix::<{ libc::CLOCK_TAI }>("tai", true),
        posix::<{ libc::CLOCK_PROCESS_CPUTIME_ID }>("process_cputime", false),
        posix::<{ libc::CLOCK_THREAD_CPUTIME_ID }>("thread_cputime", false),
        NativeClock { name: "gettimeofday", follows_time: true, counts_ticks: false, clock: Ok(Box::new(TimeOfDay)) },
    ];
    let per_tick = sound_counter(root).map(|()| calibrate());
    let tsc = |name, clock| NativeClock { name, follows_time: true, counts_ticks: true, clock };
    clocks.push(tsc("tsc", per_tick.clone().map(|per_tick| Box::new(Counter::<false> { per_tick }) as Box<dyn Clock>)));
    clocks.push(tsc("tsc_fenced", per_tick.map(|per_tick| Box::new(Counter::<true> { per_tick }) as Box<dyn Clock>)));
    clocks
}

/// The counter runs at one rate whatever the core does, and the kernel, which watches it over all CPUs, hasn't given it up.
fn sound_counter(root: &Path) -> Result<(), String> {
    system::counter_is_invariant()?;
    let place = "sys/devices/system/clocksource/clocksource0/available_clocksource";
    match files::line(root, place) {
        Some(sources) if sources.split_whitespace().any(|source| source == "tsc") => Ok(()),
        Some(_) => Err("the kernel doesn't trust it: it isn't among the available clock sources".to_owned()),
        None => Err(format!("whether the kernel trusts it can't be read: /{place}")),
    }
}

/// Nanoseconds in a tick of the counter, against `CLOCK_MONOTONIC_RAW` over 20 ms.
fn calibrate() -> f64 {
    let stretch = Duration::from_millis(20);
    let counter = Counter::<true> { per_tick: 1.0 };
    let (from, begun) = (bracket(&counter, 100), Instant::now());
    while begun.elapsed() < stretch {
        std::hint::spin_loop();
    }
    let to = bracket(&counter, 100);
    (to.middle() - from.middle()) / (to.value - from.value) as f64
}

/// A reading between two readings of `CLOCK_MONOTONIC_RAW`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bracket {
    /// `CLOCK_MONOTONIC_RAW` before, in nanoseconds.
    pub before: i64,
    /// The clock, in its ticks.
    pub value: i64,
    /// `CLOCK_MONOTONIC_RAW` after, in nanoseconds.
    pub after: i64,
}

impl Bracket {
    fn middle(&self) -> f64 {
        self.before as f64 + self.width() as f64 / 2.0
    }

    /// Nanoseconds in which the reading was taken, somewhere.
    pub fn width(&self) -> i64 {
        self.after - self.before
    }
}

/// The tightest of so many brackets.
pub fn bracket(clock: &dyn Clock, tries: u32) -> Bracket {
    let once = || {
        let before = raw_now();
        let value = clock.read();
        Bracket { before, value, after: raw_now() }
    };
    (1..tries).map(|_| once()).fold(once(), |best, next| if next.width() < best.width() { next } else { best })
}

/// `CLOCK_MONOTONIC_RAW`, in nanoseconds: what rates are measured against.
pub fn raw_now() -> i64 {
    system::posix(libc::CLOCK_MONOTONIC_RAW)
}

/// Gives the CPU up and stays ready to run (sched_yield(2)).
pub fn yield_now() {
    rustix::thread::sched_yield();
}

/// Sleeps by nanosleep(2). A signal may end it early.
///
/// # Errors
/// What the kernel refuses: a negative time.
pub fn sleep(nanoseconds: i64) -> io::Result<()> {
    let time = Timespec { tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000 };
    match rustix::thread::nanosleep(&time) {
        NanosleepRelativeResult::Ok | NanosleepRelativeResult::Interrupted(_) => Ok(()),
        NanosleepRelativeResult::Err(error) => Err(error.into()),
    }
}

/// How much later than asked the kernel may wake this thread, in nanoseconds (prctl(2), `PR_GET_TIMERSLACK`). Processes
/// inherit it from the thread that starts them.
pub fn timer_slack_ns() -> Option<u64> {
    system::timer_slack_ns()
}

/// That of another process, which the kernel shows to root alone; `root` is where `/proc` is looked for.
pub fn worker_timer_slack_ns(root: &Path, pid: u32) -> Option<u64> {
    files::line(root, &format!("proc/{pid}/timerslack_ns"))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Clock, bracket, native_clocks, raw_now, sleep};

    #[test]
    fn the_clocks_of_this_machine_are_read_or_refused() {
        let clocks = native_clocks(Path::new("/"));
        let names: Vec<_> = clocks.iter().map(|clock| clock.name).collect();
        for name in ["monotonic", "monotonic_raw", "realtime_coarse", "tai", "thread_cputime", "gettimeofday", "tsc"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        for native in &clocks {
            match &native.clock {
                Ok(clock) => {
                    let mut values = [i64::MIN; 6];
                    clock.pairs(&mut values, 2);
                    assert!(values.iter().all(|value| *value >= 0), "{}: {values:?}", native.name);
                    assert!(clock.per_tick() > 0.0);
                    clock.block(3);
                }
                Err(reason) => assert!(!reason.is_empty()),
            }
        }
    }

    #[test]
    fn a_counter_that_the_kernel_gave_up_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let refusal = |root: &Path| {
            let clocks = native_clocks(root);
            clocks.into_iter().find(|clock| clock.name == "tsc").unwrap().clock.err().unwrap()
        };
        assert!(!refusal(root.path()).is_empty());
        let folder = root.path().join("sys/devices/system/clocksource/clocksource0");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("available_clocksource"), "hpet acpi_pm tscx\n").unwrap();
        assert!(!refusal(root.path()).is_empty());
    }

    #[test]
    fn a_bracket_holds_its_reading() {
        struct Raw;
        impl Clock for Raw {
            fn read(&self) -> i64 {
                raw_now()
            }
        }
        let bracket = bracket(&Raw, 10);
        assert!(bracket.before <= bracket.value && bracket.value <= bracket.after);
    }

    #[test]
    fn a_negative_sleep_is_refused() {
        assert!(sleep(-1).is_err());
        assert!(sleep(-2_000_000_000).is_err());
        assert!(sleep(0).is_ok());
    }
}
