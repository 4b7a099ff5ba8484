// The include of Google Benchmark's own, found in the drop-in folder.
#include <benchmark/benchmark.h>

static void BM_Second(benchmark::State &state)
{
    while (state.KeepRunning()) {
    }
}
BENCHMARK(BM_Second)->Arg(1);
