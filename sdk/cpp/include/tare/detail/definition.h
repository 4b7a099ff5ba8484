// A benchmark as its author wrote it: a function, and what it asks for.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include "ranges.h"
#include "state.h"

namespace tare {

enum TimeUnit { kNanosecond, kMicrosecond, kMillisecond, kSecond };
enum BigO { oNone, o1, oN, oNSquared, oNCubed, oLogN, oNLogN, oAuto, oLambda };

namespace detail {

using Arguments = std::vector<std::int64_t>;

/// A callback around samples, whatever its type.
struct Hook {
    virtual ~Hook() = default;
    virtual void call(const State &state) = 0;
};

template <class Function> struct HookOf final : Hook {
    Function function;
    explicit HookOf(Function what) : function(std::move(what)) {}
    void call(const State &state) override { function(state); }
};

/// The code of a benchmark that its class doesn't tell.
struct Code {
    /// Address of the function that it calls; 0 for none.
    std::uintptr_t function;
    /// It calls what only a captured value knows, or works on what the constructor of its own class has made.
    bool is_hidden;
};

/// What Google Benchmark knows as a setting and Tare does otherwise; each is said once.
enum Ignored : unsigned {
    min_time = 1,
    warm_up = 2,
    repetitions = 4,
    complexity = 8,
    statistics = 16,
    cpu_time = 32,
    reporters = 64,
    managers = 128,
    thread_runner = 256
};

/// As the wire has it.
inline const char *unit_name(TimeUnit unit)
{
    static constexpr const char *names[] = {"nanoseconds", "microseconds", "milliseconds", "seconds"};
    return names[unit];
}

struct Settings {
    std::string name;
    std::string file;
    std::int64_t line = 0;
    std::vector<Arguments> arguments;
    std::vector<std::string> argument_names;
    std::vector<int> threads;
    std::vector<std::string> groups;
    std::int64_t multiplier = 8;
    IterationCount iterations = 0;
    const char *unit = nullptr;
    bool is_manual = false;
    bool is_real_time = false;
    bool is_base = false;
    unsigned ignored = 0;
    Hook *set_up = nullptr;
    Hook *tear_down = nullptr;
};

} // namespace detail

/// What BENCHMARK gives: each method adds to it and gives it back.
class Benchmark {
public:
    explicit Benchmark(const std::string &name) { settings_.name = name; }
    virtual ~Benchmark()
    {
        delete settings_.set_up;
        delete settings_.tear_down;
    }
    Benchmark(const Benchmark &) = delete;
    Benchmark &operator=(const Benchmark &) = delete;

    /// Another name.
    Benchmark *Name(const std::string &name) { return SetName(name.c_str()), this; }

    /// One argument; every call makes a case.
    Benchmark *Arg(std::int64_t value) { return Args({value}); }
    /// Several arguments of one case.
    Benchmark *Args(const std::vector<std::int64_t> &values)
    {
        settings_.arguments.push_back(values);
        return this;
    }
    Benchmark *ArgPair(std::int64_t x, std::int64_t y) { return Args({x, y}); }
    /// A case for each value from `start` to `limit`.
    Benchmark *DenseRange(std::int64_t start, std::int64_t limit, int step = 1)
    {
        return ArgsProduct({CreateDenseRange(start, limit, step)});
    }
    /// A case for each power of the multiplier from `start` to `limit`, with both.
    Benchmark *Range(std::int64_t start, std::int64_t limit) { return Ranges({{start, limit}}); }
    Benchmark *RangePair(std::int64_t low1, std::int64_t high1, std::int64_t low2, std::int64_t high2)
    {
        return Ranges({{low1, high1}, {low2, high2}});
    }
    /// Each combination of values of several ranges.
    Benchmark *Ranges(const std::vector<std::pair<std::int64_t, std::int64_t>> &ranges)
    {
        std::vector<detail::Arguments> lists(ranges.size());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            detail::add_range(lists[i], ranges[i].first, ranges[i].second, settings_.multiplier);
        }
        return ArgsProduct(lists);
    }
    /// Each combination of these values, the first changing fastest.
    Benchmark *ArgsProduct(const std::vector<std::vector<std::int64_t>> &lists)
    {
        std::size_t combinations = lists.empty() ? 0 : 1;
        for (const auto &list : lists) {
            combinations *= list.size();
        }
        for (std::size_t number = 0; number < combinations; ++number) {
            detail::Arguments values;
            std::size_t rest = number;
            for (const auto &list : lists) {
                values.push_back(list[rest % list.size()]);
                rest /= list.size();
            }
            settings_.arguments.push_back(std::move(values));
        }
        return this;
    }
    /// For the ranges that follow; 8 otherwise.
    Benchmark *RangeMultiplier(int multiplier)
    {
        settings_.multiplier = multiplier;
        return this;
    }
    Benchmark *ArgName(const std::string &name) { return ArgNames({name}); }
    Benchmark *ArgNames(const std::vector<std::string> &names)
    {
        settings_.argument_names = names;
        return this;
    }
    /// Lets a function set it up.
    template <class Function> Benchmark *Apply(Function &&function)
    {
        function(this);
        return this;
    }

