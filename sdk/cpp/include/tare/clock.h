// Clocks for programs that ask for the time often: read once in each turn of a loop, or set by hand in a test. Each meets the standard's
// named requirement Clock, so it goes wherever std::chrono::steady_clock does. Needs C++17 and nothing of tare's benchmarks.
//
//     using Now = tare::TickClock<tare::WallClock>;
//     Now::Ticks ticks;                   // outside of ticks again when this scope is left
//     while (poll(...) >= 0) {
//         ticks.tick();                   // a turn begins
//         ...                             // Now::now() as often as you like
//     }
//
// docs/tick-clock.md has the contract and what it costs.
#pragma once

#include <atomic>
#include <chrono>

namespace tare {

/// Never goes back: std::chrono::steady_clock in nanoseconds. Every call reads it. TrivialClock.
struct MonotonicClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept { return std::chrono::time_point_cast<duration>(std::chrono::steady_clock::now()); }
};

/// The system's date, which may be set back: std::chrono::system_clock in nanoseconds. Every call reads it. TrivialClock.
struct WallClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<std::chrono::system_clock, duration>;
    static constexpr bool is_steady = false;

    static time_point now() noexcept { return std::chrono::time_point_cast<duration>(std::chrono::system_clock::now()); }
};

/// Stands still until it is moved: for tests. The state is the type's, as `now` of a Clock is static; another `Tag` is another clock. Any
/// thread may read it; one moves it. TrivialClock.
template <class Tag = void>
struct ManualClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<ManualClock, duration>;
    static constexpr bool is_steady = false;

    static time_point now() noexcept { return time_point(duration(shows().load())); }

    /// Lets time pass. False, and nothing is done, for less than 0: time doesn't go back; `step` is for a clock that is set back.
    [[nodiscard]] static bool advance(duration passed) noexcept
    {
        if (passed < duration::zero()) {
            return false;
        }
        step(passed);
        return true;
    }

    /// Lets time pass until the clock shows this. False, and nothing is done, when it shows more already.
    [[nodiscard]] static bool set(time_point now) noexcept
    {
        return advance(now - ManualClock::now());
    }

    /// Somebody sets the clock: forwards, or back.
    static void step(duration by) noexcept { shows() += by.count(); }

private:
    static std::atomic<rep> &shows() noexcept
    {
        static std::atomic<rep> nanoseconds{0};
        return nanoseconds;
    }
};

/// Reads `Source` at each `tick`, once for each turn of a loop. TrivialClock where `Source` is one.
///
/// - Within a tick every `now` gives the same instant.
/// - It is read by `tick`, so it is never older than the tick.
/// - Before the first `tick` and after `end` every `now` is a fresh one.
/// - Where the source throws, so does `tick`, and the clock is outside a tick.
/// - The state is the type's and the thread's: each thread has ticks of its own, and one that never calls `tick` always reads fresh.
///
/// Another `Tag` is another clock. It isn't steady, even over a source that is: it stands still within a tick, and a thread in a tick is
/// behind one that isn't.
template <class Source = WallClock, class Tag = void>
class TickClock {
public:
    using rep = typename Source::rep;
    using period = typename Source::period;
    using duration = typename Source::duration;
    /// The source's own, so that instants of both can be compared.
    using time_point = typename Source::time_point;
    static constexpr bool is_steady = false;

    static time_point now() noexcept(noexcept(Source::now())) { return inside_ ? held_ : Source::now(); }

    /// A turn of this thread's loop begins: reads the source.
    static void tick() noexcept(noexcept(Source::now()))
    {
        // Also where this throws, what the last tick has held is gone.
        inside_ = false;
        held_ = Source::now();
        inside_ = true;
    }

    /// This thread's loop is left: every `now` is a fresh one until the next `tick`.
    static void end() noexcept { inside_ = false; }

    /// A scope that holds a loop: `end` when it is left, by an exception too.
    class Ticks {
    public:
        Ticks() = default;
        Ticks(const Ticks &) = delete;
        Ticks &operator=(const Ticks &) = delete;
        ~Ticks() { TickClock::end(); }

        void tick() noexcept(noexcept(Source::now())) { TickClock::tick(); }
    };

private:
    static inline thread_local bool inside_ = false;
    static inline thread_local time_point held_{};
};

} // namespace tare
