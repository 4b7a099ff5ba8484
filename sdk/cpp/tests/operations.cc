// Operations for the tests of the worker; by hand, its loop on simulated time, where what comes of it is known exactly.
#include <tare/benchmark.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <vector>

static int opened = -1;
static long calls = 0;

TARE_SET_UP { opened = worker.number; }

TARE_OPERATION(get, 9) { tare::keep(calls += opened); }

TARE_OPERATION(put, 1)
{
    if (worker.turn % 2 == 1) {
        throw std::runtime_error("an odd turn");
    }
}

TARE_CLEAN_UP { std::fprintf(stderr, "closed %d\n", opened); }

static std::int64_t simulated = 0;
static constexpr std::int64_t second = 1000000000;

static bool check(bool holds, const char *what)
{
    if (!holds) {
        std::printf("not ok: %s\n", what);
    }
    return holds;
}

static void stall(tare::LoadWorker &)
{
    if (simulated >= 5 * second && simulated < 7 * second) {
        simulated = 7 * second;
    }
}

static void fails(tare::LoadWorker &)
{
    simulated += 1000;
    throw std::runtime_error("gone");
}

static void ten_milliseconds(tare::LoadWorker &) { simulated += 10000000; }

/// The latencies with their counts, and the work.
template <class Use> static void work(tare::detail::OperationBody body, const tare::detail::WorkOrder &order, Use use)
{
    simulated = 0;
    std::map<std::int64_t, std::int64_t> seen;
    std::int64_t late = 0;
    const auto now = [] { return simulated; };
    const auto wait = [](std::int64_t at) { simulated = at > simulated ? at : simulated; };
    const auto send = [&](std::int64_t, std::int64_t, tare::detail::Tally &tally) {
        std::vector<std::int64_t> values, times;
        tally.latencies.take(values, times);
        for (std::size_t at = 0; at < values.size(); ++at) {
            seen[values[at]] += times[at];
        }
        late += tally.late;
        return true;
    };
    tare::detail::Work<decltype(now), decltype(wait), decltype(send)> done(now, wait, send);
    tare::LoadWorker worker;
    done.run({{0, body}}, worker, order);
    use(done.begun, done.dropped, late, seen);
}

static bool simulate()
{
    bool good = true;
    tare::detail::WorkOrder order;
    order.pattern = {0};
    order.gaps = {20000000};
    order.duration = 20 * second;
    order.slice = second;
    work(stall, order, [&](std::int64_t begun, std::int64_t dropped, std::int64_t late, const auto &seen) {
        std::map<std::int64_t, std::int64_t> expected;
        for (std::int64_t due = 0; due < 20 * second; due += 20000000) {
            const std::int64_t latency = due >= 5 * second && due < 7 * second ? 7 * second - due : 0;
            ++expected[static_cast<std::int64_t>(tare::detail::Latencies::lowest(tare::detail::Latencies::bucket(static_cast<std::uint64_t>(latency))))];
        }
        good &= check(seen == expected, "a stall is in the latencies of all that were due meanwhile");
        good &= check(begun == 1000 && dropped == 0 && late == 99, "all were begun, and those that waited late");
    });
    order.gaps = {1000000};
    order.duration = 100000000;
    work(ten_milliseconds, order, [&](std::int64_t begun, std::int64_t dropped, std::int64_t, const auto &) {
        good &= check(begun == 10 && dropped == 90, "what was due and never begun is dropped");
    });
    order.gaps = {};
    order.count = 5;
    order.duration = 0;
    work(ten_milliseconds, order, [&](std::int64_t begun, std::int64_t dropped, std::int64_t, const auto &seen) {
        good &= check(begun == 5 && dropped == 0 && seen.size() == 1, "a closed loop does its number");
    });
    order.count = 50;
    work(fails, order, [&](std::int64_t begun, std::int64_t, std::int64_t, const auto &) {
        good &= check(begun == 50 && simulated == 50000, "a number of operations is done as quickly as they fail");
    });
    order.count = 0;
    order.duration = 4 * second;
    order.slice = second;
    work(fails, order, [&](std::int64_t begun, std::int64_t, std::int64_t, const auto &) {
        // Ten at once; then after 10, 20, ... 640 ms and 1 s each.
        good &= check(begun == 19, "what fails all the time is tried less and less often");
    });
    for (std::uint64_t value = 1; value < std::uint64_t{1} << 46; value = value * 5 / 3 + 1) {
        const std::uint64_t lowest = tare::detail::Latencies::lowest(tare::detail::Latencies::bucket(value));
        good &= check(lowest <= value && value - lowest <= value / 1024, "a bucket holds its value");
    }
    return good;
}

int main(int argc, char **argv)
{
    tare::Initialize(&argc, argv);
    if (argc > 1) {
        return simulate() ? 0 : 1;
    }
    tare::RunSpecifiedBenchmarks();
}
