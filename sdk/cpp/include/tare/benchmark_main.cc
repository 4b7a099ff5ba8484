// The main function of programs whose sources have none, as Google Benchmark's benchmark_main gives it: compile this file with them, or
// link tare::main (CMake) or tare-main (pkg-config).
#include "benchmark.h"

BENCHMARK_MAIN();
