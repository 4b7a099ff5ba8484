// The subjects as benchmarks.
#include <tare/benchmark.h>

template <typename T> static inline void keep(T const &value)
{
    benchmark::DoNotOptimize(value);
}

#include "subjects.h"

#define SUBJECT(name, ...)                                                                                                                            \
    static void name(benchmark::State &state)                                                                                                         \
    {                                                                                                                                                  \
        for (auto _ : state)                                                                                                                           \
            subjects::__VA_ARGS__();                                                                                                                   \
    }                                                                                                                                                  \
    BENCHMARK(name)

SUBJECT(EachNone, each<(1L << 50)>);
SUBJECT(Each5, each<5>);
SUBJECT(Each100, each<100>);
SUBJECT(Each10000, each<10000>);
SUBJECT(PushBackReserved, push_back<true>);
SUBJECT(PushBack, push_back<false>);
SUBJECT(InsertReserved, insert<true>);
SUBJECT(Insert, insert<false>);

BENCHMARK_MAIN();
