// What is said of benchmarks that nothing tells apart.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fault.h"
#include "registry.h"

namespace tare {
namespace detail {

/// Once for each name of those that were refused, with the name of a case.
inline std::vector<std::pair<std::string, Fault>> told_of_namesakes(const std::vector<Case> &refused)
{
    std::map<std::string, int> counts;
    for (const Case &of : refused) {
        ++counts[of.full_name];
    }
    std::vector<std::pair<std::string, Fault>> told;
    for (const Case &of : refused) {
        int &count = counts[of.full_name];
        if (count > 0) {
            Fault fault("load", std::to_string(count) + " benchmarks are registered as " + in_quotes(of.full_name)
                    + ", and nothing tells them apart.", "Give each a Name of its own.");
            fault.file = of.benchmark->settings().file;
            fault.line = of.benchmark->settings().line;
            told.emplace_back(of.name, fault);
            count = 0;
        }
    }
    return told;
}

} // namespace detail
} // namespace tare
