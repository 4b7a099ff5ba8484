// Benchmarks that misbehave.
#include <tare/benchmark.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

static int runs = 0;

// The first run, which shows how the benchmark loops, is taken while the case is prepared; these behave in it.
#define AFTER_THE_FIRST_RUN(what)                                                                                      \
    for (auto _ : state) {                                                                                             \
    }                                                                                                                  \
    if (++runs > 1) {                                                                                                  \
        what;                                                                                                          \
    }

static void BM_Throws(benchmark::State &state) { AFTER_THE_FIRST_RUN(throw std::runtime_error("out of \"cheese\"")) }
BENCHMARK(BM_Throws);
static void BM_ThrowsAtOnce(benchmark::State &) { throw std::vector<int>(); }
BENCHMARK(BM_ThrowsAtOnce);
static void BM_ThrowsInvalidUtf8(benchmark::State &) { throw std::runtime_error("\xff\x01\xc3\xa9\xed\xa0\x80"); }
BENCHMARK(BM_ThrowsInvalidUtf8);
static void BM_Crashes(benchmark::State &state) { AFTER_THE_FIRST_RUN(std::raise(SIGSEGV)) }
BENCHMARK(BM_Crashes);
static void BM_Aborts(benchmark::State &state) { AFTER_THE_FIRST_RUN(std::abort()) }
BENCHMARK(BM_Aborts);
static void BM_Exits(benchmark::State &state) { AFTER_THE_FIRST_RUN(std::exit(3)) }
BENCHMARK(BM_Exits);
static void BM_Forks(benchmark::State &state)
{
    for (auto _ : state) {
        if (fork() == 0) {
            std::exit(0);
        }
    }
}
BENCHMARK(BM_Forks)->Iterations(1);

static void BM_Fails(benchmark::State &state)
{
    state.SkipWithError("there is no data");
    for (auto _ : state) {
        std::abort();
    }
}
BENCHMARK(BM_Fails);
static void BM_FailsInside(benchmark::State &state)
{
    for (auto _ : state) {
        state.SkipWithError("it broke");
        break;
    }
}
BENCHMARK(BM_FailsInside);
static void BM_SkipsItself(benchmark::State &state)
{
    state.SkipWithMessage("only on Sundays");
    while (state.KeepRunning()) {
        std::abort();
    }
}
BENCHMARK(BM_SkipsItself);
static void BM_NeverLoops(benchmark::State &) {}
BENCHMARK(BM_NeverLoops);
static void BM_LeavesEarly(benchmark::State &state)
{
    for (auto _ : state) {
        break;
    }
}
BENCHMARK(BM_LeavesEarly);
static void BM_ManualWithoutTime(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(BM_ManualWithoutTime)->UseManualTime();
static void BM_OneThreadThrows(benchmark::State &state)
{
    if (state.thread_index() == 1) {
        throw std::runtime_error("thread 1 has had enough");
    }
    for (auto _ : state) {
    }
}
BENCHMARK(BM_OneThreadThrows)->Threads(3);
static void BM_ReadsInput(benchmark::State &state)
{
    for (auto _ : state) {
        if (std::getchar() != EOF) {
            std::abort();
        }
    }
}
BENCHMARK(BM_ReadsInput);
static void BM_Prints(benchmark::State &state)
{
    for (auto _ : state) {
        std::printf("{\"frame\":\"fault\",\"id\":0}\n");
    }
}
BENCHMARK(BM_Prints);
static void BM_StaysPaused(benchmark::State &state)
{
    for (auto _ : state) {
        state.PauseTiming();
    }
}
BENCHMARK(BM_StaysPaused);
static void BM_Twice(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(BM_Twice);
BENCHMARK(BM_Twice)->UseRealTime();
BENCHMARK(BM_Twice)->Name("BM_Same");
BENCHMARK(BM_Twice)->Arg(1)->Arg(1)->Name("BM_Again");
BENCHMARK(BM_Twice)->Name("BM_Same");
BENCHMARK(BM_Twice)->Name("caf\xe9 \xe2\x98\x83");
BENCHMARK(BM_Twice)->Name("caf\xe8 \xe2\x98\x83");
BENCHMARK(BM_Twice)->Name(std::string(100000, 'n') + "1");
BENCHMARK(BM_Twice)->Name(std::string(100000, 'n') + "2");
static void BM_Hook(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(BM_Hook)->Setup([](const benchmark::State &) { throw std::logic_error("no set-up today"); });

BENCHMARK_MAIN();
