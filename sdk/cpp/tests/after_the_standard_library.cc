#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <valarray>
#include <variant>
#include <vector>
#include <atomic>
#include <mutex>
#include <condition_variable>
#include <future>
#include <bit>
using namespace std;
#include <tare/benchmark.h>
static void BM_x(benchmark::State& state){ for (auto _ : state) benchmark::DoNotOptimize(state.iterations()); }
BENCHMARK(BM_x);
BENCHMARK_MAIN();
