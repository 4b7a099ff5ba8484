// What the tests of proofs compile, in variants by macros: benchmarks that read nothing, a table that a constructor fills, and a variable of their own.
#include <cstdlib>
#include <immintrin.h>
#include <vector>

#include <tare/benchmark.h>

#ifdef GROWN
volatile int sink;
__attribute__((noinline, used)) void grown(int x)
{
    for (int i = 0; i < x; ++i)
        sink = sink + i * (x ^ 0x1234567);
}
#endif

#ifndef TABLE
#define TABLE 3
#endif
static int table[64];
__attribute__((noinline)) static void fill(int factor)
{
    for (int i = 0; i < 64; ++i)
        table[i] = i * factor;
}

#ifdef MOVED
#line 1000
#endif
static struct Before {
    Before()
    {
        fill(TABLE);
#ifdef SEED
        std::srand(SEED);
#endif
#ifdef FLUSH
        _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
#ifdef ALLOCATED
        delete new std::vector<int>(ALLOCATED);
#endif
    }
} before;

#ifndef PURE
#define PURE 7
#endif
static void Pure(tare::State &state)
{
    int x = 1;
    for (auto _ : state) {
        x = x * PURE + 1;
        tare::DoNotOptimize(x);
    }
}
BENCHMARK(Pure);

static void Table(tare::State &state)
{
    int x = 1;
    for (auto _ : state) {
        x += table[x & 63];
        tare::DoNotOptimize(x);
    }
}
BENCHMARK(Table);

#ifndef OWN
#define OWN 9
#endif
static void Own(tare::State &state)
{
    static const std::vector<int> own(100, OWN);
    int x = 1;
    for (auto _ : state) {
        x += own[x & 63];
        tare::DoNotOptimize(x);
    }
}
BENCHMARK(Own);

BENCHMARK_MAIN();
