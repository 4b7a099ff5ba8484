// The clocks. A reading is in ticks of its clock; only differences are turned into nanoseconds, after the sample.
#pragma once

#include <cstdio>
#include <cstring>
#include <ctime>

#include "platform.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tare {
namespace detail {

/// A clock by its number, so that a read is a predicted branch and no indirect call.
class Clock {
public:
    enum Kind { monotonic, monotonic_raw, cpu_process, tsc };

    /// The names on the wire, by kind.
    static const char *name(int kind)
    {
        static constexpr const char *names[] = {"monotonic", "monotonic-raw", "cpu-process", "tsc"};
        return names[kind];
    }

    static bool exists(int kind)
    {
        switch (kind) {
        case monotonic:
        case cpu_process:
            return true;
        case monotonic_raw:
#if defined(CLOCK_MONOTONIC_RAW)
            return true;
#else
            return false;
#endif
        case tsc:
            return is_tsc_sound();
        default:
            return false;
        }
    }

    static constexpr int kinds = 4;

    /// The kind of this name; -1 when there is none on this machine.
    static int find(const char *name)
    {
        for (int kind = 0; kind < kinds; ++kind) {
            if (std::strcmp(Clock::name(kind), name) == 0 && exists(kind)) {
                return kind;
            }
        }
        return -1;
    }

    /// Chooses the clock; the time-stamp counter is calibrated against the monotonic clock, which takes about 20 ms.
    void choose(int kind)
    {
        kind_ = kind;
        if (kind == tsc) {
            calibrate();
        }
    }

    /// Now, in ticks.
    TARE_INLINE std::uint64_t read() const
    {
#if defined(__x86_64__)
        if (__builtin_expect(kind_ == tsc, 0)) {
            return counter();
        }
#endif
        return read_system(kind_ == monotonic ? CLOCK_MONOTONIC : other());
    }

    /// Nanoseconds of a difference of readings.
    std::uint64_t nanoseconds(std::uint64_t ticks) const
    {
        return kind_ == tsc ? static_cast<std::uint64_t>(static_cast<double>(ticks) * per_tick_ + 0.5) : ticks;
    }

private:
    int kind_ = monotonic;
    double per_tick_ = 1.0;

    clockid_t other() const
    {
#if defined(CLOCK_MONOTONIC_RAW)
        if (kind_ == monotonic_raw) {
            return CLOCK_MONOTONIC_RAW;
        }
#endif
        return CLOCK_PROCESS_CPUTIME_ID;
    }

    TARE_INLINE static std::uint64_t read_system(clockid_t clock)
    {
        timespec now;
        clock_gettime(clock, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
    }

#if defined(__x86_64__)
    /// What came before has been done, and what comes after begins only then.
    TARE_INLINE static std::uint64_t counter()
    {
        unsigned int processor;
        const std::uint64_t ticks = __builtin_ia32_rdtscp(&processor);
        __builtin_ia32_lfence();
        return ticks;
    }

    void calibrate()
    {
        constexpr std::uint64_t stretch = 20000000;
        const std::uint64_t from_time = read_system(CLOCK_MONOTONIC), from_ticks = counter();
        std::uint64_t time = from_time;
        while (time - from_time < stretch) {
            time = read_system(CLOCK_MONOTONIC);
        }
        per_tick_ = static_cast<double>(time - from_time) / static_cast<double>(counter() - from_ticks);
    }

    /// Runs at one rate whatever the core does (Intel SDM vol. 3, 18.17: CPUID 0x80000007, EDX bit 8), has RDTSCP (0x80000001, EDX
    /// bit 27), and the kernel, which watches it over all CPUs, hasn't given it up.
    static bool is_tsc_sound()
    {
        unsigned int a, b, c, d;
        if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0
            || __get_cpuid(0x80000001u, &a, &b, &c, &d) == 0 || (d & (1u << 27)) == 0) {
            return false;
        }
        std::FILE *file = std::fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
        if (file == nullptr) {
            return false;
        }
        char sources[256] = " ";
        const bool is_read = std::fgets(sources + 1, sizeof(sources) - 1, file) != nullptr;
        std::fclose(file);
        return is_read && std::strstr(sources, " tsc") != nullptr;
    }
#else
    void calibrate() {}
    static bool is_tsc_sound() { return false; }
#endif
};

} // namespace detail
} // namespace tare
