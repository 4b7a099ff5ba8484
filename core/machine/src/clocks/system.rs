//! The calls and instructions behind the clocks: the only unsafe code of this crate's clocks.
#![allow(unsafe_code)]

use std::io;

/// One reading in nanoseconds. The caller has asked [`posix_is_granted`] first; a clock that is refused all the same reads 0.
#[inline(always)]
pub(super) fn posix(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to write to, and lives as long as the call.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

pub(super) fn posix_is_granted(clock: libc::clockid_t) -> io::Result<()> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as in `posix`.
    match unsafe { libc::clock_gettime(clock, &mut time) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[inline(always)]
pub(super) fn time_of_day() -> i64 {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: `time` is a valid timeval for the call to write to; a null time zone is allowed by gettimeofday(2).
    unsafe { libc::gettimeofday(&mut time, std::ptr::null_mut()) };
    time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000
}

pub(super) fn timer_slack_ns() -> Option<u64> {
    // SAFETY: PR_GET_TIMERSLACK takes no pointer and changes nothing.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    u64::try_from(slack).ok()
}

/// Intel SDM vol. 3, 18.17, and AMD APM vol. 3: CPUID 0x80000007, EDX bit 8 says that the counter runs at one rate in every
/// power state; 0x80000001, EDX bit 27 that there is RDTSCP.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe, reason = "later compilers know that CPUID is safe")]
pub(super) fn counter_is_invariant() -> Result<(), String> {
    use std::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 CPU has CPUID; leaf 0x80000000 says which others there are.
    let (most, invariant, rdtscp) = unsafe {
        let most = __cpuid(0x8000_0000).eax;
        let has = |leaf: u32, bit: u32| most >= leaf && __cpuid(leaf).edx & (1 << bit) != 0;
        (most, has(0x8000_0007, 8), has(0x8000_0001, 27))
    };
    match (invariant, rdtscp) {
        (true, true) => Ok(()),
        (false, _) if most < 0x8000_0007 => Err("the CPU doesn't say whether its rate is constant".to_owned()),
        (false, _) => Err("its rate isn't constant on this CPU (CPUID 0x80000007, EDX bit 8)".to_owned()),
        (true, false) => Err("the CPU has no RDTSCP".to_owned()),
    }
}

/// The counter as it is: the CPU may read it before what stands before it is done.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unused_unsafe, reason = "later compilers know that RDTSC is safe")]
pub(super) fn counter() -> i64 {
    // SAFETY: RDTSC is part of x86-64, and only [`counter_is_invariant`]'s callers come here.
    unsafe { std::arch::x86_64::_rdtsc() as i64 }
}

/// RDTSCP waits for what stands before it, LFENCE keeps what follows until it is done.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unused_unsafe, reason = "later compilers know that these are safe")]
pub(super) fn counter_fenced() -> i64 {
    let mut processor = 0;
    // SAFETY: `counter_is_invariant` has found RDTSCP; LFENCE is part of x86-64; `processor` is valid for the call to write to.
    unsafe {
        let ticks = std::arch::x86_64::__rdtscp(&mut processor);
        std::arch::x86_64::_mm_lfence();
        ticks as i64
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn counter_is_invariant() -> Result<(), String> {
    Err("there is no time-stamp counter on this architecture".to_owned())
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn counter() -> i64 {
    0
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn counter_fenced() -> i64 {
    0
}
