// What a main function calls.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "reporters.h"
#include "worker.h"

namespace tare {
namespace detail {

/// How the binary was called; for the help.
inline std::string &program()
{
    static std::string *name = new std::string("./benchmarks");
    return *name;
}

} // namespace detail

/// What programs say of the addresses of their process is Tare's matter: each launch draws its own.
inline void MaybeReenterWithoutASLR(int, char **) {}

/// Takes the arguments that begin with `--benchmark_` or `--v=` from the command line. They have no effect: what runs, and how long, is
/// said to `tare`. `help` is what Google Benchmark would call for `--help`.
inline void Initialize(int *count, char **arguments, void (*help)() = nullptr)
{
    static_cast<void>(help);
    if (count == nullptr || *count < 1) {
        return;
    }
    detail::program() = arguments[0];
    int kept = 1;
    for (int i = 1; i < *count; ++i) {
        if (std::strncmp(arguments[i], "--benchmark_", 12) != 0 && std::strncmp(arguments[i], "--v=", 4) != 0) {
            arguments[kept++] = arguments[i];
        } else if (!detail::Wire::is_wanted()) {
            std::fprintf(stderr, "tare: %s has no effect; see `tare run --help`\n", arguments[i]);
        }
    }
    arguments[kept] = nullptr;
    *count = kept;
}

/// Whether arguments are left; says so on standard error.
inline bool ReportUnrecognizedArguments(int count, char **arguments)
{
    for (int i = 1; i < count; ++i) {
        std::fprintf(stderr, "%s: error: there is no option %s\n", arguments[0], arguments[i]);
    }
    return count > 1;
}

/// Only cases whose whole name this matches, as an extended regular expression; those that it doesn't match, with `-` in front. Empty: all.
inline void SetBenchmarkFilter(std::string pattern) { detail::Registry::instance().filter = std::move(pattern); }
inline std::string GetBenchmarkFilter() { return detail::Registry::instance().filter; }
inline std::int32_t GetBenchmarkVerbosity() { return 0; }
inline std::string GetBenchmarkVersion() { return "tare"; }
inline void PrintDefaultHelp() { std::puts("measure it with `tare run`; `tare run --help` has the options"); }

/// The unit of benchmarks that name none.
inline void SetDefaultTimeUnit(TimeUnit unit) { detail::Registry::instance().unit = detail::unit_name(unit); }

/// Under `tare`: measures, and doesn't return. By hand: says how to, and returns 0.
inline std::size_t RunSpecifiedBenchmarks()
{
    if (detail::Wire::is_wanted()) {
        detail::Worker::main();
    }
    std::vector<detail::Case> refused;
    const std::size_t count = detail::Registry::instance().cases(refused).size();
    const char *program = detail::program().c_str();
    std::printf("%s holds %zu benchmark case%s for Tare. To measure them:\n\n    tare run %s%s\n", program, count, count == 1 ? "" : "s",
        std::strchr(program, '/') == nullptr ? "./" : "", program);
    return 0;
}
inline std::size_t RunSpecifiedBenchmarks(std::string filter)
{
    SetBenchmarkFilter(std::move(filter));
    return RunSpecifiedBenchmarks();
}
/// The reporters have no effect, which is told; nor have managers of memory and profilers.
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter *display, BenchmarkReporter *file = nullptr)
{
    if (display != nullptr || file != nullptr) {
        detail::Registry::instance().also_ignored |= detail::reporters;
    }
    return RunSpecifiedBenchmarks();
}
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter *display, std::string filter)
{
    SetBenchmarkFilter(std::move(filter));
    return RunSpecifiedBenchmarks(display);
}
inline std::size_t RunSpecifiedBenchmarks(BenchmarkReporter *display, BenchmarkReporter *file, std::string filter)
{
    SetBenchmarkFilter(std::move(filter));
    return RunSpecifiedBenchmarks(display, file);
}
inline void RegisterMemoryManager(MemoryManager *manager)
{
    detail::Registry::instance().also_ignored |= manager != nullptr ? detail::managers : 0u;
}
inline void RegisterProfilerManager(ProfilerManager *manager)
{
    detail::Registry::instance().also_ignored |= manager != nullptr ? detail::managers : 0u;
}

inline void Shutdown() {}

} // namespace tare
