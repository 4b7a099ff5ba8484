//! Files of `/proc` and `/sys` as such machines have them, shortened.

use super::Files;

pub(super) const ALL: [Files<'_>; 5] = [LAPTOP, SERVER, GUEST, CONTAINER, BOARD];

/// Four hardware threads of two cores, on battery; a browser runs.
pub(super) const LAPTOP: Files<'_> = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\n\
         flags\t\t: fpu tsc msr constant_tsc nonstop_tsc\n",
    ),
    ("proc/meminfo", "MemTotal:       16283648 kB\nSwapTotal:       2097148 kB\nSwapFree:        1572348 kB\n"),
    ("proc/loadavg", "1.52 0.58 0.59 1/467 12345\n"),
    (
        "proc/stat",
        "cpu  1000 0 500 8490 0 0 10 0 0 0\ncpu0 1 1 1 1 0 0 0 0 0 0\ncpu1 1 1 1 1 0 0 0 0 0 0\n\
         cpu2 1 1 1 1 0 0 0 0 0 0\ncpu3 1 1 1 1 0 0 0 0 0 0\nintr 5\n",
    ),
    ("proc/vmstat", "pswpin 100\npswpout 200\n"),
    ("proc/swaps", "Filename\t\t\t\tType\t\tSize\n/swapfile file 2097148\n"),
    ("proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/perf_event_paranoid", "4\n"),
    ("proc/sys/vm/swappiness", "60\n"),
    ("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n"),
    ("proc/self/status", "Name:\ttare\nCpus_allowed_list:\t0-3\n"),
    ("proc/self/personality", "00000000\n"),
    ("proc/self/stat", "4242 (tare) S 1 4242 4242 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("proc/4242/stat", "4242 (tare) S 1 4242 4242 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("proc/99/stat", "99 (Web Content) R 1 99 99 0 -1 0 0 0 0 0 700 50 0 0 20 0 1 0\n"),
    ("proc/77/stat", "77 (evil) name \u{1b}[31m) R 1 77 77 0 -1 0 0 0 0 0 10 0 0 0 20 0 1 0\n"),
    ("sys/fs/cgroup/cpu.max", "max 100000\n"),
    ("sys/devices/system/cpu/online", "0-3\n"),
    ("sys/devices/system/cpu/isolated", "\n"),
    ("sys/devices/system/cpu/smt/active", "1\n"),
    ("sys/devices/system/cpu/smt/control", "on\n"),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n"),
    ("sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state0/name", "POLL\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state0/latency", "0\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state0/disable", "0\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state1/name", "C10\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state1/latency", "890\n"),
    ("sys/devices/system/cpu/cpu3/cpuidle/state1/disable", "0\n"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "14\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
    ("sys/class/power_supply/AC/type", "Mains\n"),
    ("sys/class/power_supply/AC/online", "0\n"),
    ("sys/class/power_supply/BAT0/type", "Battery\n"),
    ("etc/os-release", "PRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n"),
];

/// A hundred ticks on each CPU: the browser had three quarters of one, the kernel moved pages and throttled once.
pub(super) const LAPTOP_LATER: Files<'_> = &[
    (
        "proc/stat",
        "cpu  1080 0 510 8800 0 0 10 0 0 0\ncpu0 1 1 1 1 0 0 0 0 0 0\ncpu1 1 1 1 1 0 0 0 0 0 0\n\
         cpu2 1 1 1 1 0 0 0 0 0 0\ncpu3 1 1 1 1 0 0 0 0 0 0\nintr 5\n",
    ),
    ("proc/99/stat", "99 (Web Content) R 1 99 99 0 -1 0 0 0 0 0 772 53 0 0 20 0 1 0\n"),
    ("proc/77/stat", "77 (evil) name \u{1b}[31m) R 1 77 77 0 -1 0 0 0 0 0 19 0 0 0 20 0 1 0\n"),
    ("proc/vmstat", "pswpin 112\npswpout 230\n"),
    ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n"),
];

