// What the timed samples of a run took, with everything that stands between them (PROTOCOL §4, `samples`).
#pragma once

#include <cstdint>
#include <ctime>

#include <sys/resource.h>
#include <sys/time.h>

namespace tare {
namespace detail {

/// Read around the samples, never within one. `begin` and `end`, once or several times, are added up. Nothing is allocated.
class Stretch {
public:
    /// Nanoseconds of the monotonic clock, from before the first timed sample to after the last one.
    std::int64_t wall = 0;
    /// Nanoseconds of CPU time in it, of all threads of the process.
    std::int64_t cpu = 0;
    /// How often the measuring thread gave up the CPU by itself in it; where the system counts for processes only, all its threads.
    std::int64_t yields = 0;

    /// Whether the system could tell.
    bool is_known() const { return is_known_; }

    /// The clock is read last, and in `end` first: what the other readings cost isn't in `wall`.
    void begin()
    {
        is_known_ = read_usage(begin_cpu_, begin_yields_) && nanoseconds(CLOCK_MONOTONIC, begin_wall_) && is_known_;
    }

    void end()
    {
        std::int64_t now = 0, cpu_now = 0, yields_now = 0;
        is_known_ = nanoseconds(CLOCK_MONOTONIC, now) && read_usage(cpu_now, yields_now) && is_known_;
        wall += positive(now - begin_wall_);
        // Times of threads on several CPUs are added up one after the other: the sum may be read a little early.
        cpu += positive(cpu_now - begin_cpu_);
        yields += positive(yields_now - begin_yields_);
    }

private:
    bool is_known_ = true;
    std::int64_t begin_wall_ = 0;
    std::int64_t begin_cpu_ = 0;
    std::int64_t begin_yields_ = 0;

#if defined(RUSAGE_THREAD)
    static constexpr int whose = RUSAGE_THREAD;
#else
    static constexpr int whose = RUSAGE_SELF;
#endif

    static std::int64_t positive(std::int64_t value) { return value > 0 ? value : 0; }

    static bool nanoseconds(clockid_t clock, std::int64_t &value)
    {
        timespec now;
        if (clock_gettime(clock, &now) != 0) {
            return false;
        }
        value = static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
        return true;
    }

    static bool read_usage(std::int64_t &cpu, std::int64_t &yields)
    {
        rusage usage;
        if (getrusage(whose, &usage) != 0) {
            return false;
        }
        yields = usage.ru_nvcsw;
        return nanoseconds(CLOCK_PROCESS_CPUTIME_ID, cpu);
    }
};

} // namespace detail
} // namespace tare
