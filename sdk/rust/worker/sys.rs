//! What the worker asks the system for, beside the standard library. Every function is the C library's, with which that library is linked anyway.

use std::os::raw::{c_char, c_int, c_long, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Timespec {
    pub(crate) seconds: c_long,
    pub(crate) nanoseconds: c_long,
}

pub(crate) const CLOCK_MONOTONIC: c_int = if cfg!(target_os = "linux") {
    1
} else if cfg!(target_os = "macos") {
    6
} else {
    4
};
pub(crate) const CLOCK_MONOTONIC_RAW: c_int = 4;
pub(crate) const CLOCK_PROCESS_CPUTIME: c_int = if cfg!(target_os = "linux") {
    2
} else if cfg!(target_os = "macos") {
    12
} else {
    15
};
/// `RUSAGE_THREAD` where there is one, else `RUSAGE_SELF`.
const WHOSE_USAGE: c_int = if cfg!(target_os = "linux") { 1 } else { 0 };
/// Two `timeval` and fourteen `long`.
const USAGE_WORDS: usize = 18;
const VOLUNTARY_SWITCHES: usize = 16;

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn getrusage(who: c_int, usage: *mut [c_long; USAGE_WORDS]) -> c_int;
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn atexit(function: extern "C" fn()) -> c_int;
    fn pipe(ends: *mut [c_int; 2]) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
    fn sched_yield() -> c_int;
}

/// Nanoseconds of a clock; 0 where the system lacks it.
#[inline(always)]
pub(crate) fn nanoseconds(clock: c_int) -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the pointer is valid for the call.
    unsafe { clock_gettime(clock, &mut time) };
    (time.seconds as u64).wrapping_mul(1_000_000_000).wrapping_add(time.nanoseconds as u64)
}

/// Nanoseconds of the monotonic clock.
#[inline(always)]
pub(crate) fn now() -> u64 {
    nanoseconds(CLOCK_MONOTONIC)
}

/// How often the calling thread gave up the CPU by itself; that of the process, where the system counts for processes only.
pub(crate) fn voluntary_switches() -> Option<u64> {
    let mut usage = [0; USAGE_WORDS];
    // SAFETY: the structure of this system is as large.
    let failed = unsafe { getrusage(WHOSE_USAGE, &mut usage) } != 0;
    (!failed).then_some(usage[VOLUNTARY_SWITCHES] as u64)
}

/// `None` where the system can't; the child's number in the parent, 0 in the child.
pub(crate) fn copy_process() -> Option<i32> {
    // SAFETY: the caller makes sure that the process has one thread.
    let process = unsafe { fork() };
    (process >= 0).then_some(process)
}

/// How a child ended, as `waitpid` tells it.
pub(crate) fn wait_for(process: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the pointer is valid for the call.
    while unsafe { waitpid(process, &mut status, 0) } < 0
        && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
    {}
    status
}

/// The signal that ends a process at once.
pub(crate) const KILLED: c_int = 9;

/// Ends the process at once, without a word to those who watch it.
pub(crate) fn kill_self() {
    // SAFETY: it is our own process.
    unsafe { kill(std::process::id() as c_int, KILLED) };
}

/// Ends the process without running anything of the user's; what was printed is shown.
pub(crate) fn end_process(status: i32) -> ! {
    use std::io::Write;
    let _ = std::io::stdout().flush();
    // SAFETY: `fflush` of null flushes all streams of C.
    unsafe {
        fflush(std::ptr::null_mut());
        _exit(status)
    }
}

/// Lets a function run when the process ends by `exit`.
pub(crate) fn when_it_exits(function: extern "C" fn()) {
    // SAFETY: the function lives as long as the program.
    unsafe { atexit(function) };
}

/// A pipe: its end for reading, its end for writing.
pub(crate) fn make_pipe() -> Option<(c_int, c_int)> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is valid for the call.
    (unsafe { pipe(&mut ends) } == 0).then_some((ends[0], ends[1]))
}

/// Lets the number `to` name what `from` does.
pub(crate) fn rename_file(from: c_int, to: c_int) {
    // SAFETY: numbers that name nothing are refused.
    unsafe { dup2(from, to) };
}

/// Gives the CPU to others that are ready.
pub(crate) fn give_way() {
    // SAFETY: it has no arguments.
    unsafe { sched_yield() };
}

/// Whether a text matches an extended regular expression; `None` where the expression is none.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    extern "C" {
        fn regcomp(compiled: *mut c_void, pattern: *const c_char, flags: c_int) -> c_int;
        fn regexec(
            compiled: *const c_void,
            text: *const c_char,
            count: usize,
            places: *mut c_void,
            flags: c_int,
        ) -> c_int;
        fn regfree(compiled: *mut c_void);
    }
    const EXTENDED_WITHOUT_PLACES: c_int = 1 | 8;
    let pattern = std::ffi::CString::new(pattern).ok()?;
    let text = std::ffi::CString::new(text).ok()?;
    // More than the structure of any C library of Linux takes.
    let mut compiled = [0u64; 64];
    let place = compiled.as_mut_ptr().cast::<c_void>();
    // SAFETY: the structure is compiled before it is used, and freed once.
    unsafe {
        if regcomp(place, pattern.as_ptr(), EXTENDED_WITHOUT_PLACES) != 0 {
            return None;
        }
        let is_match = regexec(place, text.as_ptr(), 0, std::ptr::null_mut(), 0) == 0;
        regfree(place);
        Some(is_match)
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    let _ = c_char::default();
    Some(text.contains(pattern))
}

/// CPUs of the machine, also those that the process mustn't use: a name that counts them stays the same where it is bound to some.
pub fn cpus() -> usize {
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
    online
        .and_then(|list| count_of(list.trim()))
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// How many numbers a list such as `0-3,8` has.
fn count_of(list: &str) -> Option<usize> {
    list.split(',').try_fold(0usize, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        sum.checked_add(last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    })
}
