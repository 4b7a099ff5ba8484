// What a benchmark reported of itself, in the words of `finished`.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "frame_writer.h"
#include "sampler.h"

namespace tare {
namespace detail {

/// A number as JSON writes one; empty for what JSON has no number for.
inline std::string json_number(double value)
{
    char text[40] = "";
    if (__builtin_isfinite(value)) {
        std::snprintf(text, sizeof(text), "%.15g", value);
        if (std::strtod(text, nullptr) != value) {
            std::snprintf(text, sizeof(text), "%.17g", value);
        }
    }
    // The user's locale may have another decimal point.
    for (char &character : text) {
        character = character == ',' ? '.' : character;
    }
    return text;
}

/// What an author reports; what the core would refuse, and the measurement with it, is left out.
struct Report {
    /// Longest name of a figure, in bytes.
    static constexpr std::size_t longest_name = 200;

    /// Per call; −1 when not reported.
    std::int64_t bytes = -1;
    std::int64_t items = -1;
    std::vector<std::string> metrics;
    std::vector<std::string> labels;

    Report(const Case &of, const Sampler &sampler)
    {
        if (of.threads > 1) {
            labels.push_back(threads_on(of.threads, sampler.cpus()));
        }
        if (of.benchmark->settings().is_manual) {
            labels.push_back("manual time");
        }
        double calls = 0.0;
        UserCounters counters;
        double all_bytes = -1.0, all_items = -1.0;
        for (const Outcome &outcome : sampler.reported()) {
            calls += static_cast<double>(outcome.made);
            add(all_bytes, outcome.bytes);
            add(all_items, outcome.items);
            for (const auto &named : outcome.counters) {
                const auto place = counters.insert(named);
                if (!place.second) {
                    place.first->second.value += named.second.value;
                }
            }
            if (!outcome.label.empty() && (labels.empty() || labels.back() != outcome.label)) {
                labels.push_back(outcome.label);
            }
        }
        if (calls <= 0.0) {
            return;
        }
        bytes = of_a_call(all_bytes, calls);
        items = of_a_call(all_items, calls);
        const double seconds = static_cast<double>(sampler.reported_time()) * 1e-9;
        for (const auto &named : counters) {
            const std::string number = json_number(named.second.of(calls, seconds, of.threads));
            if (!number.empty() && !named.first.empty()) {
                metrics.push_back(named.first.substr(0, longest_name) + '=' + number);
            }
        }
    }

private:
    /// Threads that share a CPU take turns, which the reader must know of.
    static std::string threads_on(int threads, int cpus)
    {
        const std::string number = std::to_string(threads);
        return cpus <= 0 || threads <= cpus ? "threads " + number
                                            : number + " threads on " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs");
    }

    /// In floating point: the amounts of several threads may not fit in an integer together.
    static void add(double &sum, std::int64_t part)
    {
        if (part >= 0) {
            sum = (sum < 0.0 ? 0.0 : sum) + static_cast<double>(part);
        }
    }

    static std::int64_t of_a_call(double sum, double calls)
    {
        const double amount = sum / calls + 0.5;
        return sum < 0.0 || amount > static_cast<double>(largest_integer) ? -1 : static_cast<std::int64_t>(amount);
    }
};

} // namespace detail
} // namespace tare
