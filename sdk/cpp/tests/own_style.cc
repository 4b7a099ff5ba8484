// Tare's own style.
#include <tare/benchmark.h>

#include <memory>
#include <string>
#include <vector>

namespace {

struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const = 0;
};
struct Square : Shape {
    int corners() const override { return 4; }
};

long calls = 0;

} // namespace

TARE_BENCHMARK(addition) { tare::keep(tare::opaque(1) + 2); }

TARE_BENCHMARK(counted)
{
    ++calls;
    if (calls < 0) {
        return;
    }
    tare::ClobberMemory();
}

static void virtual_call(tare::State &state)
{
    const std::unique_ptr<Shape> shape = std::make_unique<Square>();
    TARE_LOOP(state)
    {
        const Shape *opaque = tare::opaque(shape.get());
        tare::keep(opaque->corners());
    };
    tare::keep(shape);
}
BENCHMARK(virtual_call)->Groups({"calls", "objects"})->Base();

// Reports how often the block has run.
static void counting(tare::State &state)
{
    std::int64_t made = 0;
    TARE_LOOP(state) { ++made; };
    state.counters["made"] = static_cast<double>(made);
    state.counters["said"] = static_cast<double>(state.iterations());
}
BENCHMARK(counting);

static void paused(tare::State &state)
{
    std::vector<int> values;
    TARE_LOOP(state)
    {
        state.PauseTiming();
        values.assign(16, 1);
        state.ResumeTiming();
        values.push_back(2);
        tare::keep(values);
    };
}
BENCHMARK(paused);

BENCHMARK_MAIN();
