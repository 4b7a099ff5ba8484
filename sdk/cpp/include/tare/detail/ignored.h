// What is told of settings of Google Benchmark's that have no effect.
#pragma once

#include <vector>

#include "definition.h"

namespace tare {
namespace detail {

/// A sentence for each bit of `Ignored` that is set.
inline std::vector<const char *> told_of(unsigned ignored)
{
    static constexpr const char *sentences[] = {
        "MinTime has no effect: the pilot finds how long samples must be, and the spread how many there are.",
        "MinWarmUpTime has no effect: the pilot finds the warm-in.",
        "Repetitions has no effect: the case is measured in several processes, until the spread is known.",
        "Complexity has no effect: cases aren't fitted to a curve.",
        "ComputeStatistics, ReportAggregatesOnly and DisplayAggregatesOnly have no effect: the report has its own statistics.",
        "MeasureProcessCPUTime has no effect: the time is the wall's, unless the clock `cpu-process` is asked for.",
        "Reporters have no effect: the report is Tare's, and --json, --csv and others are its forms.",
        "Managers of memory and profilers have no effect: --memory weighs memory, and `tare profile` profiles.",
        "ThreadRunner has no effect: threads are Tare's own.",
    };
    std::vector<const char *> told;
    for (unsigned int i = 0; i < sizeof(sentences) / sizeof(sentences[0]); ++i) {
        if ((ignored & (1u << i)) != 0) {
            told.push_back(sentences[i]);
        }
    }
    return told;
}

} // namespace detail
} // namespace tare
