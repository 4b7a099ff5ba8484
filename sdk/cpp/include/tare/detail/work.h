// Operations, one after the other: each as soon as the one before has ended (closed loop), or when it is due (open loop).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "latencies.h"
#include "operations.h"
#include "thrown.h"

namespace tare {
namespace detail {

/// What a `work` request asks for; nanoseconds.
struct WorkOrder {
    std::int64_t start = 0;
    std::vector<std::int64_t> pattern;
    /// Empty: closed loop.
    std::vector<std::int64_t> gaps;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t duration = 0;
    std::int64_t slice = 0;
};

/// What ended of one operation in one slice.
struct Tally {
    Latencies latencies;
    std::int64_t late = 0;
    /// By kind: how often, and what the first one said.
    std::map<std::string, std::pair<std::int64_t, std::string>> failures;
};

/// `Now` gives nanoseconds, `Wait` waits until then, `Send` takes an operation's number, a slice's number and a tally, and says whether anybody
/// reads it.
template <class Now, class Wait, class Send> class Work {
public:
    Work(Now now, Wait wait, Send send) : now_(now), wait_(wait), send_(send) {}

    std::int64_t begun = 0, ended = 0, dropped = 0;

    void run(const std::map<std::int64_t, OperationBody> &bodies, LoadWorker &worker, const WorkOrder &order)
    {
        constexpr std::int64_t forever = INT64_MAX, late = 1000000;
        // After so many failures in succession a closed loop that has an end in time waits before each other one, twice as long each time: what
        // is gone isn't hammered.
        constexpr std::int64_t patience = 10, first_wait = 10000000, longest_wait = 1000000000;
        std::int64_t failing = 0, pause = first_wait;
        std::vector<std::pair<OperationBody, Tally *>> pattern;
        for (const std::int64_t number : order.pattern) {
            pattern.emplace_back(bodies.at(number), &tallies_[number]);
        }
        const bool is_open = !order.gaps.empty();
        const std::int64_t end = order.duration > 0 ? order.start + order.duration : forever;
        std::int64_t left = order.count > 0 ? order.count : forever, due = order.start + order.first;
        std::int64_t slice = 0, slice_ends = order.start + order.slice;
        std::size_t at = 0, gap = 0;
        wait_(order.start);
        std::int64_t now = now_();
        while (left > 0 && now < end && !(is_open && due >= end)) {
            std::int64_t intended = 0;
            if (is_open) {
                if (due > now) {
                    wait_(due);
                }
                intended = due;
                due += order.gaps[gap];
                gap = gap + 1 < order.gaps.size() ? gap + 1 : 0;
            }
            const auto &[body, tally] = pattern[at];
            at = at + 1 < pattern.size() ? at + 1 : 0;
            --left;
            std::string kind, message;
            const std::int64_t began = now_();
            const bool is_done = call(body, worker, kind, message);
            now = now_();
            ++worker.turn;
            ++begun;
            if (now >= slice_ends) {
                if (!tell(slice)) {
                    break;
                }
                slice = (now - order.start) / order.slice;
                slice_ends = order.start + (slice + 1) * order.slice;
            }
            const std::int64_t latency = now - (is_open ? intended : began);
            if (is_done) {
                tally->latencies.record(static_cast<std::uint64_t>(latency > 0 ? latency : 0));
            } else {
                fail(*tally, kind, message);
            }
            tally->late += is_open && began - intended > late;
            ended = now - order.start;
            if (is_done) {
                failing = 0;
                pause = first_wait;
            } else if (++failing >= patience && !is_open && order.duration > 0) {
                wait_(now + pause < end ? now + pause : end);
                pause = 2 * pause < longest_wait ? 2 * pause : longest_wait;
                now = now_();
            }
        }
        tell(slice);
        for (; is_open && left > 0 && due < end && due <= now; --left) {
            ++dropped;
            due += order.gaps[gap];
            gap = gap + 1 < order.gaps.size() ? gap + 1 : 0;
        }
    }

private:
    Now now_;
    Wait wait_;
    Send send_;
    std::map<std::int64_t, Tally> tallies_;

    static bool call(OperationBody body, LoadWorker &worker, std::string &kind, std::string &message)
    {
#if TARE_EXCEPTIONS
        try {
            body(worker);
        } catch (const std::exception &thrown) {
            kind = thrown_type();
            message = thrown.what();
        } catch (...) {
            kind = thrown_type();
        }
        if (!kind.empty() || !message.empty()) {
            kind = kind.empty() ? "exception" : kind;
            return false;
        }
        return true;
#else
        static_cast<void>(kind);
        static_cast<void>(message);
        body(worker);
        return true;
#endif
    }

    static void fail(Tally &tally, const std::string &kind, const std::string &message)
    {
        constexpr std::size_t kinds = 32;
        const bool is_known = tally.failures.count(kind) > 0 || tally.failures.size() < kinds;
        auto &told = tally.failures[is_known ? kind.substr(0, 100) : "other"];
        if (told.first++ == 0) {
            told.second = message.substr(0, 200);
        }
    }

    bool tell(std::int64_t slice)
    {
        bool is_read = true;
        for (auto &[number, tally] : tallies_) {
            if (tally.latencies.count() > 0 || !tally.failures.empty()) {
                is_read = send_(number, slice, tally) && is_read;
                tally.late = 0;
                tally.failures.clear();
            }
        }
        return is_read;
    }
};

} // namespace detail
} // namespace tare
