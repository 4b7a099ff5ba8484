// The subjects as benchmarks.
#include <tare/benchmark.h>

#include "subjects.h"

#define SUBJECT(name, ...)                                                                                                                            \
    static void name(benchmark::State &state)                                                                                                         \
    {                                                                                                                                                  \
        for (auto _ : state)                                                                                                                           \
            subjects::__VA_ARGS__();                                                                                                                   \
    }                                                                                                                                                  \
    BENCHMARK(name)

SUBJECT(EachNone, each<(1L << 50), subjects::long_work>);
SUBJECT(ShortNone, each<(1L << 50), subjects::short_work>);
SUBJECT(Each5, each<5, subjects::long_work>);
SUBJECT(Each100, each<100, subjects::long_work>);
SUBJECT(Short10000, each<10000, subjects::short_work>);
SUBJECT(PushBackReserved, grow_vector<true>);
SUBJECT(PushBack, grow_vector<false>);
SUBJECT(InsertReserved, grow_map<true>);
SUBJECT(Insert, grow_map<false>);

BENCHMARK_MAIN();
