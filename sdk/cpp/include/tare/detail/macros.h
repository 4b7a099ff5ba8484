// The macros that define benchmarks.
#pragma once

#include "registry.h"

#define TARE_JOIN_NOW(left, right) left##right
#define TARE_JOIN(left, right) TARE_JOIN_NOW(left, right)
#define TARE_REGISTERED static ::tare::Benchmark *TARE_JOIN(tare_registered_, __COUNTER__) [[maybe_unused]]

// Tare's own style -------------------------------------------------------------------------------------------------------------------

/// A loop of the sample's calls around a block, eight to a pass: `TARE_LOOP(state) { keep(f(x)); };` with the semicolon.
#define TARE_LOOP(state) (state) % [&]() __attribute__((always_inline))

/// A benchmark whose block is one call: `TARE_BENCHMARK(addition) { tare::keep(a + b); }`.
#define TARE_BENCHMARK(name)                                                                                           \
    static TARE_INLINE void tare_call_##name();                                                                        \
    static void tare_run_##name(::tare::State &state)                                                                  \
    {                                                                                                                  \
        TARE_LOOP(state) { tare_call_##name(); };                                                                      \
    }                                                                                                                  \
    TARE_REGISTERED = ::tare::detail::add_plain(#name, tare_run_##name, __FILE__, TARE_LINE);                           \
    static TARE_INLINE void tare_call_##name()

// Google Benchmark's -----------------------------------------------------------------------------------------------------------------

#define BENCHMARK_PRIVATE_NAME(...) TARE_JOIN(tare_registered_, __COUNTER__)
#define BENCHMARK_UNUSED [[maybe_unused]]
#define BENCHMARK_EXPORT
#define BENCHMARK_ALWAYS_INLINE __attribute__((always_inline))
#define BENCHMARK_BUILTIN_EXPECT(condition, value) __builtin_expect(condition, value)
#if defined(__clang__)
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optnone))
#else
#define BENCHMARK_DONT_OPTIMIZE __attribute__((optimize(0)))
#endif

/* Where a benchmark is registered, in data of its own and not in code: programs in which lines alone have moved have the same code. `core/code` knows it by the name. */
#define TARE_LINE                                                                                                      \
    [] {                                                                                                               \
        static const volatile int tare_line = __LINE__;                                                                \
        return static_cast<int>(tare_line);                                                                            \
    }()

#define BENCHMARK(...) TARE_REGISTERED = ::tare::detail::add_plain(#__VA_ARGS__, __VA_ARGS__, __FILE__, TARE_LINE)

#define BENCHMARK_WITH_ARG(function, value) BENCHMARK(function)->Arg((value))
#define BENCHMARK_WITH_ARG2(function, first, second) BENCHMARK(function)->Args({(first), (second)})
#define BENCHMARK_WITH_UNIT(function, unit) BENCHMARK(function)->Unit((unit))
#define BENCHMARK_RANGE(function, low, high) BENCHMARK(function)->Range((low), (high))
#define BENCHMARK_RANGE2(function, low1, high1, low2, high2) BENCHMARK(function)->RangePair((low1), (high1), (low2), (high2))

