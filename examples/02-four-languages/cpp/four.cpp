#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <openssl/sha.h>
#include <tare/benchmark.h>

static void BM_Sha256(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'a');
  unsigned char digest[SHA256_DIGEST_LENGTH];
  for (auto _ : state) {
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
    benchmark::DoNotOptimize(digest);
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Sha256)->Arg(64)->Arg(65536);

static void BM_ParseJson(benchmark::State& state) {
  std::ifstream file(DOCUMENT);
  const std::string document{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (document.empty()) {
    state.SkipWithError("the document can't be read");
    return;
  }
  for (auto _ : state) {
    auto value = nlohmann::json::parse(document);
    benchmark::DoNotOptimize(value);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(document.size()));
}
BENCHMARK(BM_ParseJson);

static void BM_Sort(benchmark::State& state) {
  std::vector<int> numbers(10'000);
  unsigned long next = 42;
  for (auto& number : numbers) {
    next = (next * 1103515245UL + 12345UL) & 0x7fffffffUL;
    number = static_cast<int>(next);
  }
  std::vector<int> sorted(numbers.size());
  for (auto _ : state) {
    std::copy(numbers.begin(), numbers.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Sort);

BENCHMARK_MAIN();