/// Eight CPUs, two of them kept for measurements; nothing else runs.
pub(super) const SERVER: Files<'_> = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nmodel name\t: AMD EPYC 9124 16-Core Processor\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n",
    ),
    ("proc/meminfo", "MemTotal:       65536000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"),
    (
        "proc/stat",
        "cpu  1000 0 500 8490 0 0 10 0 0 0\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\ncpu4 1\ncpu5 1\ncpu6 1\ncpu7 1\n",
    ),
    ("proc/vmstat", "pswpin 0\npswpout 0\n"),
    ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
    ("proc/sys/kernel/randomize_va_space", "0\n"),
    ("proc/sys/kernel/perf_event_paranoid", "1\n"),
    ("proc/self/cgroup", "0::/system.slice/ssh.service\n"),
    ("proc/self/status", "Cpus_allowed_list:\t0-5\n"),
    ("proc/self/stat", "4242 (tare) S 1 4242 4242 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_throttled 0\nthrottled_usec 0\n"),
    ("sys/devices/system/cpu/online", "0-7\n"),
    ("sys/devices/system/cpu/isolated", "6-7\n"),
    ("sys/devices/system/cpu/smt/active", "0\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
    ("sys/devices/system/cpu/cpu7/cpufreq/scaling_governor", "performance\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state0/latency", "0\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state1/name", "C1\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state1/latency", "1\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state2/name", "C2\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state2/latency", "100\n"),
    ("sys/devices/system/cpu/cpu7/cpuidle/state2/disable", "1\n"),
    ("sys/devices/system/cpu/cpu7/thermal_throttle/core_throttle_count", "0\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
    ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
];

pub(super) const SERVER_LATER: Files<'_> = &[(
    "proc/stat",
    "cpu  1002 0 501 9287 0 0 10 0 0 0\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\ncpu4 1\ncpu5 1\ncpu6 1\ncpu7 1\n",
)];

