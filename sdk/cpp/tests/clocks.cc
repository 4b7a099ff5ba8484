// The contract of docs/tick-clock.md, on clocks that are moved by hand. Prints what fails; the status is the number of failures.
#include <tare/clock.h>

#include <cstdio>
#include <thread>
#include <type_traits>

using namespace std::chrono_literals;

static int failures = 0;
static int checks = 0;

#define CHECK(condition)                                                                                                               \
    do {                                                                                                                               \
        ++checks;                                                                                                                      \
        if (!(condition)) {                                                                                                            \
            ++failures;                                                                                                                \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                                \
        }                                                                                                                              \
    } while (false)

// [time.clock.req]: Cpp17Clock, and TrivialClock beyond it.
template <class C>
constexpr bool is_trivial_clock()
{
    static_assert(std::is_same_v<decltype(C::now()), typename C::time_point>);
    static_assert(std::is_same_v<typename C::duration, std::chrono::duration<typename C::rep, typename C::period>>);
    static_assert(std::is_same_v<typename C::time_point::duration, typename C::duration>);
    static_assert(std::is_same_v<std::remove_cv_t<decltype(C::is_steady)>, bool>);
    static_assert(std::is_arithmetic_v<typename C::rep>);
    static_assert(std::is_nothrow_copy_constructible_v<typename C::time_point>);
    static_assert(std::is_nothrow_copy_assignable_v<typename C::time_point>);
#if defined(__cpp_lib_chrono) && __cpp_lib_chrono >= 201907L
    static_assert(std::chrono::is_clock_v<C>);
#endif
    return noexcept(C::now());
}

static_assert(is_trivial_clock<tare::MonotonicClock>());
static_assert(is_trivial_clock<tare::WallClock>());
static_assert(is_trivial_clock<tare::ManualClock<>>());
static_assert(is_trivial_clock<tare::TickClock<>>());
static_assert(tare::MonotonicClock::is_steady && !tare::WallClock::is_steady);
static_assert(!tare::TickClock<tare::MonotonicClock>::is_steady);
static_assert(std::is_same_v<tare::TickClock<>::time_point, tare::WallClock::time_point>);

// A source that counts its readings and can fail; each `Tag` has one of its own.
template <class Tag>
struct Counting {
    using Manual = tare::ManualClock<Tag>;
    using duration = typename Manual::duration;
    using rep = typename Manual::rep;
    using period = typename Manual::period;
    using time_point = typename Manual::time_point;
    static constexpr bool is_steady = false;
    static inline int readings = 0;
    static inline bool failing = false;

    static time_point now()
    {
#if defined(__cpp_exceptions)
        if (failing) {
            throw "the source fails";
        }
#endif
        ++readings;
        return Manual::now();
    }
};

static_assert(!noexcept(tare::TickClock<Counting<void>>::now()) && !noexcept(tare::TickClock<Counting<void>>::tick()));

template <class Clock, class Manual>
static bool is_fresh()
{
    for (int i = 0; i < 3; ++i) {
        Manual::step(1ns);
        if (Clock::now() != Manual::now()) {
            return false;
        }
    }
    return true;
}

static void within_a_tick()
{
    struct Tag;
    using Source = Counting<Tag>;
    using Clock = tare::TickClock<Source>;
    for (int tick = 1; tick <= 3; ++tick) {
        Clock::tick();
        const auto begun = Source::Manual::now();
        for (int read = 0; read < 3; ++read) {
            CHECK(Clock::now() == begun);
            Source::Manual::step(1us);
        }
        CHECK(Source::readings == tick);
    }
    Clock::end();
}

static void outside_a_tick()
{
    struct Tag;
    using Source = Counting<Tag>;
    using Clock = tare::TickClock<Source>;
    CHECK((is_fresh<Clock, Source::Manual>()));
    for (int i = 0; i < 2; ++i) {
        Clock::tick();
        Clock::tick();
        Clock::end();
        Clock::end();
        CHECK((is_fresh<Clock, Source::Manual>()));
    }
}