#define BENCHMARK_CAPTURE(function, name, ...)                                                                         \
    TARE_REGISTERED = ::tare::detail::add_plain(                                                                       \
        #function "/" #name, [](::tare::State &state) { function(state, __VA_ARGS__); }, __FILE__, TARE_LINE)

#define BENCHMARK_NAMED(function, name)                                                                                \
    TARE_REGISTERED = ::tare::detail::add_plain(#function "/" #name, function, __FILE__, TARE_LINE)

#define BENCHMARK_TEMPLATE(function, ...)                                                                              \
    TARE_REGISTERED = ::tare::detail::add_plain(#function "<" #__VA_ARGS__ ">", function<__VA_ARGS__>, __FILE__, TARE_LINE)
#define BENCHMARK_TEMPLATE1(function, a)                                                                               \
    TARE_REGISTERED = ::tare::detail::add_plain(#function "<" #a ">", function<a>, __FILE__, TARE_LINE)
#define BENCHMARK_TEMPLATE2(function, a, b)                                                                            \
    TARE_REGISTERED = ::tare::detail::add_plain(#function "<" #a "," #b ">", function<a, b>, __FILE__, TARE_LINE)
#define BENCHMARK_TEMPLATE1_CAPTURE(function, a, name, ...) BENCHMARK_CAPTURE(function<a>, name, __VA_ARGS__)
#define BENCHMARK_TEMPLATE2_CAPTURE(function, a, b, name, ...)                                                         \
    TARE_REGISTERED = ::tare::detail::add_plain(                                                                       \
        #function "<" #a "," #b ">/" #name, [](::tare::State &state) { function<a, b>(state, __VA_ARGS__); }, __FILE__, TARE_LINE)

#define TARE_FIXTURE_CLASS(fixture, method) fixture##_##method##_Benchmark

#define TARE_FIXTURE_BODY(fixture, method, printed, ...)                                                               \
    class TARE_FIXTURE_CLASS(fixture, method) : public __VA_ARGS__ {                                                   \
    public:                                                                                                            \
        TARE_FIXTURE_CLASS(fixture, method)() { this->SetName(printed); }                                              \
                                                                                                                       \
    protected:                                                                                                         \
        void BenchmarkCase(::tare::State &) override;                                                                  \
    };

// Names are made here, one macro below those that are written: arguments that are macros themselves are expanded by then, as Google Benchmark
// prints them.
#define TARE_FIXTURE_PLAIN(fixture, method) TARE_FIXTURE_BODY(fixture, method, #fixture "/" #method, fixture)
#define TARE_FIXTURE_OF(fixture, method, ...)                                                                          \
    TARE_FIXTURE_BODY(fixture, method, #fixture "<" #__VA_ARGS__ ">/" #method, fixture<__VA_ARGS__>)
#define TARE_FIXTURE_OF_TWO(fixture, method, a, b)                                                                     \
    TARE_FIXTURE_BODY(fixture, method, #fixture "<" #a "," #b ">/" #method, fixture<a, b>)
#define TARE_FIXTURE_CASE(fixture, method) void TARE_FIXTURE_CLASS(fixture, method)::BenchmarkCase

#define BENCHMARK_DEFINE_F(fixture, method)                                                                            \
    TARE_FIXTURE_PLAIN(fixture, method)                                                                                \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE_DEFINE_F(fixture, method, ...)                                                              \
    TARE_FIXTURE_OF(fixture, method, __VA_ARGS__)                                                                      \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE1_DEFINE_F(fixture, method, a)                                                               \
    TARE_FIXTURE_OF(fixture, method, a)                                                                                \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE2_DEFINE_F(fixture, method, a, b)                                                            \
    TARE_FIXTURE_OF_TWO(fixture, method, a, b)                                                                         \
    TARE_FIXTURE_CASE(fixture, method)

#define BENCHMARK_REGISTER_F(fixture, method)                                                                          \
    TARE_REGISTERED = ::tare::detail::add(new TARE_FIXTURE_CLASS(fixture, method)(), __FILE__, TARE_LINE)

#define BENCHMARK_F(fixture, method)                                                                                   \
    TARE_FIXTURE_PLAIN(fixture, method)                                                                                \
    BENCHMARK_REGISTER_F(fixture, method);                                                                             \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE_F(fixture, method, ...)                                                                     \
    TARE_FIXTURE_OF(fixture, method, __VA_ARGS__)                                                                      \
    BENCHMARK_REGISTER_F(fixture, method);                                                                             \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE1_F(fixture, method, a)                                                                      \
    TARE_FIXTURE_OF(fixture, method, a)                                                                                \
    BENCHMARK_REGISTER_F(fixture, method);                                                                             \
    TARE_FIXTURE_CASE(fixture, method)
#define BENCHMARK_TEMPLATE2_F(fixture, method, a, b)                                                                   \
    TARE_FIXTURE_OF_TWO(fixture, method, a, b)                                                                         \
    BENCHMARK_REGISTER_F(fixture, method);                                                                             \
    TARE_FIXTURE_CASE(fixture, method)

// A method of a templated fixture, defined once and registered for several types.
#define TARE_METHOD_CLASS(fixture, method) fixture##_##method##_BenchmarkTemplate
#define BENCHMARK_TEMPLATE_METHOD_F(fixture, method)                                                                   \
    template <class... Types> class TARE_METHOD_CLASS(fixture, method) : public fixture<Types...> {                    \
    protected:                                                                                                         \
        using Base = fixture<Types...>;                                                                                \
        void BenchmarkCase(::tare::State &) override;                                                                  \
    };                                                                                                                 \
    template <class... Types> void TARE_METHOD_CLASS(fixture, method)<Types...>::BenchmarkCase
#define TARE_METHOD_INSTANCE(fixture, method, unique, ...)                                                             \
    class unique : public TARE_METHOD_CLASS(fixture, method)<__VA_ARGS__> {                                            \
    public:                                                                                                            \
        unique() { this->SetName(#fixture "<" #__VA_ARGS__ ">/" #method); }                                            \
    };                                                                                                                 \
    TARE_REGISTERED = ::tare::detail::add(new unique(), __FILE__, TARE_LINE)
#define BENCHMARK_TEMPLATE_INSTANTIATE_F(fixture, method, ...)                                                         \
    TARE_METHOD_INSTANCE(fixture, method, TARE_JOIN(tare_instance_, __COUNTER__), __VA_ARGS__)

#define BENCHMARK_MAIN()                                                                                               \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        ::tare::MaybeReenterWithoutASLR(argc, argv);                                                                   \
        ::tare::Initialize(&argc, argv);                                                                               \
        if (::tare::ReportUnrecognizedArguments(argc, argv)) {                                                         \
            return 1;                                                                                                  \
        }                                                                                                              \
        ::tare::RunSpecifiedBenchmarks();                                                                              \
        ::tare::Shutdown();                                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static_assert(true, "takes the semicolon")
