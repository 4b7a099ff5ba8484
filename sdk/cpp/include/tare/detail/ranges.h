// Series of arguments.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tare {
namespace detail {

/// `low`, the powers of `multiplier` between, 0 if it lies between, and `high`; negative powers mirror the positive ones.
inline void add_range(std::vector<std::int64_t> &list, std::int64_t low, std::int64_t high, std::int64_t multiplier)
{
    multiplier = multiplier < 2 ? 2 : multiplier;
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1;; power *= multiplier) {
        powers.push_back(power);
        if (power > std::numeric_limits<std::int64_t>::max() / multiplier) {
            break;
        }
    }
    list.push_back(low);
    for (std::size_t i = powers.size(); i-- > 0;) {
        if (-powers[i] > low && -powers[i] < high) {
            list.push_back(-powers[i]);
        }
    }
    if (low < 0 && high > 0) {
        list.push_back(0);
    }
    for (const std::int64_t power : powers) {
        if (power > low && power < high) {
            list.push_back(power);
        }
    }
    if (high != low) {
        list.push_back(high);
    }
}

} // namespace detail

/// As Range with RangeMultiplier.
inline std::vector<std::int64_t> CreateRange(std::int64_t low, std::int64_t high, int multiplier)
{
    std::vector<std::int64_t> list;
    detail::add_range(list, low, high, multiplier);
    return list;
}

/// As DenseRange.
inline std::vector<std::int64_t> CreateDenseRange(std::int64_t start, std::int64_t limit, int step)
{
    std::vector<std::int64_t> list;
    for (std::int64_t value = start; value <= limit; value += step < 1 ? 1 : step) {
        list.push_back(value);
    }
    return list;
}

} // namespace tare