static void set_back()
{
    struct Tag;
    using Manual = tare::ManualClock<Tag>;
    using Clock = tare::TickClock<Manual>;
    Manual::step(1h);
    Clock::Ticks ticks;
    ticks.tick();
    Manual::step(-30min);
    CHECK(Clock::now().time_since_epoch() == 1h);
    ticks.tick();
    CHECK(Clock::now().time_since_epoch() == 30min);
}

static void throwing()
{
#if defined(__cpp_exceptions)
    struct Tag;
    using Source = Counting<Tag>;
    using Clock = tare::TickClock<Source>;
    bool is_thrown = false;
    Clock::tick();
    Source::failing = true;
    try {
        Clock::tick();
    } catch (const char *) {
        is_thrown = true;
    }
    CHECK(is_thrown);
    Source::failing = false;
    CHECK((is_fresh<Clock, Source::Manual>()));
    try {
        Clock::Ticks ticks;
        ticks.tick();
        Source::Manual::step(1ns);
        CHECK(Clock::now() != Source::Manual::now());
        throw 1;
    } catch (int) {
        CHECK((is_fresh<Clock, Source::Manual>()));
    }
#endif
}

static void nested()
{
    struct Tag;
    using Manual = tare::ManualClock<Tag>;
    using Clock = tare::TickClock<Manual>;
    Clock::Ticks outer;
    outer.tick();
    {
        Clock::Ticks inner;
        Manual::step(1s);
        inner.tick();
        CHECK(Clock::now().time_since_epoch() == 1s);
    }
    CHECK((is_fresh<Clock, Manual>()));
    outer.tick();
    const auto begun = Clock::now();
    Manual::step(1s);
    CHECK(Clock::now() == begun);
}

static void threads()
{
    struct Tag;
    using Manual = tare::ManualClock<Tag>;
    using Clock = tare::TickClock<Manual>;
    Clock::Ticks ticks;
    ticks.tick();
    Manual::step(5s);
    bool is_outside = false, keeps_its_own = false;
    std::thread([&] {
        is_outside = Clock::now().time_since_epoch() == 5s;
        Clock::tick();
        Manual::step(1s);
        keeps_its_own = Clock::now().time_since_epoch() == 5s;
    }).join();
    CHECK(is_outside);
    CHECK(keeps_its_own);
    CHECK(Clock::now().time_since_epoch() == 0s);
}

static void tags()
{
    struct First;
    struct Second;
    using Manual = tare::ManualClock<First>;
    tare::TickClock<Manual, First>::tick();
    Manual::step(1s);
    CHECK((tare::TickClock<Manual, First>::now() != tare::TickClock<Manual, Second>::now()));
    CHECK(tare::ManualClock<Second>::now().time_since_epoch() == 0s);
    tare::TickClock<Manual, First>::end();
}

static void manual()
{
    struct Tag;
    using Manual = tare::ManualClock<Tag>;
    CHECK(Manual::advance(0ns) && Manual::advance(100ns));
    CHECK(Manual::set(Manual::now()));
    CHECK(Manual::set(Manual::time_point(200ns)));
    CHECK(!Manual::advance(-1ns));
    CHECK(!Manual::set(Manual::time_point(199ns)));
    CHECK(Manual::now() == Manual::time_point(200ns));
    Manual::step(-300ns);
    CHECK(Manual::now() == Manual::time_point(-100ns));
}

static void system_clocks()
{
    auto last = tare::MonotonicClock::now();
    for (int i = 0; i < 1000; ++i) {
        const auto now = tare::MonotonicClock::now();
        CHECK(now >= last);
        last = now;
    }
    // Instants of these clocks are those of the standard's.
    const std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds> date = tare::WallClock::now();
    CHECK(std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(date)) > 0);
}

int main()
{
    within_a_tick();
    outside_a_tick();
    set_back();
    throwing();
    nested();
    threads();
    tags();
    manual();
    system_clocks();
    std::printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
