// What a main function calls.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>

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

/// Takes the arguments that begin with `--benchmark_` or `--v=` from the command line. They have no effect: what runs, and how long, is
/// said to `tare`.
inline void Initialize(int *count, char **arguments)
{
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

/// Under `tare`: measures, and doesn't return. By hand: says how to, and returns 0.
inline std::size_t RunSpecifiedBenchmarks()
{
    if (detail::Wire::is_wanted()) {
        detail::Worker::main();
    }
    const std::size_t count = detail::Registry::instance().cases().size();
    const char *program = detail::program().c_str();
    std::printf("%s holds %zu benchmark case%s for Tare. To measure them:\n\n    tare run %s%s\n", program, count, count == 1 ? "" : "s",
        std::strchr(program, '/') == nullptr ? "./" : "", program);
    return 0;
}

inline void Shutdown() {}

} // namespace tare
