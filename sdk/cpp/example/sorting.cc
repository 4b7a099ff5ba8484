// Two ways to sort, in both styles: Google Benchmark's, and Tare's own. Build it with -O2, and `tare run` the binary.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <tare/benchmark.h>

namespace {

std::vector<int> shuffled(std::int64_t size)
{
    std::mt19937 numbers(42);
    std::vector<int> values(static_cast<std::size_t>(size));
    for (int &value : values) {
        value = static_cast<int>(numbers() % 1000);
    }
    return values;
}

// The copy isn't part of the sorting: it is left out of the time.
void Sort(benchmark::State &state)
{
    const std::vector<int> values = shuffled(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        std::vector<int> copy = values;
        state.ResumeTiming();
        std::sort(copy.begin(), copy.end());
        benchmark::DoNotOptimize(copy.data());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Sort)->ArgName("size")->Arg(10)->Arg(1000);

void StableSort(benchmark::State &state)
{
    const std::vector<int> values = shuffled(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        std::vector<int> copy = values;
        state.ResumeTiming();
        std::stable_sort(copy.begin(), copy.end());
        benchmark::DoNotOptimize(copy.data());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StableSort)->ArgName("size")->Arg(10)->Arg(1000);

void Find(tare::State &state)
{
    const std::vector<int> values = shuffled(state.range(0));
    TARE_LOOP(state) { tare::keep(std::find(values.begin(), values.end(), tare::opaque(1001))); };
}
BENCHMARK(Find)->Arg(100);

} // namespace

TARE_BENCHMARK(Modulo) { tare::keep(tare::opaque(12345) % tare::opaque(7)); }

BENCHMARK_MAIN();
