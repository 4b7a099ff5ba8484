//! The clocks of samples. A reading is in ticks of its clock; only differences are turned into nanoseconds, after the sample.

use super::sys;

/// A clock by its number, so that a read is a predicted branch and no indirect call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Monotonic,
    MonotonicRaw,
    CpuProcess,
    Tsc,
}

const NAMED: [(&str, Kind); 4] = [
    ("monotonic", Kind::Monotonic),
    ("monotonic-raw", Kind::MonotonicRaw),
    ("cpu-process", Kind::CpuProcess),
    ("tsc", Kind::Tsc),
];

/// Reads the time for a sample.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    kind: Kind,
    nanoseconds_per_tick: f64,
}

impl Clock {
    /// The default.
    pub(crate) const fn monotonic() -> Self {
        Self { kind: Kind::Monotonic, nanoseconds_per_tick: 1.0 }
    }

    /// Those that this machine has, the default first.
    pub(crate) fn names() -> Vec<&'static str> {
        NAMED.iter().filter(|(_, kind)| exists(*kind)).map(|(name, _)| *name).collect()
    }

    /// The time-stamp counter is calibrated against the monotonic clock, which takes about 20 ms.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let kind = NAMED.iter().find(|(known, kind)| *known == name && exists(*kind))?.1;
        Some(Self { kind, nanoseconds_per_tick: if kind == Kind::Tsc { counter::nanoseconds_per_tick() } else { 1.0 } })
    }

    /// Now, in ticks.
    #[inline(always)]
    pub fn read(&self) -> u64 {
        match self.kind {
            Kind::Monotonic => sys::now(),
            Kind::MonotonicRaw => sys::nanoseconds(sys::CLOCK_MONOTONIC_RAW),
            Kind::CpuProcess => sys::nanoseconds(sys::CLOCK_PROCESS_CPUTIME),
            Kind::Tsc => counter::ticks(),
        }
    }

    /// Nanoseconds of a difference of readings.
    pub(crate) fn nanoseconds(&self, ticks: u64) -> u64 {
        if self.kind == Kind::Tsc {
            (ticks as f64 * self.nanoseconds_per_tick + 0.5) as u64
        } else {
            ticks
        }
    }
}

fn exists(kind: Kind) -> bool {
    match kind {
        Kind::Monotonic | Kind::CpuProcess => true,
        Kind::MonotonicRaw => cfg!(any(target_os = "linux", target_os = "macos")),
        Kind::Tsc => counter::is_sound(),
    }
}

#[cfg(target_arch = "x86_64")]
mod counter {
    use super::sys;
    #[allow(unused_unsafe)]
    fn cpuid(leaf: u32) -> std::arch::x86_64::CpuidResult {
        // SAFETY: every processor of 64 bits has the instruction.
        unsafe { std::arch::x86_64::__cpuid(leaf) }
    }

    /// What came before has been done, and what comes after begins only then.
    #[inline(always)]
    pub(super) fn ticks() -> u64 {
        let mut processor = 0;
        // SAFETY: the clock is offered only where the processor has RDTSCP.
        unsafe {
            let ticks = std::arch::x86_64::__rdtscp(&mut processor);
            std::arch::x86_64::_mm_lfence();
            ticks
        }
    }

    pub(super) fn nanoseconds_per_tick() -> f64 {
        const STRETCH: u64 = 20_000_000;
        let (from_time, from_ticks) = (sys::now(), ticks());
        let mut time = from_time;
        while time - from_time < STRETCH {
            time = sys::now();
        }
        (time - from_time) as f64 / (ticks() - from_ticks) as f64
    }

    /// Runs at one rate whatever the core does (Intel SDM vol. 3, 18.17: CPUID 0x80000007, EDX bit 8), has RDTSCP (0x80000001, EDX bit 27),
    /// and the kernel, which watches it over all CPUs, hasn't given it up.
    pub(super) fn is_sound() -> bool {
        let has = |leaf, bit: u32| cpuid(0x8000_0000).eax >= leaf && cpuid(leaf).edx & (1 << bit) != 0;
        let sources = || std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/available_clocksource");
        has(0x8000_0007, 8)
            && has(0x8000_0001, 27)
            && sources().is_ok_and(|text| text.split_whitespace().any(|name| name == "tsc"))
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    pub(super) fn ticks() -> u64 {
        super::sys::now()
    }

    pub(super) fn nanoseconds_per_tick() -> f64 {
        1.0
    }

    pub(super) fn is_sound() -> bool {
        false
    }
}
