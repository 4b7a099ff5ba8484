// What is seen of the whole process: its CPU time, how often it waits, and where its blocks lie.
#include <cstdint>
#include <memory>
#include <thread>

#include <time.h>

// Constructed before the header's own objects, were it not for their priority.
static const std::unique_ptr<char[]> early(new char[200]);

#include <tare/benchmark.h>

static double in_page(const void *block) { return static_cast<double>(reinterpret_cast<std::uintptr_t>(block) % 4096); }

static void places(tare::State &state)
{
    const std::unique_ptr<char[]> late(new char[600]), large(new char[50000]);
    TARE_LOOP(state) {};
    state.counters["early"] = in_page(early.get());
    state.counters["late"] = in_page(late.get());
    state.counters["large"] = in_page(large.get());
}
BENCHMARK(places);

static void sleeps(tare::State &state)
{
    for (auto _ : state) {
        const timespec moment{0, 100000};
        nanosleep(&moment, nullptr);
    }
}
BENCHMARK(sleeps);

static void work()
{
    for (int i = 0; i < 20000000; ++i) {
        tare::keep(i);
    }
}

static void works(tare::State &state)
{
    for (auto _ : state) {
        work();
    }
}
BENCHMARK(works);

// Outside the loop; 60 sleeps.
static void sleeps_outside(tare::State &state)
{
    const timespec moment{0, 100000};
    for (int i = 0; i < 30; ++i) {
        nanosleep(&moment, nullptr);
    }
    for (auto _ : state) {
    }
    for (int i = 0; i < 30; ++i) {
        nanosleep(&moment, nullptr);
    }
}
BENCHMARK(sleeps_outside);

static void works_outside(tare::State &state)
{
    work();
    for (auto _ : state) {
    }
    work();
}
BENCHMARK(works_outside);

// As much again by another thread.
static void works_by_two(tare::State &state)
{
    for (auto _ : state) {
        std::thread other(work);
        work();
        other.join();
    }
}
BENCHMARK(works_by_two);

BENCHMARK_MAIN();
