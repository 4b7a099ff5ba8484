// The timer is stopped and started outside the loop as well; only what lies in the loop is time. Each call sleeps 100 µs, and each pause 200 ms, so that
// a pause that is taken off leaves nothing.
#include <benchmark/benchmark.h>

#include <time.h>

static void sleep_us(long microseconds)
{
    const timespec moment{0, microseconds * 1000};
    nanosleep(&moment, nullptr);
}

static void pause(benchmark::State &state)
{
    state.PauseTiming();
    sleep_us(200000);
    state.ResumeTiming();
}

static void BM_Before(benchmark::State &state)
{
    pause(state);
    for (auto _ : state) {
        sleep_us(100);
    }
}
BENCHMARK(BM_Before);
BENCHMARK(BM_Before)->Threads(2)->Name("BM_BeforeInThreads");

static void BM_After(benchmark::State &state)
{
    for (auto _ : state) {
        sleep_us(100);
    }
    pause(state);
    state.PauseTiming();
}
BENCHMARK(BM_After);

static void BM_Scoped(benchmark::State &state)
{
    {
        const benchmark::ScopedPauseTiming paused(state);
        sleep_us(200000);
    }
    while (state.KeepRunning()) {
        sleep_us(100);
    }
    const benchmark::ScopedPauseTiming paused(state);
    sleep_us(200000);
}
BENCHMARK(BM_Scoped);

static void BM_Batch(benchmark::State &state)
{
    pause(state);
    while (state.KeepRunningBatch(10)) {
        sleep_us(100);
    }
}
BENCHMARK(BM_Batch);

static void BM_BatchPauses(benchmark::State &state)
{
    while (state.KeepRunningBatch(10)) {
        for (int call = 0; call < 10; ++call) {
            state.PauseTiming();
            state.ResumeTiming();
        }
    }
}
BENCHMARK(BM_BatchPauses);

static void BM_Manual(benchmark::State &state)
{
    pause(state);
    for (auto _ : state) {
        state.SetIterationTime(0.000002);
    }
    state.PauseTiming();
}
BENCHMARK(BM_Manual)->UseManualTime();

// Stopped from before the loop to after it, but for the work.
static void BM_Spans(benchmark::State &state)
{
    state.PauseTiming();
    for (auto _ : state) {
        state.ResumeTiming();
        sleep_us(100);
        state.PauseTiming();
    }
    sleep_us(200000);
}
BENCHMARK(BM_Spans);

static void BM_Never(benchmark::State &state)
{
    state.PauseTiming();
    for (auto _ : state) {
    }
    state.ResumeTiming();
}
BENCHMARK(BM_Never);

BENCHMARK_MAIN();
