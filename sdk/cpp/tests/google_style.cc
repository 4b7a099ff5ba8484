// Everything of Google Benchmark's interface that the header has, used as its users use it. Compiled with warnings as errors; the
// counts and names that come of it are checked by the tests.
#include <tare/benchmark.h>

#include <cmath>
#include <memory>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

void BM_RangeFor(benchmark::State &state)
{
    int sum = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(sum += 1);
    }
}
BENCHMARK(BM_RangeFor);

void BM_KeepRunning(benchmark::State &state)
{
    while (state.KeepRunning()) {
        benchmark::ClobberMemory();
    }
}
BENCHMARK(BM_KeepRunning)->Arg(8)->Arg(-3);

void BM_Batch(benchmark::State &state)
{
    while (state.KeepRunningBatch(10)) {
        for (int i = 0; i < 10; ++i) {
            benchmark::ClobberMemory();
        }
    }
}
BENCHMARK(BM_Batch);

void BM_Args(benchmark::State &state)
{
    for (auto _ : state) {
        auto product = state.range(0) * state.range(1);
        benchmark::DoNotOptimize(product);
    }
}
BENCHMARK(BM_Args)->Args({1, 2})->ArgPair(3, 4);
BENCHMARK(BM_Args)->ArgNames({"n", "m"})->Ranges({{1, 64}, {-2, 2}})->Name("BM_Ranges");
BENCHMARK(BM_Args)->ArgsProduct({{1, 2}, benchmark::CreateRange(8, 32, 2), benchmark::CreateDenseRange(0, 4, 4)})->Name("BM_Product");

void BM_Memory(benchmark::State &state)
{
    std::vector<char> from(static_cast<std::size_t>(state.range(0)), 'x'), to(from.size());
    for (auto _ : state) {
        std::copy(from.begin(), from.end(), to.begin());
        benchmark::DoNotOptimize(to.data());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 2);
    state.SetLabel("copied");
    state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Memory)->RangeMultiplier(4)->Range(8, 128)->Complexity(benchmark::oN)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Memory)->ArgName("size")->DenseRange(10, 30, 10)->Complexity()->MinTime(0.1)->Repetitions(3)->ReportAggregatesOnly(true)->Name("BM_Dense");
BENCHMARK(BM_Memory)->Arg(16)->Complexity([](benchmark::IterationCount n) -> double { return static_cast<double>(n); })->Name("BM_Lambda");

void BM_Paused(benchmark::State &state)
{
    for (auto _ : state) {
        state.PauseTiming();
        std::set<int> made;
        state.ResumeTiming();
        made.insert(1);
        benchmark::DoNotOptimize(made);
    }
}
BENCHMARK(BM_Paused)->UseRealTime()->Iterations(50);

void BM_PausesLate(benchmark::State &state)
{
    static int calls = 0;
    for (auto _ : state) {
        if (++calls % 10 == 0) {
            state.PauseTiming();
            state.ResumeTiming();
        }
    }
}
BENCHMARK(BM_PausesLate);

void BM_Manual(benchmark::State &state)
{
    for (auto _ : state) {
        state.SetIterationTime(0.000002);
    }
}
BENCHMARK(BM_Manual)->UseManualTime();

void BM_Counters(benchmark::State &state)
{
    double passes = 0;
    for (auto _ : state) {
        passes += 1;
    }
    state.counters["plain"] = 42;
    state.counters["passes"] = passes;
    state.counters["average"] = benchmark::Counter(passes * 3, benchmark::Counter::kAvgIterations);
    state.counters["rate"] = benchmark::Counter(passes, benchmark::Counter::kIsRate, benchmark::Counter::OneK::kIs1024);
    state.counters["inverse"] = benchmark::Counter(4, benchmark::Counter::kInvert);
    state.counters["each"] = benchmark::Counter(2, benchmark::Counter::kIsIterationInvariant);
    state.counters["none"] = std::nan("");
    state.counters.insert({{"a=b", 0.5}});
}
BENCHMARK(BM_Counters);

void BM_Refused(benchmark::State &state)
{
    for (auto _ : state) {
    }
    state.counters[""] = 1;
    state.counters["infinite"] = HUGE_VAL;
    state.counters[std::string(70000, 'n')] = 2;
    state.SetBytesProcessed(INT64_MAX);
    state.SetItemsProcessed(-1);
}
BENCHMARK(BM_Refused)->Threads(1)->Threads(2);

