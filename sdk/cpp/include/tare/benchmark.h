// Tare for C++: benchmarks that `tare run BINARY` measures. Needs C++17 and GCC or Clang, and nothing else.
//
// Sources for Google Benchmark compile against this header by changing their include; tare's own style stands beside it:
//
//     #include <tare/benchmark.h>
//
//     TARE_BENCHMARK(addition) { tare::keep(tare::opaque(1) + 2); }
//
//     static void sort(tare::State &state)
//     {
//         std::vector<int> values = ...;
//         TARE_LOOP(state) { ... };
//     }
//     BENCHMARK(sort)->Arg(1000);
//
//     BENCHMARK_MAIN();
#pragma once

#if defined(BENCHMARK)
#error "another benchmark library has defined BENCHMARK: include either it or tare/benchmark.h"
#endif

// What Google Benchmark's header includes, and sources written for it may rely on without knowing.
#include <algorithm>
#include <cassert>
#include <iosfwd>
#include <limits>
#include <memory>
#include <set>

#include "detail/keep.h"
#include "detail/macros.h"
#include "detail/main.h"
#include "detail/operations.h"
#include "detail/registry.h"
#include "detail/reporters.h"
#include "detail/shake.h"
#include "detail/state.h"

/// The names of Google Benchmark.
namespace benchmark {
using namespace ::tare;

namespace internal {
using ::tare::Benchmark;
using ::tare::RegisterBenchmarkInternal;
using Function = void(::tare::State &);
} // namespace internal
} // namespace benchmark
