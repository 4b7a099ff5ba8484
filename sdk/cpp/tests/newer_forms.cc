// What Google Benchmark's newer sources use, split headers among it. There is no main: benchmark_main.cc is compiled with it.
#include <benchmark/benchmark.h>
#include <benchmark/benchmark_api.h>
#include <benchmark/counter.h>
#include <benchmark/export.h>
#include <benchmark/macros.h>
#include <benchmark/managers.h>
#include <benchmark/registration.h>
#include <benchmark/reporter.h>
#include <benchmark/state.h>
#include <benchmark/statistics.h>
#include <benchmark/sysinfo.h>
#include <benchmark/types.h>
#include <benchmark/utils.h>

#include <string>
#include <vector>

namespace {

#define FIXTURE_BY_ANOTHER_NAME Counted
#define ELEMENT long

class Counted : public benchmark::Fixture {
public:
    void SetUp(benchmark::State &) override { values.assign(100, 1); }
    void TearDown(benchmark::State &state) override { state.SetItemsProcessed(state.iterations() * 100); }
    std::vector<int> values;
};

BENCHMARK_F(FIXTURE_BY_ANOTHER_NAME, InTearDown)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(values.data());
    }
}

template <class T, class U = T> class Of : public benchmark::Fixture {
public:
    T first{};
    U second{};
};
BENCHMARK_TEMPLATE2_F(Of, Two, int, ELEMENT)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(second);
    }
}

BENCHMARK_TEMPLATE_METHOD_F(Of, Method)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(this->first);
    }
}
BENCHMARK_TEMPLATE_INSTANTIATE_F(Of, Method, double)->Arg(25);
BENCHMARK_TEMPLATE_INSTANTIATE_F(Of, Method, char, int);

void BM_ScopedPause(benchmark::State &state)
{
    std::string text;
    for (auto _ : state) {
        const benchmark::ScopedPauseTiming pause(state);
        text.assign(10, 'x');
    }
}
BENCHMARK(BM_ScopedPause)->Repetitions(3)->MinTime(1)->Complexity();

void BM_Named(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK_NAMED(BM_Named, by_this);

// It says how a case went; nobody calls it.
class Own : public benchmark::ConsoleReporter {
public:
    bool ReportContext(const Context &context) override { return context.cpu_info.num_cpus > 0 && context.sys_info.name.empty(); }
    void ReportRuns(const std::vector<Run> &runs) override { seen += runs.size(); }
    std::size_t seen = 0;
};

BENCHMARK_UNUSED std::size_t with_everything(int argc, char **argv)
{
    benchmark::MaybeReenterWithoutASLR(argc, argv);
    Own own;
    benchmark::SetBenchmarkFilter("^BM_");
    const int cpus = benchmark::CPUInfo::Get().num_cpus;
    return static_cast<std::size_t>(cpus) + benchmark::GetBenchmarkFilter().size() + benchmark::RunSpecifiedBenchmarks(&own) + benchmark::RunSpecifiedBenchmarks(&own, nullptr, "x")
        + benchmark::RunSpecifiedBenchmarks("y");
}

} // namespace