void BM_Threads(benchmark::State &state)
{
    if (state.thread_index() == 0) {
        state.counters["threads"] = state.threads();
    }
    for (auto _ : state) {
        benchmark::ClobberMemory();
    }
    state.counters["mean"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kAvgThreads);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Threads)->Threads(2)->ThreadRange(1, 4);
BENCHMARK(BM_Threads)->DenseThreadRange(1, 3, 2)->MeasureProcessCPUTime()->Name("BM_DenseThreads");
BENCHMARK(BM_Threads)->ThreadPerCpu()->Name("BM_PerCpu");

int set_up = 0, torn_down = 0;
void SetUpOnce(const benchmark::State &state) { set_up += state.range(0) == 5; }
void BM_Hooks(benchmark::State &state)
{
    for (auto _ : state) {
    }
    state.counters["set_up"] = set_up;
    state.counters["torn_down"] = torn_down;
}
BENCHMARK(BM_Hooks)->Arg(5)->Setup(SetUpOnce)->Teardown([](const benchmark::State &) { ++torn_down; });

template <class T> void BM_Template(benchmark::State &state)
{
    T value{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK_TEMPLATE(BM_Template, int);
BENCHMARK_TEMPLATE1(BM_Template, double);
BENCHMARK(BM_Template<std::string>);

template <class First, class Second> void BM_TwoTypes(benchmark::State &state)
{
    std::map<First, Second> map;
    for (auto _ : state) {
        benchmark::DoNotOptimize(map.size());
    }
}
BENCHMARK_TEMPLATE2(BM_TwoTypes, int, char);
BENCHMARK_TEMPLATE(BM_TwoTypes, int, float)->Arg(1);

template <class... Extra> void BM_Captured(benchmark::State &state, Extra &&...extra)
{
    const auto taken = std::make_tuple(std::move(extra)...);
    for (auto _ : state) {
        benchmark::DoNotOptimize(std::get<0>(taken));
    }
}
BENCHMARK_CAPTURE(BM_Captured, number, 42);
BENCHMARK_CAPTURE(BM_Captured, several, 1, std::string("two"), 3.0)->Unit(benchmark::kMillisecond);

void Customise(benchmark::internal::Benchmark *benchmark)
{
    for (int i = 1; i <= 3; ++i) {
        benchmark->Arg(i * i);
    }
}
void BM_Applied(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(state.range(0));
    }
}
BENCHMARK(BM_Applied)->Apply(Customise);
BENCHMARK(BM_Applied)->Apply([](benchmark::internal::Benchmark *benchmark) { benchmark->Args({7}); });

} // namespace

class Filled : public benchmark::Fixture {
public:
    void SetUp(const ::benchmark::State &state) override { values.assign(static_cast<std::size_t>(state.range(0)) + 1, 1); }
    void TearDown(const ::benchmark::State &) override { values.clear(); }
    std::vector<int> values;

private:
    using benchmark::Fixture::SetUp;
    using benchmark::Fixture::TearDown;
};

BENCHMARK_F(Filled, Sum)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), 0));
    }
    state.counters["size"] = static_cast<double>(values.size());
}

BENCHMARK_DEFINE_F(Filled, Max)(benchmark::State &state)
{
    while (state.KeepRunning()) {
        benchmark::DoNotOptimize(values.data());
    }
}
BENCHMARK_REGISTER_F(Filled, Max)->Arg(10)->Arg(20);

template <class T, class U = int> class Typed : public benchmark::Fixture {
public:
    T value{};
    U other{};
};
BENCHMARK_TEMPLATE_F(Typed, One, double)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK_TEMPLATE_DEFINE_F(Typed, Two, int, long)(benchmark::State &state)
{
    for (auto _ : state) {
        benchmark::DoNotOptimize(other);
    }
}
BENCHMARK_REGISTER_F(Typed, Two)->Threads(1);

int main(int argc, char **argv)
{
    benchmark::RegisterBenchmark("registered/late", [](benchmark::State &state) {
        for (auto _ : state) {
        }
    })->Arg(1);
    benchmark::RegisterBenchmark(
        "bound",
        [](benchmark::State &state, int first, const std::string &second) {
            for (auto _ : state) {
            }
            state.counters["sum"] = first + static_cast<int>(second.size());
        },
        5, std::string("four"));
    benchmark::AddCustomContext("purpose", "tests");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
