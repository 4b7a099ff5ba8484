// Answers the requests of the capability `operations` (PROTOCOL §3).
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "fault.h"
#include "frame_writer.h"
#include "operations.h"
#include "request.h"
#include "thrown.h"
#include "wire.h"
#include "work.h"

namespace tare {
namespace detail {

class Load {
public:
    static bool knows(const std::string &kind)
    {
        return kind == "operations" || kind == "connect" || kind == "stamp" || kind == "work";
    }

    Fault answer(const Request &request, bool is_loaded, Wire &wire)
    {
        if (request.kind == "stamp") {
            wire.send(FrameWriter("stamped", request.id).integer("at", now() - epoch_).line());
            return Fault();
        }
        if (!is_loaded) {
            return Fault("bad-request", "Operations are known after `load`.");
        }
        return request.kind == "operations" ? list(request, wire) : request.kind == "connect" ? connect(request, wire) : work(request, wire);
    }

    Fault finish() { return suite_.empty() ? Fault() : around(false, "exception"); }

private:
    static constexpr std::int64_t most_workers = 100000, shortest_slice = 1000000, longest_slice = 3600000000000;
    static constexpr std::size_t longest_pattern = 100000;

    std::int64_t epoch_ = now();
    std::string suite_;
    std::map<std::int64_t, OperationBody> bodies_;
    LoadWorker worker_;

    static std::int64_t now()
    {
        timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
    }

    static void wait_until(std::int64_t at)
    {
        const timespec time{static_cast<time_t>(at / 1000000000), static_cast<long>(at % 1000000000)};
#if defined(__linux__)
        while (now() < at && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) != 0) {
        }
#else
        static_cast<void>(time);
        for (std::int64_t left = at - now(); left > 0; left = at - now()) {
            const timespec rest{static_cast<time_t>(left / 1000000000), static_cast<long>(left % 1000000000)};
            nanosleep(&rest, nullptr);
        }
#endif
    }

    static Fault list(const Request &request, Wire &wire)
    {
        const std::vector<Operation> &all = Operations::instance().all;
        for (std::size_t number = 0; number < all.size(); ++number) {
            FrameWriter frame("operation", request.id);
            frame.integer("operation", static_cast<std::int64_t>(number)).string("suite", all[number].suite).string("name", all[number].name);
            wire.send(frame.integer("weight", all[number].weight).string("file", all[number].file).integer("line", all[number].line).line());
        }
        wire.send(FrameWriter("listed", request.id).integer("operations", static_cast<std::int64_t>(all.size())).line());
        return Fault();
    }

    Fault connect(const Request &request, Wire &wire)
    {
        std::string suite;
        std::int64_t worker = 0, workers = 0, turn = 0;
        Fault fault = request.string("suite", suite);
        fault = fault ? fault : request.integer("workers", most_workers, workers, 1);
        fault = fault ? fault : request.integer("worker", workers - 1, worker);
        fault = fault || !request.has("turn") ? fault : request.integer("turn", largest_integer, turn);
        if (fault) {
            return fault;
        }
        std::map<std::int64_t, OperationBody> bodies;
        const std::vector<Operation> &all = Operations::instance().all;
        for (std::size_t number = 0; number < all.size(); ++number) {
            if (all[number].suite == suite) {
                bodies[static_cast<std::int64_t>(number)] = all[number].body;
            }
        }
        if (bodies.empty() || !bodies_.empty()) {
            return Fault("bad-request", bodies.empty() ? "There is no suite " + in_quotes(suite) + '.' : "`connect` may come once in a process.");
        }
        suite_ = suite;
        bodies_ = std::move(bodies);
        worker_.number = static_cast<int>(worker);
        worker_.workers = static_cast<int>(workers);
        worker_.turn = turn;
        fault = around(true, "load");
        if (!fault) {
            wire.send(FrameWriter("connected", request.id).line());
        }
        return fault;
    }

    Fault around(bool is_before, const char *kind)
    {
        for (const Around &around : Operations::instance().around) {
            if (around.suite == suite_ && around.is_before == is_before) {
                const Fault fault = guarded(kind, [&] { around.body(worker_); });
                if (fault) {
                    return fault;
                }
            }
        }
        return Fault();
    }

    Fault work(const Request &request, Wire &wire)
    {
        WorkOrder order;
        Fault fault = request.integer("start", largest_integer, order.start);
        fault = fault ? fault : request.integers("pattern", longest_pattern, order.pattern);
        fault = fault || !request.has("gaps") ? fault : request.integers("gaps", longest_pattern, order.gaps);
        fault = fault || !request.has("first") ? fault : request.integer("first", largest_integer, order.first);
        fault = fault ? fault : request.integer("count", largest_integer, order.count);
        fault = fault ? fault : request.integer("duration", largest_integer, order.duration);
        fault = fault ? fault : request.integer("slice", longest_slice, order.slice, shortest_slice);
        bool moves_on = order.gaps.empty();
        for (const std::int64_t gap : order.gaps) {
            moves_on = moves_on || gap > 0;
        }
        if (!fault && (!moves_on || (order.count == 0 && order.duration == 0))) {
            fault = Fault("bad-request", "The work has no end: `count` and `duration`, or all of `gaps`, are 0.");
        }
        if (!fault && bodies_.empty()) {
            fault = Fault("bad-request", "`work` comes after `connect`.");
        }
        for (std::size_t at = 0; !fault && at < order.pattern.size(); ++at) {
            if (bodies_.count(order.pattern[at]) == 0) {
                fault = Fault("bad-request", "The suite has no operation " + std::to_string(order.pattern[at]) + '.');
            }
        }
        if (fault) {
            return fault;
        }
        order.start += epoch_;
        std::vector<std::int64_t> values, times;
        const auto send = [&](std::int64_t operation, std::int64_t slice, Tally &tally) {
            FrameWriter frame("slice", request.id);
            frame.integer("operation", operation).integer("slice", slice).integer("late", tally.late);
            if (tally.latencies.count() > 0) {
                tally.latencies.take(values, times);
                frame.list("latencies", values).list("times", times);
            }
            if (!tally.failures.empty()) {
                std::vector<std::string> kinds, messages;
                std::vector<std::int64_t> counts;
                for (const auto &[kind, told] : tally.failures) {
                    kinds.push_back(kind);
                    counts.push_back(told.first);
                    messages.push_back(told.second);
                }
                frame.list("failures", kinds).list("failed", counts).list("messages", messages);
            }
            wire.send(frame.line());
            return !wire.is_closed();
        };
        Work<std::int64_t (*)(), void (*)(std::int64_t), decltype(send)> work(now, wait_until, send);
        work.run(bodies_, worker_, order);
        FrameWriter frame("worked", request.id);
        frame.integer("operations", work.begun).integer("ended", work.ended > 0 ? work.ended : 0);
        wire.send(frame.integer("dropped", work.dropped).line());
        return Fault();
    }
};

} // namespace detail
} // namespace tare
