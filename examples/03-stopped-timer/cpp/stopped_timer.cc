// The timer that is stopped inside the loop: n atomic additions, with and without PauseTiming and ResumeTiming in each pass. The
// source is written for Google Benchmark; only its include is Tare's.
#include <atomic>

#include <tare/benchmark.h>

static std::atomic<int> counter{0};

static void BM_Plain(benchmark::State &state)
{
    for (auto _ : state) {
        for (auto i = state.range(0); i > 0; --i) {
            counter.fetch_add(1);
        }
    }
}
BENCHMARK(BM_Plain)->RangeMultiplier(10)->Range(1, 1000);

static void BM_Stopped(benchmark::State &state)
{
    for (auto _ : state) {
        state.PauseTiming();
        state.ResumeTiming();
        for (auto i = state.range(0); i > 0; --i) {
            counter.fetch_add(1);
        }
    }
}
BENCHMARK(BM_Stopped)->RangeMultiplier(10)->Range(1, 1000);

BENCHMARK_MAIN();