    /// The unit of the report.
    Benchmark *Unit(TimeUnit unit)
    {
        settings_.unit = detail::unit_name(unit);
        return this;
    }
    /// Calls a sample, instead of as many as the pilot finds right.
    Benchmark *Iterations(IterationCount calls)
    {
        settings_.iterations = calls;
        return this;
    }
    /// The time is what SetIterationTime says.
    Benchmark *UseManualTime()
    {
        settings_.is_manual = true;
        return this;
    }
    /// Nothing to do: the time is always that of the wall.
    Benchmark *UseRealTime()
    {
        settings_.is_real_time = true;
        return this;
    }

    /// Called before and after each sample, outside the time.
    template <class Function> Benchmark *Setup(Function function)
    {
        delete settings_.set_up;
        settings_.set_up = new detail::HookOf<Function>(std::move(function));
        return this;
    }
    template <class Function> Benchmark *Teardown(Function function)
    {
        delete settings_.tear_down;
        settings_.tear_down = new detail::HookOf<Function>(std::move(function));
        return this;
    }

    /// A sample is taken by that many threads at once, each making all its calls; the time is the wall's.
    Benchmark *Threads(int threads)
    {
        settings_.threads.push_back(threads < 1 ? 1 : threads);
        return this;
    }
    Benchmark *ThreadRange(int least, int most)
    {
        for (const std::int64_t threads : CreateRange(least, most, 2)) {
            Threads(static_cast<int>(threads));
        }
        return this;
    }
    Benchmark *DenseThreadRange(int least, int most, int stride = 1)
    {
        for (int threads = least; threads < most; threads += stride < 1 ? 1 : stride) {
            Threads(threads);
        }
        return Threads(most);
    }
    /// As many threads as the machine has CPUs.
    Benchmark *ThreadPerCpu() { return Threads(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

    /// Tare's own: the others of its kind are compared with it.
    Benchmark *Base()
    {
        settings_.is_base = true;
        return this;
    }
    /// Tare's own: groups that a run can be limited to.
    Benchmark *Groups(const std::vector<std::string> &groups)
    {
        settings_.groups = groups;
        return this;
    }

    // Accepted and said to have no effect.
    Benchmark *MinTime(double) { return ignore(detail::min_time); }
    Benchmark *MinWarmUpTime(double) { return ignore(detail::warm_up); }
    Benchmark *Repetitions(int) { return ignore(detail::repetitions); }
    Benchmark *ReportAggregatesOnly(bool = true) { return ignore(detail::statistics); }
    Benchmark *DisplayAggregatesOnly(bool = true) { return ignore(detail::statistics); }
    template <class... Anything> Benchmark *ComputeStatistics(Anything &&...) { return ignore(detail::statistics); }
    template <class Anything> Benchmark *ThreadRunner(Anything &&) { return ignore(detail::thread_runner); }
    Benchmark *MeasureProcessCPUTime() { return ignore(detail::cpu_time); }
    Benchmark *Complexity(BigO = oAuto) { return ignore(detail::complexity); }
    Benchmark *Complexity(double (*)(IterationCount)) { return ignore(detail::complexity); }

    const char *GetName() const { return settings_.name.c_str(); }
    /// Runs the benchmark for one sample in one thread.
    virtual void Run(State &state) = 0;
    /// Runs `loop` where Run has the benchmark's own: after the same preparation.
    virtual void run_loop(State &state, void (*loop)(State &)) { loop(state); }
    /// What Run calls beside the functions of its class.
    virtual detail::Code code() const { return {0, true}; }

    detail::Settings &settings() { return settings_; }
    const detail::Settings &settings() const { return settings_; }

protected:
    void SetName(const char *name) { settings_.name = name; }

private:
    detail::Settings settings_;

    Benchmark *ignore(detail::Ignored what)
    {
        settings_.ignored |= what;
        return this;
    }
};

/// Base of classes that make ready what several benchmarks need: once for each sample and thread, outside the time.
class Fixture : public Benchmark {
public:
    Fixture() : Benchmark("") {}

    virtual void SetUp(const State &) {}
    virtual void TearDown(const State &) {}
    virtual void SetUp(State &state) { SetUp(const_cast<const State &>(state)); }
    virtual void TearDown(State &state) { TearDown(const_cast<const State &>(state)); }

    void Run(State &state) override
    {
        SetUp(state);
        BenchmarkCase(state);
        TearDown(state);
    }
    void run_loop(State &state, void (*loop)(State &)) override
    {
        SetUp(state);
        loop(state);
        TearDown(state);
    }

protected:
    virtual void BenchmarkCase(State &state) = 0;
};

namespace detail {

template <class Function> class FunctionBenchmark final : public Benchmark {
public:
    FunctionBenchmark(const std::string &name, Function function) : Benchmark(name), function_(std::move(function)) {}
    void Run(State &state) override { function_(state); }
    Code code() const override
    {
        if constexpr (std::is_pointer_v<Function>) {
            return {reinterpret_cast<std::uintptr_t>(function_), false};
        } else {
            return {0, !std::is_empty_v<Function>};
        }
    }

private:
    Function function_;
};

} // namespace detail
} // namespace tare
