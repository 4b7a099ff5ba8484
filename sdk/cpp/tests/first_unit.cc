// Two translation units, one registry. This one has main, and no exceptions or run-time types in other tests' flags.
#include <tare/benchmark.h>

static void BM_First(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(BM_First);

BENCHMARK_MAIN();
