// Latencies of one operation in one slice: counts of what agrees in its eleven highest bits (PROTOCOL §4 `slice`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare {
namespace detail {

/// The buckets of an HDR histogram of three digits; recording is some shifts, and allocates nothing.
class Latencies {
public:
    Latencies() : counts_(bucket(largest) + 1, 0) {}

    void record(std::uint64_t nanoseconds)
    {
        ++counts_[bucket(nanoseconds < largest ? nanoseconds : largest)];
        ++count_;
    }

    std::uint64_t count() const { return count_; }

    /// Moves what there is to `values`, each the lowest of its bucket, and how often each to `times`.
    void take(std::vector<std::int64_t> &values, std::vector<std::int64_t> &times)
    {
        values.clear();
        times.clear();
        for (std::size_t at = 0; at < counts_.size() && count_ > 0; ++at) {
            if (counts_[at] > 0) {
                values.push_back(static_cast<std::int64_t>(lowest(at)));
                times.push_back(counts_[at]);
                count_ -= counts_[at];
                counts_[at] = 0;
            }
        }
        count_ = 0;
    }

    static std::size_t bucket(std::uint64_t value)
    {
        if (value < 2 * half) {
            return static_cast<std::size_t>(value);
        }
        const int shift = 63 - __builtin_clzll(value) - 10;
        return static_cast<std::size_t>(half * static_cast<std::uint64_t>(shift) + (value >> shift));
    }

    static std::uint64_t lowest(std::size_t bucket)
    {
        if (bucket < 2 * half) {
            return bucket;
        }
        const std::uint64_t shift = bucket / half - 1;
        return (bucket - half * shift) << shift;
    }

private:
    static constexpr std::uint64_t half = 1024;
    /// A day.
    static constexpr std::uint64_t largest = 86400000000000;

    std::vector<std::uint32_t> counts_;
    std::uint64_t count_ = 0;
};

} // namespace detail
} // namespace tare