/// Two CPUs that the host also gives to others; no power management to be seen.
pub(super) const GUEST: Files<'_> = &[
    (
        "proc/cpuinfo",
        "processor : 0\nmodel name : AMD EPYC 7B13\nflags : fpu tsc constant_tsc hypervisor\n\nprocessor : 1\n",
    ),
    ("proc/meminfo", "MemTotal:        8000000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"),
    ("proc/stat", "cpu  700 0 100 1500 0 0 0 50 0 0\ncpu0 1\ncpu1 1\n"),
    ("proc/vmstat", "pswpin 0\npswpout 0\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/perf_event_paranoid", "2\n"),
    ("proc/self/cgroup", "0::/\n"),
    ("proc/self/status", "Cpus_allowed_list:\t0-1\n"),
    ("proc/self/stat", "12 (tare) S 1 12 12 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
    ("sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/isolated", "\n"),
    ("sys/devices/system/cpu/smt/active", "0\n"),
    ("sys/devices/system/cpu/cpuidle/current_driver", "none\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_id", "0\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"),
    ("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
];

/// Of two hundred ticks 14 went to others on the host.
pub(super) const GUEST_LATER: Files<'_> = &[("proc/stat", "cpu  704 0 102 1680 0 0 0 64 0 0\ncpu0 1\ncpu1 1\n")];

/// A pod of one and a half CPUs on a host of four, whose power management it doesn't see.
pub(super) const CONTAINER: Files<'_> = &[
    ("proc/cpuinfo", "processor : 0\nmodel name : AMD EPYC 9124\nflags : fpu tsc constant_tsc nonstop_tsc\n"),
    ("proc/meminfo", "MemTotal:       65536000 kB\nSwapTotal:        8388604 kB\nSwapFree:         8388604 kB\n"),
    ("proc/stat", "cpu  1000 0 500 8490 0 0 10 0 0 0\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\n"),
    ("proc/vmstat", "pswpin 0\npswpout 0\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/self/cgroup", "0::/pods/pod1/container\n"),
    ("proc/self/status", "Cpus_allowed_list:\t0-3\n"),
    ("proc/self/stat", "12 (tare) S 1 12 12 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("sys/devices/system/cpu/cpu0/topology/core_id", "0\n"),
    ("sys/fs/cgroup/pods/cpu.max", "max 100000\n"),
    ("sys/fs/cgroup/pods/pod1/cpu.max", "150000 100000\n"),
    ("sys/fs/cgroup/pods/pod1/container/cpu.max", "400000 100000\n"),
    ("sys/fs/cgroup/pods/pod1/container/cpu.stat", "usage_usec 9\nnr_throttled 40\nthrottled_usec 2000000\n"),
    ("sys/devices/system/cpu/online", "0-3\n"),
    ("sys/devices/system/cpu/isolated", "\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
];

pub(super) const CONTAINER_LATER: Files<'_> = &[
    ("proc/stat", "cpu  1300 0 510 8580 0 0 10 0 0 0\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\n"),
    ("sys/fs/cgroup/pods/pod1/container/cpu.stat", "usage_usec 9\nnr_throttled 46\nthrottled_usec 2313000\n"),
];

/// Fast and slow cores, no TSC, held down for heat.
pub(super) const BOARD: Files<'_> = &[
    (
        "proc/cpuinfo",
        "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n",
    ),
    ("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0"),
    ("proc/meminfo", "MemTotal:        3884360 kB\nSwapTotal:        102396 kB\nSwapFree:         102396 kB\n"),
    ("proc/stat", "cpu  1000 0 500 8490 0 0 10 0 0 0\ncpu0 1\ncpu1 1\n"),
    ("proc/vmstat", "pswpin 0\npswpout 0\n"),
    ("proc/sys/kernel/randomize_va_space", "2\n"),
    ("proc/sys/kernel/perf_event_paranoid", "2\n"),
    ("proc/self/cgroup", "0::/\n"),
    ("proc/self/status", "Cpus_allowed_list:\t0-1\n"),
    ("proc/self/stat", "12 (tare) S 1 12 12 0 -1 0 0 0 0 0 3 1 0 0 20 0 1 0\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    ("sys/devices/system/cpu/isolated", "\n"),
    ("sys/devices/system/cpu/cpufreq/boost", "0\n"),
    ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"),
    ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
    ("sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("sys/class/thermal/cooling_device0/type", "gpio-fan\n"),
    ("sys/class/thermal/cooling_device0/cur_state", "1\n"),
    ("sys/class/thermal/cooling_device1/type", "thermal-cpufreq-0\n"),
    ("sys/class/thermal/cooling_device1/cur_state", "2\n"),
];

pub(super) const BOARD_LATER: Files<'_> = &[("proc/stat", "cpu  1004 0 502 8684 0 0 10 0 0 0\ncpu0 1\ncpu1 1\n")];

pub(super) const PHP_AT_THE_DESK: Files<'_> = &[
    ("xdebug", "3.3.1, mode develop,debug"),
    ("pcov", "1.0.11, on"),
    ("instruments", "ddtrace,newrelic"),
    ("debug", "yes"),
    ("opcache", "off"),
    ("jit", "off"),
    ("assertions", "1"),
];

pub(super) const PHP_CLEAN: Files<'_> = &[
    ("xdebug", "none"),
    ("pcov", "1.0.11, off"),
    ("instruments", "none"),
    ("debug", "no"),
    ("opcache", "on"),
    ("jit", "tracing, buffer 67108848"),
    ("assertions", "-1"),
];

pub(super) const GO_RACE: Files<'_> = &[
    ("race", "yes"),
    ("optimised", "no: all=-N -l"),
    ("GOMAXPROCS", "8"),
    ("cpus", "1"),
    ("GOGC", "off"),
    ("frame_pointers", "kept"),
    ("-cover", "true"),
    ("GODEBUG", "gctrace=1"),
];

pub(super) const CPP_DEBUG: Files<'_> =
    &[("optimisation", "off"), ("assertions", "on"), ("sanitizers", "address"), ("frame_pointers", "kept")];

pub(super) const PYTHON_WATCHED: Files<'_> = &[
    ("debug", "yes"),
    ("dev_mode", "yes"),
    ("watched", "coverage, trace function"),
    ("build", "not profile-guided"),
    ("gil", "off"),
    ("jit", "off"),
    ("allocator", "debug"),
    ("hash_seed", "0"),
    ("frame_pointers", "omitted, as optimising compilers do"),
];
