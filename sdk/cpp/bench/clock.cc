// What a read through a TickClock costs beside a fresh one, and what a tick with its first read costs. Ten of each a call.
//
//     g++ -std=c++17 -O2 -pthread -I ../include clock.cc -o clock && tare run ./clock --base '#fresh'
#include <tare/benchmark.h>
#include <tare/clock.h>

template <class Clock>
static void fresh(tare::State &state)
{
    TARE_LOOP(state)
    {
        for (int read = 0; read < 10; ++read) {
            tare::keep(Clock::now());
            // Each read is one: without this the compiler would fetch what is kept once for all ten.
            benchmark::ClobberMemory();
        }
    };
}

template <class Clock>
static void tick(tare::State &state)
{
    typename tare::TickClock<Clock>::Ticks ticks;
    ticks.tick();
    fresh<tare::TickClock<Clock>>(state);
}

template <class Clock>
static void turn(tare::State &state)
{
    typename tare::TickClock<Clock>::Ticks ticks;
    TARE_LOOP(state)
    {
        for (int turn = 0; turn < 10; ++turn) {
            ticks.tick();
            tare::keep(tare::TickClock<Clock>::now());
            benchmark::ClobberMemory();
        }
    };
}

BENCHMARK(fresh<tare::WallClock>)->Name("Wall/fresh");
BENCHMARK(tick<tare::WallClock>)->Name("Wall/tick");
BENCHMARK(turn<tare::WallClock>)->Name("Wall/turn");
BENCHMARK(fresh<tare::MonotonicClock>)->Name("Monotonic/fresh");
BENCHMARK(tick<tare::MonotonicClock>)->Name("Monotonic/tick");
BENCHMARK(turn<tare::MonotonicClock>)->Name("Monotonic/turn");

BENCHMARK_MAIN();
