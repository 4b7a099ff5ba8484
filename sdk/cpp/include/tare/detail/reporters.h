// Classes of Google Benchmark's that programs derive from or make objects of. Here they compile and are never called: the report is Tare's.
#pragma once

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "counter.h"
#include "definition.h"

namespace tare {

/// A case's name in parts.
struct BenchmarkName {
    std::string function_name, args, min_time, min_warmup_time, iterations, repetitions, time_type, threads;

    std::string str() const
    {
        std::string all = function_name;
        for (const std::string *part : {&args, &min_time, &min_warmup_time, &iterations, &repetitions, &time_type, &threads}) {
            if (!part->empty()) {
                all += '/' + *part;
            }
        }
        return all;
    }
};

/// Never called.
struct ThreadRunnerBase {
    virtual ~ThreadRunnerBase() = default;
    virtual void RunThreads(const std::function<void(int)> &body) = 0;
};

/// Never called.
class MemoryManager {
public:
    struct Result {
        static constexpr std::int64_t TombstoneValue = INT64_MAX;
        std::int64_t num_allocs = 0;
        std::int64_t max_bytes_used = 0;
        std::int64_t total_allocated_bytes = TombstoneValue;
        std::int64_t net_heap_growth = TombstoneValue;
        std::int64_t memory_iterations = 0;
    };
    virtual ~MemoryManager() = default;
    virtual void Start() = 0;
    virtual void Stop(Result &result) = 0;
};

/// Never called.
class ProfilerManager {
public:
    virtual ~ProfilerManager() = default;
    virtual void AfterSetupStart() = 0;
    virtual void BeforeTeardownStop() = 0;
};

/// What the process may run on. Google Benchmark's other facts of the machine are in Tare's own reports, and are 0 or empty here.
struct CPUInfo {
    enum Scaling { UNKNOWN, ENABLED, DISABLED };
    struct CacheInfo {
        std::string type;
        int level = 0;
        int size = 0;
        int num_sharing = 0;
    };

    int num_cpus = 1;
    Scaling scaling = UNKNOWN;
    std::vector<CacheInfo> caches;
    double cycles_per_second = 0;
    std::vector<double> load_avg;

    static const CPUInfo &Get()
    {
        static const CPUInfo info = [] {
            CPUInfo made;
            const unsigned known = std::thread::hardware_concurrency();
            made.num_cpus = known > 0 ? static_cast<int>(known) : 1;
            return made;
        }();
        return info;
    }
};

/// The machine's name, for reports.
struct SystemInfo {
    std::string name;
};

/// Never called.
class BenchmarkReporter {
public:
    struct Context {
        const CPUInfo &cpu_info = CPUInfo::Get();
        SystemInfo sys_info;
        std::size_t name_field_width = 0;
        inline static const char *executable_name = nullptr;
    };

    struct Run {
        static constexpr std::int64_t no_repetition_index = -1;
        enum RunType { RT_Iteration, RT_Aggregate };

        BenchmarkName run_name;
        std::int64_t family_index = 0;
        std::int64_t per_family_instance_index = 0;
        RunType run_type = RT_Iteration;
        std::string aggregate_name;
        std::string report_label;
        std::string error_message;
        std::string skip_message;
        int skipped = 0;
        bool error_occurred = false;
        IterationCount iterations = 1;
        std::int64_t threads = 1;
        std::int64_t repetition_index = no_repetition_index;
        std::int64_t repetitions = 0;
        TimeUnit time_unit = kNanosecond;
        double real_accumulated_time = 0;
        double cpu_accumulated_time = 0;
        double max_heapbytes_used = 0;
        BigO complexity = oNone;
        std::int64_t complexity_n = 0;
        bool report_big_o = false;
        bool report_rms = false;
        UserCounters counters;
        MemoryManager::Result memory_result;
        double allocs_per_iter = 0;

        std::string benchmark_name() const { return run_name.str(); }
        double GetAdjustedRealTime() const { return real_accumulated_time / static_cast<double>(iterations); }
        double GetAdjustedCPUTime() const { return cpu_accumulated_time / static_cast<double>(iterations); }
    };

    virtual ~BenchmarkReporter() = default;
    virtual bool ReportContext(const Context &context) = 0;
    virtual void ReportRunsConfig(double, bool, IterationCount) {}
    virtual void ReportRuns(const std::vector<Run> &report) = 0;
    virtual void Finalize() {}

    void SetOutputStream(std::ostream *out) { output_ = out; }
    void SetErrorStream(std::ostream *error) { error_ = error; }
    std::ostream &GetOutputStream() const { return *output_; }
    std::ostream &GetErrorStream() const { return *error_; }
    static void PrintBasicContext(std::ostream *, const Context &) {}

private:
    std::ostream *output_ = &std::cout;
    std::ostream *error_ = &std::cerr;
};

/// Never called.
class ConsoleReporter : public BenchmarkReporter {
public:
    enum OutputOptions { OO_None = 0, OO_Color = 1, OO_Tabular = 2, OO_ColorTabular = 3, OO_Defaults = 3 };
    explicit ConsoleReporter(OutputOptions options = OO_Defaults) : output_options_(options) {}
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &) override {}

protected:
    virtual void PrintRunData(const Run &) {}
    virtual void PrintHeader(const Run &) {}

    OutputOptions output_options_;
    std::size_t name_field_width_ = 0;
    UserCounters prev_counters_;
    bool printed_header_ = false;
};

/// Never called.
class JSONReporter : public BenchmarkReporter {
public:
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &) override {}
};

/// Never called.
class CSVReporter : public JSONReporter {};

inline std::unique_ptr<BenchmarkReporter> CreateDefaultDisplayReporter() { return std::make_unique<ConsoleReporter>(); }

} // namespace tare
